#include "nodes/gate/core/partings.hpp"

namespace starbus::nodes::gate {

std::string_view name_of(CloseReason reason) {
  switch (reason) {
    case CloseReason::version:
      return "version";
    case CloseReason::malformed:
      return "malformed";
    case CloseReason::too_large:
      return "too_large";
    case CloseReason::idle:
      return "idle";
    case CloseReason::too_many:
      return "too_many";
    case CloseReason::denied:
      return "denied";
    case CloseReason::banned:
      return "banned";
    case CloseReason::full:
      return "full";
    case CloseReason::token:
      return "token";
    case CloseReason::token_reused:
      return "token_reused";
    case CloseReason::window:
      return "window";
    case CloseReason::replaced:
      return "replaced";
    case CloseReason::ended:
      return "ended";
    case CloseReason::too_slow:
      return "too_slow";
    case CloseReason::later:
      return "later";
    case CloseReason::leaving:
      return "leaving";
    case CloseReason::taken_over:
      return "taken_over";
    case CloseReason::fault:
      return "fault";
  }
  return "?";
}

}  // namespace starbus::nodes::gate
