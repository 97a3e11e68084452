#include "nodes/space/sight/tick_store.hpp"

#include <array>

#include "nodes/space/sight/limits.hpp"

namespace starbus::nodes::sight {

namespace {

constexpr std::array kCounts = {&SightCounters::moves_encoded,
                                &SightCounters::deltas_encoded,
                                &SightCounters::snapshots_encoded,
                                &SightCounters::scenes,
                                &SightCounters::enters,
                                &SightCounters::leaves,
                                &SightCounters::news,
                                &SightCounters::moves,
                                &SightCounters::move_bytes,
                                &SightCounters::bodies,
                                &SightCounters::bytes,
                                &SightCounters::too_large,
                                &SightCounters::crowded};
static_assert(sizeof(SightCounters) ==
                  (kCounts.size() + movement::kViolations) * sizeof(std::uint64_t),
              "one is left out");

}  // namespace

SightCounters& SightCounters::operator+=(const SightCounters& more) {
  for (const auto count : kCounts) this->*count += more.*count;
  for (std::size_t i = 0; i < corrections.size(); ++i) corrections[i] += more.corrections[i];
  return *this;
}

bool TickStore::full() const {
  return bytes_.size() >= kTickBytes;
}

}  // namespace starbus::nodes::sight
