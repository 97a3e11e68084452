#pragma once

#include <concepts>
#include <string>

namespace starbus::nodes::db {

/// Appends an integer as it stands in keys: so that bytes sort as the numbers do.
template <std::unsigned_integral T>
void append_big_endian(T value, std::string& out) {
  for (std::size_t left = sizeof(T); left > 0; --left) {
    out += static_cast<char>(value >> (8 * (left - 1)) & 0xff);
  }
}

}  // namespace starbus::nodes::db
