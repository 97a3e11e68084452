#include "nodes/service/error.hpp"

#include <array>

namespace starbus::nodes::service {

std::span<const ErrorInfo> service_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo{Errc::code, #code, meaning},
      STARBUS_SERVICE_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(Errc code) {
  return entity::name_in(service_errors(), code);
}

}  // namespace starbus::nodes::service
