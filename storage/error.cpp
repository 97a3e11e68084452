#include "storage/error.hpp"

#include <array>

namespace starbus::storage {
namespace {

struct Row {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array kRows = {Row{"ok", ""},
#define X(code, meaning, cure) Row{#code, meaning},
                              STARBUS_STORAGE_ERRORS(X)
#undef X
};

}  // namespace

std::string_view name_of(Errc code) {
  return kRows.at(static_cast<std::size_t>(code)).name;
}

std::string_view meaning_of(Errc code) {
  return kRows.at(static_cast<std::size_t>(code)).meaning;
}

std::string Error::to_string() const {
  std::string text(name_of(code));
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

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
