#include "nodes/space/sight/tick_store.hpp"

#include "nodes/space/sight/limits.hpp"

namespace starbus::nodes::sight {

bool TickStore::full() const {
  return bytes_.size() >= kTickBytes;
}

}  // namespace starbus::nodes::sight
