#include "tools/starbus/code/client_code.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "tools/starbus/code/limits.hpp"
#include "tools/starbus/code/words.hpp"
#include "tools/starbus/code/write.hpp"

namespace starbus::starter {
namespace {

namespace fs = std::filesystem;

CodeError failed(const fs::path& path, const std::string& what) {
  return {CodeErrc::io_error, path.string() + ": " + what};
}

CodeResult<> check_name(const std::string& name) {
  const bool word = identifier_of(name) == name && cpp_word(name) == name;
  if (word && name.size() <= kCodeName && name != "std" && name != "starbus" && name != "game")
    return {};
  return CodeError{CodeErrc::bad_name, "'" + name + "': give --name an identifier of at most " +
                                           std::to_string(kCodeName) +
                                           " letters, digits and _, that is no keyword"};
}

/// nullopt: it cannot be read.
std::optional<std::string> text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file && text ? std::optional(std::move(text).str()) : std::nullopt;
}

CodeResult<> put_file(const fs::path& path, const std::string& text) {
  if (text_of(path) == text) return {};
  const fs::path draft = path.string() + ".new";
  std::ofstream file(draft, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code failure;
  if (file) fs::rename(draft, path, failure);
  if (file && !failure) return {};
  const std::string why = failure ? failure.message() : "cannot be written";
  fs::remove(draft, failure);
  return failed(path, why);
}

}  // namespace

CodeResult<std::string> code_of(const CodeOrder& order,
                                const std::vector<std::pair<std::string, std::string>>& schemas) {
  if (auto checked = check_name(order.name); !checked) return checked.error();
  const bool cpp = order.language == CodeLanguage::cpp;
  CodeHead head{order.name, "starbus client-code --language "};
  head.command.append(cpp ? "cpp" : "typescript").append(" --name ").append(order.name);
  CodeSchema schema;
  for (const auto& [file, text] : schemas) {
    if (auto read = schema.read(file, text); !read) return read.error();
    std::string shown = file;
    std::ranges::replace_if(
        shown, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '_');
    head.command.append(" ").append(shown);
  }
  if (auto checked = schema.finish(); !checked) return checked.error();
  return cpp ? cpp_code(schema, head) : typescript_code(schema, head);
}

CodeResult<fs::path> client_code(const CodeOrder& order) {
  std::vector<std::pair<std::string, std::string>> schemas;
  for (const fs::path& path : order.schemas) {
    std::error_code failure;
    const auto size = fs::file_size(path, failure);
    if (!failure && size > kSchemaBytes) {
      return CodeError{CodeErrc::too_large, path.string() + ": more bytes than kSchemaBytes"};
    }
    auto text = text_of(path);
    if (!text) return failed(path, "cannot be read");
    schemas.emplace_back(path.filename().string(), *std::move(text));
  }
  auto code = code_of(order, schemas);
  if (!code) return code.error();
  std::error_code failure;
  fs::create_directories(order.folder, failure);
  if (failure) return failed(order.folder, failure.message());
  const char* const ending = order.language == CodeLanguage::cpp ? ".hpp" : ".ts";
  fs::path path = order.folder / (order.name + ending);
  if (auto written = put_file(path, *code); !written) return written.error();
  return path;
}

}  // namespace starbus::starter
