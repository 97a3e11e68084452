#include "storage/error.hpp"

namespace starbus::storage {

std::string printable(std::string_view key) {
  constexpr std::size_t kMost = 64;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : key.substr(0, kMost)) {
    if (c >= 0x20 && c < 0x7f && c != '\\') {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text.append({'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  if (key.size() > kMost) text += "...";
  return text;
}

}  // namespace starbus::storage
