#include "nodes/service/error.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::service {

std::span<const ErrorInfo> service_errors() {
  using enum Errc;
  static constexpr std::array kRows = {STARBUS_SERVICE_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(Errc code) {
  return entity::name_in(service_errors(), code);
}

}  // namespace starbus::nodes::service
