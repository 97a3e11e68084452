#include "nodes/db/error.hpp"

#include <array>

namespace starbus::nodes::db {

std::span<const ErrorInfo> error_catalogue() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo{Errc::code, #code, meaning},
      STARBUS_DB_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(Errc code) {
  if (code == Errc::ok) return "ok";
  return error_catalogue()[static_cast<std::size_t>(code) - 1].name;
}

std::string Error::to_string() const {
  std::string text(name_of(code));
  if (!detail.empty()) text += ": " + detail;
  return text;
}

}  // namespace starbus::nodes::db
