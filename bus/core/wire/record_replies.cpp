#include "bus/core/wire/record_replies.hpp"

namespace starbus::bus {

std::string_view name_of(NackReason reason) {
  switch (reason) {
    case NackReason::gap:
      return "gap";
    case NackReason::lineage:
      return "lineage";
    case NackReason::overflow:
      return "overflow";
    case NackReason::no_owner:
      return "no_owner";
  }
  return "unknown";
}

}  // namespace starbus::bus
