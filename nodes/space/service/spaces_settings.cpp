#include "nodes/space/service/spaces_settings.hpp"

#include <sstream>
#include <string>

#include "nodes/space/service/limits.hpp"
#include "nodes/space/types/space_file.hpp"

namespace starbus::nodes::space {
namespace {

using daemon::ConfigReader;

void note_all(ConfigReader& table, const bus::Error& problems) {
  std::istringstream lines(problems.detail);
  for (std::string line; std::getline(lines, line);) table.problem("files", line);
}

}  // namespace

SpacesSettings read_spaces_settings(ConfigReader& reader) {
  ConfigReader table = reader.table("spaces");
  SpacesSettings settings;
  const std::vector<std::string> files = table.strings("files");
  if (files.empty()) {
    table.problem("files", "'files': missing; name the files of the types of spaces");
  }
  if (files.size() > kMaxSpaceFiles) {
    table.problem("files", "'files': at most " + std::to_string(kMaxSpaceFiles));
    return settings;
  }
  bool all_read = true;
  for (const std::string& file : files) {
    settings.files.emplace_back(file);
    auto types = ConfigReader::open(file);
    if (!types) {
      note_all(table, types.error());
      all_read = false;
      continue;
    }
    read_space_types(*types, settings.types);
    if (const auto read = types->finish(); !read) {
      note_all(table, read.error());
      all_read = false;
    }
  }
  // Else a type is missing that the file with the problem has.
  if (const auto next = check_next(settings.types); all_read && !next) {
    note_all(table, next.error());
  }
  return settings;
}

}  // namespace starbus::nodes::space
