/// Whole numbers from text. Pure; any thread.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace starbus {

/// The number that the whole text is: digits alone, with a leading '-' only for signed types. No
/// space, no '+', no prefix, no rest. nullopt if the text is anything else, or out of T's range.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace starbus
