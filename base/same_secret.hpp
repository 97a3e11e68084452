/// Compares secrets in a time that says nothing of where they differ.
#pragma once

#include <cstddef>
#include <span>

namespace starbus {

/// Whether both are the same bytes; those of another size are not. Takes as long for all of one
/// size.
inline bool same_secret(std::span<const std::byte> shown, std::span<const std::byte> secret) {
  if (shown.size() != secret.size()) return false;
  volatile unsigned char different = 0;  // volatile: or the compiler may stop at the first one
  for (std::size_t i = 0; i < secret.size(); ++i) {
    different = static_cast<unsigned char>(different |
                                           std::to_integer<unsigned char>(shown[i] ^ secret[i]));
  }
  return different == 0;
}

}  // namespace starbus
