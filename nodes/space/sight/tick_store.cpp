#include "nodes/space/sight/tick_store.hpp"

#include "nodes/space/sight/limits.hpp"

namespace starbus::nodes::sight {

SightCounters& SightCounters::operator+=(const SightCounters& more) {
  for (const auto field :
       {&SightCounters::moves_encoded, &SightCounters::deltas_encoded,
        &SightCounters::snapshots_encoded, &SightCounters::scenes, &SightCounters::enters,
        &SightCounters::leaves, &SightCounters::news, &SightCounters::moves, &SightCounters::bodies,
        &SightCounters::bytes, &SightCounters::too_large, &SightCounters::crowded}) {
    this->*field += more.*field;
  }
  return *this;
}

bool TickStore::full() const {
  return bytes_.size() >= kTickBytes;
}

}  // namespace starbus::nodes::sight
