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
  return entity::name_in(error_catalogue(), code);
}

}  // namespace starbus::nodes::db
