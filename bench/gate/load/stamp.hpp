// A time within a message that must be text: sixteen hexadecimal digits at its beginning.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace starbus::bench::gate {

constexpr std::size_t kStampBytes = 16;

inline void write_stamp(std::string& message, std::int64_t time) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  auto left = static_cast<std::uint64_t>(time);
  for (std::size_t i = kStampBytes; i-- > 0; left >>= 4) message[i] = kDigits[left & 0xF];
}

inline std::int64_t read_stamp(std::string_view message) {
  std::uint64_t time = 0;
  const std::string_view digits = message.substr(0, kStampBytes);
  std::from_chars(digits.data(), digits.data() + digits.size(), time, 16);
  return static_cast<std::int64_t>(time);
}

}  // namespace starbus::bench::gate
