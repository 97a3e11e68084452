/// Hexadecimal digits of 0-9 and a-f. Pure; any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus {

/// The digit of each value below 16.
inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// Two digits for each byte.
std::string hex_of(std::string_view bytes);

/// All digits of the type, with leading zeros: "0000002a" for 42 of 32 bits.
template <std::unsigned_integral T>
std::string hex_of(T number) {
  std::string text(2 * sizeof number, '0');
  for (std::size_t i = text.size(); i-- > 0; number = static_cast<T>(number >> 4)) {
    text[i] = kHexDigits[number & 15];
  }
  return text;
}

/// nullopt for what hex_of() of bytes does not write.
std::optional<std::string> bytes_of_hex(std::string_view hex);

}  // namespace starbus
