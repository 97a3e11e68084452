#include "storage/check/live_tables.hpp"

#include <charconv>
#include <optional>

#include "base/numbers.hpp"

namespace starbus::storage {
namespace {

/// "abc\x00": what is not printable is escaped.
std::string unescape(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const bool marked = text.starts_with("\\x") && text.size() >= 4;
    const auto escaped = marked ? parse_number<unsigned char>(text.substr(2, 2), 16) : std::nullopt;
    bytes += escaped ? static_cast<char>(*escaped) : text.front();
    text.remove_prefix(escaped ? 4 : 1);
  }
  return bytes;
}

bool take_number(std::string_view& text, std::uint64_t& number, char end) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(read.ptr - text.data());
  if (read.ec != std::errc() || length == text.size() || text[length] != end) return false;
  text.remove_prefix(length + 1);
  return true;
}

/// " 17:123['d' @ 5 : 1 .. 'g' @ 9 : 1]"
std::optional<LiveTable> read_table_line(std::string_view line) {
  constexpr std::string_view kBehindKey = "' @ ";
  constexpr std::string_view kBetween = " .. '";
  LiveTable table;
  if (!line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(1);
  if (!take_number(line, table.number, ':') || !take_number(line, table.bytes, '[')) {
    return std::nullopt;
  }
  const std::size_t first_end = line.find(kBehindKey);
  const std::size_t between = line.find(kBetween, first_end == line.npos ? 0 : first_end);
  const std::size_t last_end = line.rfind(kBehindKey);
  if (!line.starts_with('\'') || first_end == line.npos || between == line.npos ||
      last_end < between + kBetween.size()) {
    return std::nullopt;
  }
  const std::size_t last = between + kBetween.size();
  table.first = unescape(line.substr(1, first_end - 1));
  table.last = unescape(line.substr(last, last_end - last));
  return table;
}

}  // namespace

std::vector<LiveTable> read_live_tables(std::string_view property) {
  std::vector<LiveTable> tables;
  while (!property.empty()) {
    const std::size_t end = property.find('\n');
    if (auto table = read_table_line(property.substr(0, end))) tables.push_back(std::move(*table));
    property.remove_prefix(end == property.npos ? property.size() : end + 1);
  }
  return tables;
}

}  // namespace starbus::storage
