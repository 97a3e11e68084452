#include "aoi/error.hpp"

#include <array>

namespace starbus::aoi {
namespace {

struct Row {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array kRows = {Row{"ok", ""},
#define X(code, meaning, cure) Row{#code, meaning},
                              STARBUS_AOI_ERRORS(X)
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
  if (*detail != '\0') text.append(": ").append(detail);
  return text;
}

}  // namespace starbus::aoi
