#include "storage/error.hpp"

#include "base/hex.hpp"

namespace starbus::storage {

std::string printable(std::string_view key) {
  constexpr std::size_t kMost = 64;
  std::string text;
  for (const char c : key.substr(0, kMost)) {
    if (c >= 0x20 && c < 0x7f && c != '\\') {
      text += c;
    } else {
      text += "\\x" + hex_of({&c, 1});
    }
  }
  if (key.size() > kMost) text += "...";
  return text;
}

}  // namespace starbus::storage
