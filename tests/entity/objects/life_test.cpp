// The order of a life, what stays of one that fails, and what may be done within hooks.
#include "entity/events/dispatcher.hpp"
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Nobody but the manager makes one, or ends one.
static_assert(!std::is_constructible_v<ConstructKey, EntityRow&, LocalId, OnlineId>);
static_assert(!std::is_copy_constructible_v<ConstructKey> && !std::is_copy_constructible_v<Thing>);
static_assert(!std::is_default_constructible_v<Thing> && !std::is_copy_constructible_v<Bag>);
static_assert(!std::is_constructible_v<ComponentKey, Entity&, const ComponentInfo&>);
template <class T>
concept Deletable = requires(T* object) {
  delete object;
};
static_assert(!Deletable<Thing> && !Deletable<Entity> && !Deletable<Bag> && !Deletable<Monster>);
static_assert(Deletable<Script>, "the concept sees what can be deleted");
static_assert(!std::is_destructible_v<Monster> && !std::is_destructible_v<Bag>);

class Life : public ObjectsTest {};

TEST_F(Life, HooksRunUpInOrderAndDownInReverse) {
  Player* player = entities->create<Player>("alice").value();
  EXPECT_THAT(events.take(),
              ElementsAre("alice made", "alice.bag made", "alice.quests made", "alice.bag init",
                          "alice.quests init", "alice init", "alice.bag activate",
                          "alice.quests activate", "alice activate"));
  EXPECT_EQ(player->life(), EntityState::alive);
  ASSERT_TRUE(entities->enter_space(*player, OnlineId{5}));
  EXPECT_EQ(entities->enter_space(*player, OnlineId{6}).error(), EntityErrc::in_space);
  EXPECT_EQ(player->space(), OnlineId{5});
  EXPECT_THAT(events.take(), ElementsAre("alice.bag enter", "alice.quests enter", "alice enter"));
  entities->destroy(*player);
  EXPECT_THAT(events.take(), IsEmpty()) << "the rest comes with settle";
  EXPECT_EQ(player->life(), EntityState::ending);
  settle();
  EXPECT_THAT(events.take(),
              ElementsAre("alice leave", "alice.quests leave", "alice.bag leave",
                          "alice deactivate destroyed", "alice.quests deactivate destroyed",
                          "alice.bag deactivate destroyed", "alice final", "alice.quests final",
                          "alice.bag final", "alice.quests gone", "alice.bag gone", "alice gone"));
  EXPECT_EQ(entities->size(), 0u);
}

TEST_F(Life, TheFirstFailingHookUndoesTheCreation) {
  events.fail("alice.quests init");
  const auto made = entities->create<Player>("alice");
  ASSERT_EQ(made.error(), EntityErrc::init_failed);
  EXPECT_THAT(made.error().detail,
              HasSubstr("player n.1.o7f3a, component 'quests', init: hook_failed: no gold"));
  EXPECT_THAT(events.take(), ElementsAre("alice made", "alice.bag made", "alice.quests made",
                                         "alice.bag init", "alice.quests init", "alice.bag final",
                                         "alice.quests gone", "alice.bag gone", "alice gone"));
  EXPECT_THAT(watcher.failures, ElementsAre(made.error().detail));
  EXPECT_EQ(entities->size(), 0u);
  EXPECT_EQ(entities->find(OnlineId{0x7f3a}), nullptr);
  EXPECT_EQ(entities->counters().refused, 1u);
  EXPECT_TRUE(watcher.active.empty());
}

TEST_F(Life, AHookOfActivationThatThrowsUndoesInitialisationToo) {
  events.raise("alice activate");
  const auto made = entities->create<Player>("alice");
  ASSERT_EQ(made.error(), EntityErrc::init_failed);
  EXPECT_THAT(made.error().detail, HasSubstr(", activate: hook_threw: a bug"));
  const auto log = events.take();
  ASSERT_EQ(log.size(), 17u);
  EXPECT_THAT(std::vector(log.begin() + 9, log.begin() + 14),
              ElementsAre("alice.quests deactivate destroyed", "alice.bag deactivate destroyed",
                          "alice final", "alice.quests final", "alice.bag final"));
}

TEST_F(Life, AHookOfTheEndThatThrowsIsReportedAndTheRestRuns) {
  events.raise("alice.bag deactivate destroyed");
  events.raise("alice final");
  entities->create<Player>("alice").value()->destroy();
  settle();
  EXPECT_EQ(watcher.failures.size(), 2u);
  EXPECT_THAT(events.take().back(), "alice gone");
  EXPECT_EQ(entities->size(), 0u);
}

