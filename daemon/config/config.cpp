/// ConfigReader: the document, its tables, and the report of all problems.
#include "daemon/config/config.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>
#include <utility>

#include "daemon/config/config_document.hpp"

namespace starbus::daemon {
namespace {

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : std::string(path).append(".").append(key);
}

}  // namespace

ConfigReader::ConfigReader(std::shared_ptr<Document> document, std::size_t table, std::string path)
    : document_(std::move(document)), table_(table), path_(std::move(path)) {}

Result<ConfigReader> ConfigReader::open(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return Error(bus::Errc::bad_config, file.string() + ": is a folder, not a file");
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    const std::string reason = std::generic_category().message(errno);
    return Error(bus::Errc::bad_config, file.string() + ": cannot be read: " + reason +
                                            "; --config FILE names another one");
  }
  std::ostringstream text;
  text << in.rdbuf();
  return parse(text.view(), file.string());
}

Result<ConfigReader> ConfigReader::parse(std::string_view text, std::string file_name) {
  auto document = std::make_shared<Document>();
  document->file = std::move(file_name);
  try {
    document->root = toml::parse(text);
  } catch (const toml::parse_error& error) {
    const Document::Problem problem{error.source().begin, std::string(error.description())};
    return Error(bus::Errc::bad_config, document->located(problem));
  }
  const std::size_t root = document->open(&document->root);
  return ConfigReader(std::move(document), root, "");
}

bool ConfigReader::has(std::string_view key) const {
  const toml::table* node = document_->tables[table_].node;
  return node != nullptr && node->contains(key);
}

std::vector<std::string> ConfigReader::keys() const {
  std::vector<std::string> all;
  if (const toml::table* node = document_->tables[table_].node) {
    for (const auto& [key, value] : *node) all.emplace_back(key.str());
  }
  std::ranges::sort(all);
  return all;
}

ConfigReader::Lookup ConfigReader::look_up(std::string_view key, std::string_view wanted) const {
  Document::Table& table = document_->tables[table_];
  table.asked.emplace(key);
  const toml::node* node = table.node == nullptr ? nullptr : table.node->get(key);
  return {document_.get(), key, wanted, node};
}

ConfigReader ConfigReader::table(std::string_view key) {
  const Lookup found = look_up(key, "a table");
  const toml::table* node = found.node == nullptr ? nullptr : found.node->as_table();
  if (found.node != nullptr && node == nullptr) found.fail(not_a(key, found.wanted, *found.node));
  return {document_, document_->open(node), joined(path_, key)};
}

std::vector<ConfigReader> ConfigReader::tables(std::string_view key) {
  const Lookup found = look_up(key, "a list of tables");
  std::vector<ConfigReader> all;
  if (found.node == nullptr) return all;
  const toml::array* list = found.node->as_array();
  if (list == nullptr) {
    found.fail(not_a(key, "a list of tables ([[" + joined(path_, key) + "]])", *found.node));
    return all;
  }
  for (const toml::node& item : *list) {
    if (const toml::table* node = item.as_table()) {
      const std::string index = "[" + std::to_string(all.size() + 1) + "]";
      all.push_back(ConfigReader(document_, document_->open(node), joined(path_, key) + index));
    } else {
      document_->add(item, not_a(key, found.wanted, item) + " in it");
    }
  }
  return all;
}

void ConfigReader::problem(std::string_view key, std::string text) {
  const Lookup found = look_up(key, "");
  if (found.node != nullptr) return found.fail(std::move(text));
  // The key is not there, so the best place is its table.
  const toml::table* node = document_->tables[table_].node;
  if (!path_.empty()) text.append(" in [").append(path_).append("]");
  const bool placed = node != nullptr && !path_.empty();
  document_->problems.push_back(
      {placed ? node->source().begin : toml::source_position{}, std::move(text)});
}

void ConfigReader::warn(std::string_view key, std::string text) {
  document_->warnings.push_back({document_->place_of(table_, key), std::move(text)});
}

std::string ConfigReader::located(std::string_view key, std::string text) const {
  return document_->located({document_->place_of(table_, key), std::move(text)});
}

std::vector<std::string> ConfigReader::warnings() const {
  std::vector<std::string> texts;
  for (const Document::Problem& warning : document_->warnings) {
    texts.push_back(document_->located(warning));
  }
  return texts;
}

Result<> ConfigReader::finish() {
  for (const Document::Table& table : document_->tables) document_->refuse_unknown_keys(table);
  if (document_->problems.empty()) return {};
  std::ranges::stable_sort(document_->problems, std::less<>());
  std::string all;
  for (const Document::Problem& problem : document_->problems) {
    if (!all.empty()) all.push_back('\n');
    all.append(document_->located(problem));
  }
  document_->problems.clear();
  return Error(bus::Errc::bad_config, std::move(all));
}

}  // namespace starbus::daemon
