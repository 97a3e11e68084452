#include "nodes/db/service/settings.hpp"

#include <algorithm>
#include <tuple>

#include "nodes/db/index_key.hpp"
#include "nodes/db/names.hpp"
#include "storage/limits.hpp"

namespace starbus::nodes::db {
namespace {

using daemon::ConfigReader;

constexpr std::uint64_t kLeastHeadroom = 1024 * 1024;

std::string read_name(ConfigReader& reader, const char* key, const std::string& name) {
  if (const auto checked = check_name(name); !checked && !name.empty()) {
    reader.problem(key, "'" + name + "': " + checked.error().detail);
  }
  return name;
}

/// "level", or "-level" for descending.
DeclareIndex read_index(ConfigReader reader) {
  DeclareIndex index;
  index.collection = read_name(reader, "collection", reader.required_string("collection"));
  index.name = read_name(reader, "name", reader.required_string("name"));
  for (const std::string& text : reader.strings("fields")) {
    const bool descending = text.starts_with('-');
    index.fields.push_back({text.substr(descending ? 1 : 0), descending});
  }
  if (const auto checked = check_fields(index.fields); !checked) {
    reader.problem("fields", checked.error().to_string());
  }
  return index;
}

auto fields_of(const DeclareIndex& index) {
  return std::tie(index.collection, index.name, index.fields);
}

}  // namespace

bool operator==(const DbSettings& a, const DbSettings& b) {
  const auto same = [](const DeclareIndex& x, const DeclareIndex& y) {
    return fields_of(x) == fields_of(y);
  };
  const auto fields = [](const DbSettings& s) {
    return std::tie(s.database, s.folder, s.collections, s.headroom, s.check_identity, s.replaces);
  };
  return fields(a) == fields(b) && std::ranges::equal(a.indexes, b.indexes, same);
}

DbSettings read_db_settings(ConfigReader& reader) {
  DbSettings settings;
  settings.database = read_name(reader, "database", reader.string("database", "main"));
  if (settings.database.empty()) reader.problem("database", "a name has at least one letter");
  settings.folder = reader.string("folder", "");
  for (const std::string& name : reader.strings("collections")) {
    settings.collections.insert(read_name(reader, "collections", name));
  }
  settings.headroom =
      reader.size("headroom", storage::kHeadroom, kLeastHeadroom, 1024 * storage::kHeadroom);
  const std::string identity = reader.string("identity", "cluster");
  settings.check_identity = identity != "folder";
  if (identity != "cluster" && identity != "folder") {
    reader.problem("identity", "'" + identity + "' is neither cluster nor folder");
  }
  settings.replaces = reader.string("replaces", "");
  for (const ConfigReader& table : reader.tables("index")) {
    settings.indexes.push_back(read_index(table));
  }
  return settings;
}

}  // namespace starbus::nodes::db