TEST_F(Life, AConstructorThatThrowsLeavesNothing) {
  const auto made = entities->create<Monster>(-1);
  ASSERT_EQ(made.error(), EntityErrc::init_failed);
  EXPECT_THAT(made.error().detail, HasSubstr("construct: hook_threw: no such monster"));
  EXPECT_EQ(entities->size(), 0u);
  EXPECT_TRUE(entities->create<Monster>(1));
}

TEST_F(Life, DestroyedWithinItsOwnCreation) {
  for (const std::string when : {"alice.bag init", "alice init", "alice.bag activate"}) {
    events.at[when] = [this]() -> EntityResult<> {
      Entity* player = events.named["alice"];
      EXPECT_EQ(entities->find(player->online_id()) == nullptr,
                player->life() == EntityState::initialising);
      player->destroy();
      player->destroy();
      EXPECT_TRUE(!player->add_component<Extra>());
      return {};
    };
    const auto made = entities->create<Player>("alice");
    EXPECT_EQ(made.error(), EntityErrc::ended) << when;
    EXPECT_EQ(entities->size(), 0u);
    EXPECT_EQ(events.alive, 0);
    events.at.clear();
  }
}

TEST_F(Life, DestroyedEntitiesAreNotFoundAndTheirNamesFreedLater) {
  CreateOptions options;
  options.persistent_id = "alice";
  Player* first = entities->create_with<Player>(options, "alice").value();
  const LocalId local = first->local_id();
  const OnlineId online = first->online_id();
  EXPECT_EQ(entities->find(local), first);
  EXPECT_EQ(entities->find(online), first);
  EXPECT_EQ(entities->find_persistent("alice"), first);
  EXPECT_EQ(entities->find_as<Player>(local), first);
  EXPECT_EQ(entities->find_as<Monster>(local), nullptr);
  entities->destroy(*first);
  EXPECT_EQ(entities->find(local), nullptr);
  EXPECT_EQ(entities->find(online), nullptr);
  EXPECT_EQ(entities->find_persistent("alice"), nullptr);
  EXPECT_EQ(entities->create_with<Player>(options, "again").error(), EntityErrc::duplicate_id);
  settle();
  Player* second = entities->create_with<Player>(options, "again").value();
  EXPECT_EQ(second->local_id().slot(), local.slot());
  EXPECT_EQ(entities->find(local), nullptr) << "stale";
  EXPECT_EQ(entities->find(second->local_id()), second);
}

TEST_F(Life, DestroyWithinHooksOfOthersAndCreationWithinFinal) {
  Thing* victim = entities->create<Thing>("victim").value();
  Thing* heir = nullptr;
  events.at["actor final"] = [&]() -> EntityResult<> {
    victim->destroy();
    heir = entities->create<Thing>("heir").value();
    return {};
  };
  entities->create<Player>("actor").value()->destroy();
  events.take();
  EXPECT_FALSE(entities->settle());
  const auto log = events.take();
  const std::vector<std::string> last(log.end() - 6, log.end());
  EXPECT_THAT(last, ElementsAre("actor.quests gone", "actor.bag gone", "actor gone",
                                "victim deactivate destroyed", "victim final", "victim gone"));
  ASSERT_NE(heir, nullptr);
  EXPECT_EQ(heir->life(), EntityState::alive);
  EXPECT_EQ(entities->size(), 1u);
}

TEST_F(Life, SettleDoesNothingWithinAHookOrAWalkAndIsBounded) {
  for (int i = 0; i < 10; ++i) entities->create<Monster>(i).value();
  int seen = 0;
  entities->for_each<Monster>([&](Monster& monster) {
    ++seen;
    monster.destroy();
    EXPECT_TRUE(entities->settle());
    EXPECT_EQ(monster.life(), EntityState::ending);
  });
  EXPECT_EQ(seen, 10);
  EXPECT_EQ(watcher.wanted, 1);
  EXPECT_TRUE(entities->settle(4));
  EXPECT_EQ(entities->size(), 6u);
  EXPECT_FALSE(entities->settle(6) && entities->settle(1));
  EXPECT_EQ(entities->size(), 0u);
}

