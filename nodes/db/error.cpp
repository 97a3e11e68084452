#include "nodes/db/error.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::db {

std::span<const ErrorInfo> error_catalogue() {
  using enum Errc;
  static constexpr std::array kRows = {STARBUS_DB_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(Errc code) {
  return entity::name_in(error_catalogue(), code);
}

}  // namespace starbus::nodes::db
