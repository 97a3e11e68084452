/// The names of LevelDB's files. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::storage {

/// "000017.ldb"
std::string table_file_name(std::uint64_t number, std::string_view extension = "ldb");
/// "MANIFEST-000005"
std::string manifest_file_name(std::uint64_t number);
/// The number in a name of either kind; 0 if it has none.
std::uint64_t file_number(std::string_view name);
/// The manifest that the text of CURRENT names; nullopt if the text is malformed.
std::optional<std::string> read_current(std::string_view text);

}  // namespace starbus::storage
