/// The chance of an entity: by name, the same for the same seed, saved and moved with its owner.
#include "entity/chance/luck.hpp"

#include <gmock/gmock.h>

#include "entity/chance/alias_table.hpp"
#include "entity/chance/limits.hpp"
#include "entity/objects/entity_manager.hpp"

namespace starbus::entity {
namespace {

struct RogueState : Properties<RogueState> {
  StateOf<Luck> luck{this};
};
class Rogue final : public EntityOf<Rogue, Entity, Components<Luck>> {
 public:
  static constexpr std::string_view kTypeName = "rogue";
  explicit Rogue(const ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  Luck& luck() { return *component<Luck>(); }
  RogueState state;

 private:
  ~Rogue() override = default;
};

class LuckTest : public testing::Test {
 protected:
  LuckTest() { EXPECT_TRUE(declare_entity<Rogue>(types)); }
  EntityManager manager(TimerWheel& timers) {
    return {types, PersistentIdSource("n", 1),
            [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
            EntityOptions{.timers = &timers}};
  }
  static std::vector<std::uint64_t> draws(Luck& luck, int count) {
    std::vector<std::uint64_t> drawn;
    for (int i = 0; i < count; ++i) {
      drawn.push_back(*luck.draw("loot", [](RandomStream& stream) { return stream.below(1000); }));
      drawn.push_back(*luck.roll("critical", rate) ? 1 : 0);
    }
    return drawn;
  }

  static inline const PseudoRandomRate rate = *PseudoRandomRate::of(0.25);
  EntityFactory types;
  std::uint32_t drawn = 1;
  TimerWheel wheel;
  TimerWheel other_wheel;
  EntityManager here = manager(wheel);
  EntityManager there = manager(other_wheel);
};

TEST_F(LuckTest, TheSameSeedGivesTheSameDraws) {
  Luck& luck = here.create<Rogue>().value()->luck();
  ASSERT_TRUE(luck.seed(5));
  const auto first = draws(luck, 50);
  ASSERT_TRUE(luck.seed(5));
  EXPECT_EQ(draws(luck, 50), first);
  ASSERT_TRUE(luck.seed(6));
  EXPECT_NE(draws(luck, 50), first);
}

TEST_F(LuckTest, EachEntityHasASeedOfItsOwn) {
  Luck& one = here.create<Rogue>().value()->luck();
  Luck& other = here.create<Rogue>().value()->luck();
  EXPECT_NE(draws(one, 20), draws(other, 20));
  EXPECT_NE(one.state().seed, 0U);
}

TEST_F(LuckTest, OneNameDoesNotShiftAnother) {
  Luck& one = here.create<Rogue>().value()->luck();
  Luck& other = here.create<Rogue>().value()->luck();
  ASSERT_TRUE(one.seed(5));
  ASSERT_TRUE(other.seed(5));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(other.roll("stun", rate));
  EXPECT_EQ(draws(one, 50), draws(other, 50));
}

TEST_F(LuckTest, CountsMissesPerEffect) {
  Luck& luck = here.create<Rogue>().value()->luck();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(luck.roll("critical", rate));
    EXPECT_LT(luck.state().misses.get().at("critical"), rate.certain_try());
  }
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(*luck.roll("impossible", PseudoRandomRate()));
  EXPECT_EQ(luck.state().misses.get().at("impossible"), 50U);
}

TEST_F(LuckTest, GoesOnWhereItsEntityMovesTo) {
  Rogue& rogue = *here.create<Rogue>().value();
  ASSERT_TRUE(rogue.luck().seed(5));
  const auto without_move = draws(rogue.luck(), 100);
  ASSERT_TRUE(rogue.luck().seed(5));
  auto with_move = draws(rogue.luck(), 50);
  const auto packed = here.freeze(rogue);
  ASSERT_TRUE(packed);
  EXPECT_FALSE(rogue.luck().roll("critical", rate)) << "nothing is drawn at two places";
  auto* const arrived = static_cast<Rogue*>(there.create_moved(*packed).value());
  const auto rest = draws(arrived->luck(), 50);
  with_move.insert(with_move.end(), rest.begin(), rest.end());
  EXPECT_EQ(with_move, without_move);
}

TEST_F(LuckTest, IsSavedWithItsOwner) {
  Rogue& rogue = *here.create<Rogue>().value();
  static_cast<void>(draws(rogue.luck(), 10));
  Bytes saved;
  ASSERT_TRUE(rogue.state.encode_saved(View::save, saved));
  CreateOptions how;
  how.saved = saved;
  Rogue& loaded = *there.create_with<Rogue>(how).value();
  EXPECT_EQ(draws(loaded.luck(), 10), draws(rogue.luck(), 10));
}

TEST_F(LuckTest, HasALimitOfNames) {
  Luck& luck = here.create<Rogue>().value()->luck();
  for (std::size_t i = 0; i < kMaxStreams; ++i) {
    ASSERT_TRUE(luck.roll("effect" + std::to_string(i), rate));
  }
  EXPECT_EQ(luck.roll("another", rate).error(), ChanceErrc::too_many_streams);
  EXPECT_EQ(luck.draw("another", [](RandomStream& stream) { return stream(); }).error(),
            ChanceErrc::too_many_streams);
  EXPECT_TRUE(luck.roll("effect0", rate));
}

TEST_F(LuckTest, RefusesANameThatNoPropertyTakes) {
  Luck& luck = here.create<Rogue>().value()->luck();
  EXPECT_EQ(luck.roll("", rate).error(), DataErrc::bad_key);
}

}  // namespace
}  // namespace starbus::entity
