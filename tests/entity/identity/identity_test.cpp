/// Ids that are never given out twice, and sources that never run dry unseen.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "entity/identity/flags.hpp"
#include "entity/identity/id_sources.hpp"
#include "entity/identity/slot_table.hpp"

namespace starbus::entity {
namespace {

TEST(PersistentIds, ContainNodeAndStart) {
  PersistentIdSource source("space-1", 0x18c2f3a9b00);
  EXPECT_EQ(source.next(), "space-1.18c2f3a9b00.1");
  EXPECT_EQ(source.next(), "space-1.18c2f3a9b00.2");
  PersistentIdSource restarted("space-1", 0x18c2f3a9b01);
  EXPECT_NE(restarted.next(), "space-1.18c2f3a9b00.1");
}

TEST(PersistentIds, AreMadeFromOnlineIdsAndReadBack) {
  PersistentIdSource source("space-1", 0x18c2f3a9b00);
  EXPECT_EQ(source.of(OnlineId{0x7f3a}), "space-1.18c2f3a9b00.o7f3a");
  for (const std::uint64_t id :
       {std::uint64_t{1}, std::uint64_t{0x7f3a}, std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_EQ(source.read(source.of(OnlineId{id})), OnlineId{id});
  }
  for (const char* other :
       {"space-1.18c2f3a9b00.7f3a", "space-1.18c2f3a9b00.o", "", "space-1.18c2f3a9b00.o07f3a",
        "space-1.18c2f3a9b00.o7F3A", "space-1.18c2f3a9b00.o7f3ax", "space-2.18c2f3a9b00.o7f3a",
        "space-1.18c2f3a9b00.x7f3a", "space-1.18c2f3a9b00.o10000000000000000"}) {
    EXPECT_FALSE(source.read(other)) << other;
  }
}

TEST(SlotTable, APlaceMayBeReservedBeforeItsObjectExists) {
  SlotTable<int> table;
  int one = 1;
  const LocalId id = *table.reserve();
  EXPECT_EQ(table.find(id), nullptr);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.id_at(id.slot()), id);
  table.fill(id, one);
  EXPECT_EQ(table.find(id), &one);
  EXPECT_EQ(table.at(id.slot()), &one);
  EXPECT_TRUE(table.erase(id));
  const LocalId unused = *table.reserve();
  table.give_back(unused);
  const LocalId next = *table.insert(one);
  EXPECT_EQ(next.slot(), unused.slot());
  EXPECT_EQ(table.find(unused), nullptr);
  EXPECT_EQ(table.at(1000), nullptr);
}

TEST(SlotTable, FindsTheNewAndNotTheOldInTheSameSlot) {
  SlotTable<int> table;
  int one = 1;
  int two = 2;
  const LocalId first = *table.insert(one);
  EXPECT_NE(first.slot(), 0u) << "is nobody's";
  EXPECT_EQ(table.find(first), &one);
  EXPECT_TRUE(table.erase(first));
  EXPECT_FALSE(table.erase(first));
  const LocalId second = *table.insert(two);
  EXPECT_EQ(second.slot(), first.slot());
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.find(second), &two);
  EXPECT_EQ(LocalId::from_value(second.value()), second);
}

TEST(SlotTable, FindsNothingForUnknownIds) {
  SlotTable<int> table;
  int one = 1;
  const LocalId id = *table.insert(one);
  EXPECT_EQ(table.find({}), nullptr);
  EXPECT_FALSE(table.erase({}));
  EXPECT_EQ(table.find(LocalId(0, 1)), nullptr);
  EXPECT_EQ(table.find(LocalId(id.slot(), 0)), nullptr);
  EXPECT_EQ(table.find(LocalId(id.slot() + 1, 1)), nullptr);
  EXPECT_EQ(table.find(LocalId(0xffff'ffff, 0xffff'ffff)), nullptr);
}

TEST(SlotTable, ASlotWhoseSaltsAreUsedUpIsRetired) {
  SlotTable<int, 3> table;
  int one = 1;
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 10; ++i) {
    const LocalId id = *table.insert(one);
    EXPECT_TRUE(ids.insert(id.value()).second);
    EXPECT_TRUE(table.erase(id));
  }
  for (const std::uint64_t value : ids) {
    EXPECT_EQ(table.find(LocalId::from_value(value)), nullptr);
  }
  EXPECT_EQ(table.size(), 0u);
}

TEST(SlotTable, HasALimit) {
  SlotTable<int> table;
  int one = 1;
  LocalId last;
  for (std::uint64_t i = 0; i < kMaxSlots; ++i) last = *table.insert(one);
  EXPECT_EQ(table.insert(one).error(), IdentityErrc::too_many_objects);
  EXPECT_TRUE(table.erase(last));
  EXPECT_TRUE(table.insert(one));
}

RC_GTEST_PROP(SlotTableProperty, BehavesLikeAMap, (const std::vector<std::int16_t>& script)) {
  SlotTable<int, 5> table;
  std::vector<std::unique_ptr<int>> objects;
  std::map<std::uint64_t, int*> model;
  std::set<std::uint64_t> given;
  for (const std::int16_t step : script) {
    if (step >= 0 || model.empty()) {
      objects.push_back(std::make_unique<int>(step));
      const LocalId id = *table.insert(*objects.back());
      RC_ASSERT(given.insert(id.value()).second);
      model[id.value()] = objects.back().get();
    } else {
      const auto at = std::next(model.begin(), -step % static_cast<int>(model.size()));
      RC_ASSERT(table.erase(LocalId::from_value(at->first)));
      model.erase(at);
    }
    RC_ASSERT(table.size() == model.size());
    for (const std::uint64_t value : given) {
      const auto found = model.find(value);
      RC_ASSERT(table.find(LocalId::from_value(value)) ==
                (found == model.end() ? nullptr : found->second));
    }
    std::size_t visited = 0;
    table.for_each([&](int&) { ++visited; });
    RC_ASSERT(visited == model.size());
  }
}

TEST(FlagSet, AddsRemovesAndCompares) {
  EntityFlags flags(EntityFlag::player, EntityFlag::ghost);
  EXPECT_TRUE(flags.has(EntityFlag::player));
  EXPECT_FALSE(flags.has(EntityFlag::dead));
  flags.set(EntityFlag::dead, true);
  flags.remove(EntityFlag::ghost);
  EXPECT_TRUE(flags.has_all(EntityFlags(EntityFlag::player, EntityFlag::dead)));
  EXPECT_FALSE(flags.has_all(EntityFlags(EntityFlag::player, EntityFlag::ghost)));
  EXPECT_TRUE(flags.has_any(EntityFlags(EntityFlag::ghost, EntityFlag::dead)));
  EXPECT_EQ(EntityFlags::from_bits(flags.bits()), flags);
  enum class Mine { last = 63 };
  EXPECT_EQ(FlagSet<Mine>(Mine::last).bits(), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace starbus::entity
