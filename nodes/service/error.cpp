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
  if (static_cast<std::size_t>(code) > service_errors().size()) return "unknown";
  return entity::name_in(service_errors(), code);
}

std::string Error::to_string() const {
  std::string text(name_of(code));
  if (!detail.empty()) text += ": " + detail;
  return text;
}

}  // namespace starbus::nodes::service
