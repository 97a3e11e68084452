/// Texts of lines and words, which the readers of formats go through. Pure; any thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "nav/error.hpp"

namespace starbus::nav::formats {

/// Goes through a text line by line.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // nullopt at the end. Without the line's end, which may be one of Windows.
  std::optional<std::string_view> next() {
    if (text_.empty()) return std::nullopt;
    const std::size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return line;
  }
  Error corrupt(std::string_view what) const {
    return {Errc::corrupt, "line " + std::to_string(number_) + ": " + std::string(what)};
  }

 private:
  std::string_view text_;
  std::size_t number_ = 0;
};

/// The next word of a line; empty if there is none. Words stand between spaces and tabs.
inline std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

/// The number that the whole word is; nullopt if it is anything else, or out of range.
template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace starbus::nav::formats
