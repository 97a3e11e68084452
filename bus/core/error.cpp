#include "bus/core/error.hpp"

#include <algorithm>
#include <array>

namespace starbus::bus {
namespace {
constexpr std::array kCatalogue = {
#define X(code, number, meaning, cure) ErrorInfo{Errc::code, #code, meaning, cure},
    STARBUS_ERRORS(X)
#undef X
};
}  // namespace

std::span<const ErrorInfo> error_catalogue() {
  return kCatalogue;
}

bool known_error(std::uint16_t number) {
  return std::ranges::any_of(kCatalogue, [&](const ErrorInfo& info) {
    return static_cast<std::uint16_t>(info.code) == number;
  });
}

std::string_view name_of(Errc code) {
  if (code == Errc::ok) return "ok";
  const auto* found = std::ranges::find(kCatalogue, code, &ErrorInfo::code);
  return found == kCatalogue.end() ? std::string_view("unknown") : found->name;
}

std::string Error::to_string() const {
  std::string text(name_of(code));
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

}  // namespace starbus::bus
