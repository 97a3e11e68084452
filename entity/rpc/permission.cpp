#include "entity/rpc/permission.hpp"

namespace starbus::entity::rpc {

std::string to_string(Permission permission) {
  const auto bits = static_cast<std::uint8_t>(permission);
  std::string text;
  if ((bits & 3) != 0) text = (bits & 2) != 0 ? "any_client" : "own_client";
  if ((bits & 4) != 0) text += text.empty() ? "gate" : "|gate";
  return text.empty() ? "server" : text;
}

std::string_view name_of(From from) {
  switch (from) {
    case From::server:
      return "server";
    case From::own_client:
      return "own_client";
    case From::any_client:
      return "any_client";
    case From::gate:
      return "gate";
  }
  return "unknown";
}

}  // namespace starbus::entity::rpc