TEST_F(Life, ThingsOfAPartEndAtDestroy) {
  TimerWheel wheel;
  Dispatcher<int> dispatcher;
  int fired = 0;
  int heard = 0;
  std::vector<int> ends;
  Player* player = entities->create<Player>("alice").value();
  Bag* bag = player->component<Bag>();
  ASSERT_TRUE(wheel.after(bag->timers(), Time{1}, [&] { ++fired; }));
  ASSERT_TRUE(wheel.after(player->timers(), Time{1}, [&] { ++fired; }));
  ASSERT_TRUE(bag->keep(dispatcher.subscribe([&](int) { ++heard; }).value()));
  ASSERT_TRUE(bag->at_end([&] { ends.push_back(1); }));
  ASSERT_TRUE(bag->at_end([&] { ends.push_back(2); }));
  (void)dispatcher.dispatch(0);
  EXPECT_EQ(heard, 1);
  player->destroy();
  EXPECT_THAT(ends, ElementsAre(2, 1));
  (void)dispatcher.dispatch(0);
  wheel.advance(std::chrono::seconds(1));
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(fired, 0);
  settle();
}

TEST_F(Life, ATimerMayDestroyItsOwnEntity) {
  TimerWheel wheel;
  Player* player = entities->create<Player>("alice").value();
  int fired = 0;
  ASSERT_TRUE(
      wheel.every(player->timers(), Time{1}, std::chrono::milliseconds(1), CatchUp::all, [&] {
        ++fired;
        player->destroy();
      }));
  wheel.advance(std::chrono::seconds(1));
  EXPECT_EQ(fired, 1);
  settle();
}

TEST_F(Life, TooManyClosuresAreRefused) {
  Thing* thing = entities->create<Thing>("thing").value();
  for (std::uint64_t i = 0; i < kMaxAtEnd; ++i) ASSERT_TRUE(thing->at_end([] {}));
  EXPECT_EQ(thing->at_end([] {}).error(), EntityErrc::too_many_closures);
}

TEST_F(Life, ASpaceMayRefuseAndAnEntityMayEndWithinTheEntry) {
  Player* player = entities->create<Player>("alice").value();
  events.take();
  events.fail("alice enter");
  EXPECT_EQ(entities->enter_space(*player, OnlineId{5}).error(), EntityErrc::init_failed);
  EXPECT_EQ(player->space(), OnlineId::none);
  EXPECT_THAT(events.take(), ElementsAre("alice.bag enter", "alice.quests enter", "alice enter",
                                         "alice.quests leave", "alice.bag leave"));
  EXPECT_FALSE(entities->leave_space(*player));
  events.at.clear();
  events.at["alice.bag enter"] = [&]() -> EntityResult<> {
    player->destroy();
    return {};
  };
  EXPECT_EQ(entities->enter_space(*player, OnlineId{5}).error(), EntityErrc::ended);
  EXPECT_EQ(entities->enter_space(*player, OnlineId{5}).error(), EntityErrc::not_alive);
  settle();
  EXPECT_THAT(std::vector(events.log.begin(), events.log.begin() + 2),
              ElementsAre("alice.bag enter", "alice.bag leave"));
}

TEST_F(Life, AnEntryMayBeLeftWithinIt) {
  Player* player = entities->create<Player>("alice").value();
  events.take();
  events.at["alice.quests enter"] = [&]() -> EntityResult<> {
    EXPECT_TRUE(entities->leave_space(*player));
    return {};
  };
  EXPECT_EQ(entities->enter_space(*player, OnlineId{5}).error(), EntityErrc::ended);
  EXPECT_THAT(events.take(),
              ElementsAre("alice.bag enter", "alice.quests enter", "alice.bag leave"));
  EXPECT_EQ(player->space(), OnlineId::none);
  events.at.clear();
  EXPECT_TRUE(entities->enter_space(*player, OnlineId{5}));
  EXPECT_TRUE(entities->leave_space(*player));
}

TEST_F(Life, CloseEndsAllAndEntitiesMadeMeanwhile) {
  for (int i = 0; i < 3; ++i) entities->create<Monster>(i).value();
  events.at["monster1 final"] = [&]() -> EntityResult<> {
    EXPECT_TRUE(entities->create<Thing>("late"));
    return {};
  };
  events.take();
  EXPECT_TRUE(entities->close());
  EXPECT_TRUE(entities->closed());
  EXPECT_THAT(events.take().back(), "late gone");
  EXPECT_EQ(entities->create<Thing>("later").error(), EntityErrc::closed);
}

TEST_F(Life, ACloseIsBoundedIfEndsMakeOthersForEver) {
  int refused = 0;
  events.at["heir final"] = [&]() -> EntityResult<> {
    if (!entities->create<Thing>("heir")) ++refused;
    return {};
  };
  entities->create<Thing>("heir").value();
  EXPECT_EQ(entities->close().error(), EntityErrc::endless_close);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(entities->counters().created, kMaxCloseRounds + 1);
  EXPECT_THAT(watcher.failures, ElementsAre("entities, final: endless_close"));
  EXPECT_TRUE(entities->closed());
}

}  // namespace
}  // namespace starbus::entity::objects_test
