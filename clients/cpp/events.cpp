#include "clients/cpp/events.hpp"

namespace starbus::game {

std::string_view name_of(EndReason reason) {
  if (reason == EndReason::unreachable) return "unreachable";
  if (reason == EndReason::bye) return "bye";
  return name_of(static_cast<CloseReason>(reason));
}

Advice advice_of(EndReason reason) {
  switch (reason) {
    case EndReason::version:
    case EndReason::malformed:
    case EndReason::too_large:
      return Advice::update;
    case EndReason::denied:
    case EndReason::replaced:
      return Advice::ask_player;
    case EndReason::banned:
    case EndReason::ended:
      return Advice::show_text;
    case EndReason::taken_over:
    case EndReason::bye:
      return Advice::nothing;
    default:
      return Advice::log_in;
  }
}

}  // namespace starbus::game
