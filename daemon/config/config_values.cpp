#include "daemon/config/config_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

namespace starbus::daemon {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};
// Largest first, for formatting.
constexpr std::array kTimeUnits = {Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000},
                                   Unit{"s", 1000}, Unit{"ms", 1}};
constexpr std::array kSizeUnits = {Unit{"GiB", 1ULL << 30}, Unit{"MiB", 1ULL << 20},
                                   Unit{"KiB", 1ULL << 10}, Unit{"", 1}};

std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (number > kMost / unit->factor) return std::nullopt;
  return number * unit->factor;
}

std::string format_with_unit(std::uint64_t number, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (number >= unit.factor && number % unit.factor == 0) {
      return std::to_string(number / unit.factor).append(unit.name);
    }
  }
  return std::to_string(number).append(units.back().name);  // zero
}

// Optimal string alignment: Levenshtein's distance plus swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> row(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) row[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) row[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[i][j] = std::min({row[i - 1][j] + 1, row[i][j - 1] + 1, row[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[i][j] = std::min(row[i][j], row[i - 2][j - 2] + 1);
      }
    }
  }
  return row[a.size()][b.size()];
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto number = parse_with_unit(text, kTimeUnits);
  if (!number) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*number));
}

std::string format_duration(std::chrono::milliseconds duration) {
  return format_with_unit(static_cast<std::uint64_t>(duration.count()), kTimeUnits);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_with_unit(text, kSizeUnits);
}

std::string format_size(std::uint64_t bytes) {
  return format_with_unit(bytes, kSizeUnits);
}

std::optional<std::string> closest_word(std::string_view word,
                                        std::span<const std::string> candidates) {
  // A file may hold a key of any length, and no key of ours is longer than this.
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t least = word.size() / 3 + 1;  // more than a third changed is another word
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace starbus::daemon
