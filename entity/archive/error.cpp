#include "entity/archive/error.hpp"

#include <array>

namespace starbus::entity {
namespace {

struct Row {
  std::string_view name;
  std::string_view meaning;
  std::string_view cure;
};
constexpr std::array kRows = {Row{"ok", "", ""},
#define X(code, meaning, cure) Row{#code, meaning, cure},
                              STARBUS_DATA_ERRORS(X)
#undef X
};

}  // namespace

std::string_view name_of(DataErrc code) {
  return kRows.at(static_cast<std::size_t>(code)).name;
}

std::string_view meaning_of(DataErrc code) {
  return kRows.at(static_cast<std::size_t>(code)).meaning;
}

std::string_view cure_of(DataErrc code) {
  return kRows.at(static_cast<std::size_t>(code)).cure;
}

std::string DataError::to_string() const {
  std::string text(name_of(code));
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

}  // namespace starbus::entity
