#include "entity/rpc/error.hpp"

#include <algorithm>

namespace starbus::entity::rpc {
namespace {

constexpr ErrorRow kErrorRows[] = {
#define X(code, number, meaning, cure) {Errc::code, #code, meaning, cure},
    STARBUS_RPC_ERRORS(X)
#undef X
};

}  // namespace

std::span<const ErrorRow> error_rows() {
  return kErrorRows;
}

std::string_view name_of(Errc code) {
  if (code == Errc::ok) return "ok";
  const auto* row = std::ranges::find(kErrorRows, code, &ErrorRow::code);
  return row == std::end(kErrorRows) ? "unknown" : row->name;
}

bool known_error(std::uint8_t number) {
  return std::ranges::find(kErrorRows, static_cast<Errc>(number), &ErrorRow::code) !=
         std::end(kErrorRows);
}

Error Error::of(const bus::Error& error) {
  Errc code = Errc::bus;
  if (error == bus::Errc::no_owner) code = Errc::no_such_entity;
  if (error == bus::Errc::deadline) code = Errc::deadline;
  if (error == bus::Errc::would_block) code = Errc::would_block;
  if (error == bus::Errc::too_large) code = Errc::too_large;
  if (error == bus::Errc::closed) code = Errc::closed;
  Error result(code, error.detail);
  result.bus = error.code;
  return result;
}

std::string Error::to_string() const {
  std::string text(name_of(code));
  if (code == Errc::bus) text.append(" ").append(bus::name_of(bus));
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

}  // namespace starbus::entity::rpc
