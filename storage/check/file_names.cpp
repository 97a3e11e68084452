#include "storage/check/file_names.hpp"

#include <charconv>

namespace starbus::storage {
namespace {

constexpr std::string_view kPrefix = "MANIFEST-";

}  // namespace

std::string table_file_name(std::uint64_t number, std::string_view extension) {
  constexpr std::size_t kDigits = 6;
  std::string digits = std::to_string(number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return digits.append(".").append(extension);
}

std::uint64_t file_number(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  std::uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::string manifest_file_name(std::uint64_t number) {
  const std::string table = table_file_name(number);
  return std::string(kPrefix).append(table, 0, table.find('.'));
}

std::optional<std::string> read_current(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  if (!text.starts_with(kPrefix) || manifest_file_name(file_number(text)) != text) {
    return std::nullopt;
  }
  return std::string(text);
}

}  // namespace starbus::storage
