/// The slots of a wheel against plain vectors, over random scripts.
#include "entity/timers/timer_slots.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace starbus::entity {
namespace {

struct Entry {
  std::uint32_t place;
  std::uint32_t timer;
};

/// Five slots of two levels, which are often filled, thinned out and emptied.
class World {
 public:
  World() { slots_.reserve(2); }

  void take(std::uint32_t word) {
    const std::size_t slot = std::array<std::size_t, 5>{0, 63, 64, 255, 256}[word % 5];
    std::vector<Entry>& entries = model_[slot];
    const std::uint32_t amount = word / 5 % 32;
    switch (word / 160 % 4) {
      case 0:
        for (std::uint32_t i = 0; i < amount; ++i) append(slot);
        break;
      case 1:  // the latest, as deadlines do
        for (std::uint32_t i = 0; i < amount && !entries.empty(); ++i)
          remove(slot, entries.size() - 1);
        break;
      case 2:  // the first, as passes do
        for (std::uint32_t i = 0; i < amount && !entries.empty(); ++i) {
          RC_ASSERT(slots_.first(slot) == entries.front().timer);
          remove(slot, 0);
        }
        break;
      default:
        for (std::uint32_t i = 0; i < amount && !entries.empty(); ++i) {
          remove(slot, (word / 640 + i * 7) % entries.size());
        }
        break;
    }
    check();
  }
  void finish() {
    for (auto& [slot, entries] : model_) {
      while (!entries.empty()) {
        RC_ASSERT(slots_.first(slot) == entries.front().timer);
        RC_ASSERT(slots_.ahead(slot) == (entries.size() > 4 ? entries[4].timer : 0));
        remove(slot, 0);
      }
    }
    check();
  }

 private:
  void append(std::size_t slot) {
    const std::uint32_t place = slots_.append(slot, next_);
    RC_ASSERT(place != 0u);
    for (const auto& [other, entries] : model_) {
      RC_ASSERT(std::ranges::find(entries, place, &Entry::place) == entries.end());
    }
    model_[slot].push_back({place, next_++});
  }
  void remove(std::size_t slot, std::size_t at) {
    std::vector<Entry>& entries = model_[slot];
    slots_.remove(entries[at].place);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void check() {
    for (const std::size_t slot : {0U, 62U, 63U, 64U, 254U, 255U, 256U, 300U}) {
      const auto at = model_.find(slot);
      const bool empty = at == model_.end() || at->second.empty();
      RC_ASSERT(slots_.empty(slot) == empty);
      RC_ASSERT(slots_.first(slot) == (empty ? 0 : at->second.front().timer));
      const std::size_t level = slot / TimerSlots::kSlots;
      auto next = slot + 1;
      while (next % TimerSlots::kSlots != 0 && slots_.empty(next)) ++next;
      const auto found = slots_.occupied_above(level, slot % TimerSlots::kSlots);
      RC_ASSERT(found.has_value() == (next % TimerSlots::kSlots != 0));
      if (found) RC_ASSERT(*found == next % TimerSlots::kSlots);
    }
  }

  TimerSlots slots_;
  std::map<std::size_t, std::vector<Entry>> model_;
  std::uint32_t next_ = 1;
};

RC_GTEST_PROP(TimerSlotsProperty, KeepTimersInOrder, (const std::vector<std::uint32_t>& script)) {
  World world;
  for (const std::uint32_t word : script) world.take(word);
  world.finish();
}

TEST(TimerSlots, AChunkIsUsedAgainFromItsEndOnly) {
  TimerSlots slots;
  slots.reserve(1);
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 1; i <= TimerSlots::kPerChunk; ++i) places.push_back(slots.append(7, i));
  slots.remove(places[12]);
  EXPECT_EQ(slots.append(7, 100), places[12]) << "its end";
  slots.remove(places[3]);
  EXPECT_NE(slots.append(7, 101), places[3]) << "a gap: that would be before others";
}

}  // namespace
}  // namespace starbus::entity
