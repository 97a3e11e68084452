// Types, ids, walks, components: what is found, and what is refused before anything exists.
#include "entity/properties/properties.hpp"
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {
namespace {

using ::testing::ElementsAre;

class Finding : public ObjectsTest {};

struct HeroState : Properties<HeroState> {
  Field<int, Flags::save> gold{this, "gold", 100};
  Field<int> mood{this, "mood"};
};
class Hero final : public EntityOf<Hero, Thing> {
 public:
  static constexpr std::string_view kTypeName = "hero";
  explicit Hero(const ConstructKey& key) : EntityOf(key, "hero") {}
  entity::Root* properties() override { return &state; }
  HeroState state;

 private:
  ~Hero() override = default;
};
class AlsoHero final : public EntityOf<AlsoHero, Thing> {
 public:
  static constexpr std::string_view kTypeName = "hero";
  explicit AlsoHero(const ConstructKey& key) : EntityOf(key) {}

 private:
  ~AlsoHero() override = default;
};
/// Keeps its key.
class Twin final : public EntityOf<Twin, Thing> {
 public:
  static constexpr std::string_view kTypeName = "twin";
  explicit Twin(const ConstructKey& key, bool first = true) : EntityOf(key, "twin") {
    if (first) new Twin(key, false);
  }

 private:
  ~Twin() override = default;
};

TEST_F(Finding, ByNameOfTheType) {
  Entity* thing = entities->create_by_name("thing").value();
  EXPECT_TRUE(is_exactly<Thing>(*thing));
  EXPECT_EQ(
      entities->create_by_name("dragon").error().to_string(),
      "unknown_type: dragon: not declared in this process; declare<T>() its class at start-up");
  EXPECT_EQ(entities->create_by_name("actor").error(), EntityErrc::abstract_type);
  EXPECT_EQ(entities->create_by_name("monster").error(), EntityErrc::needs_arguments);
  const auto undeclared = entities->create<Hero>();
  EXPECT_EQ(undeclared.error(), EntityErrc::unknown_type) << "not declared";
  EXPECT_NE(undeclared.error().detail.find("declare<T>()"), std::string::npos);
  std::vector<std::string_view> names;
  for (const TypeInfo* type : entities->types().types()) names.push_back(type->name());
  EXPECT_THAT(names, ElementsAre("actor", "monster", "player", "thing"));
  EXPECT_EQ(entities->counters().refused, 4u);
}

TEST_F(Finding, TwoTypesOfOneNameStopEverything) {
  EXPECT_TRUE(declare_entity<Hero>(types));
  EXPECT_EQ(declare_entity<AlsoHero>(types).error(), IdentityErrc::duplicate_type);
  EXPECT_EQ(entities->create<Hero>().error().to_string(), "duplicate_type: hero");
  EXPECT_EQ(entities->create<Thing>().error(), EntityErrc::duplicate_type);
}

TEST_F(Finding, WithoutAnOnlineIdNothingIsMade) {
  EntityManager empty(types, PersistentIdSource("n", 1),
                      [] { return IdentityResult<OnlineId>(IdentityErrc::no_ids); });
  EXPECT_EQ(empty.create<Thing>().error(), EntityErrc::no_ids);
  EXPECT_TRUE(events.take().empty());
  CreateOptions moved;
  moved.online_id = OnlineId{77};
  EXPECT_TRUE(empty.create_with<Thing>(moved)) << "it brings its own";
  EXPECT_EQ(empty.create_with<Thing>(moved).error(), EntityErrc::duplicate_id);
}

TEST_F(Finding, ALimit) {
  EntityManager small(types, PersistentIdSource("n", 1),
                      [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); }, {.most = 2});
  Thing* first = small.create<Thing>().value();
  ASSERT_TRUE(small.create<Thing>());
  EXPECT_EQ(small.create<Thing>().error(), EntityErrc::too_many_entities);
  first->destroy();
  EXPECT_EQ(small.create<Thing>().error(), EntityErrc::too_many_entities) << "it is still here";
  small.settle();
  EXPECT_TRUE(small.create<Thing>());
}

TEST_F(Finding, PersistentIdsAreMadeFromOnlineIdsUnlessTheyAreGiven) {
  Thing* plain = entities->create<Thing>().value();
  EXPECT_EQ(plain->persistent_id(), "n.1.o7f3a");
  EXPECT_EQ(entities->find_persistent("n.1.o7f3a"), plain);
  for (const char* none : {"n.1.o07f3a", "n.1.o7F3A", "n.1.o", "n.1.7f3a", "m.1.o7f3a", ""}) {
    EXPECT_EQ(entities->find_persistent(none), nullptr) << none;
  }
  CreateOptions named;
  named.persistent_id = "alice";
  Thing* alice = entities->create_with<Thing>(named).value();
  EXPECT_EQ(alice->persistent_id(), "alice");
  EXPECT_EQ(entities->find_persistent("n.1.o7f3b"), nullptr) << "is not her name";
  named.persistent_id = "n.1.o7f3c";
  EXPECT_EQ(entities->create_with<Thing>(named).error(), EntityErrc::duplicate_id) << "another's";
  named.online_id = OnlineId{0x7f3c};
  EXPECT_TRUE(entities->create_with<Thing>(named));
  named = {};
  named.persistent_id = std::string(kMaxPersistentId + 1, 'x');
  EXPECT_EQ(entities->create_with<Thing>(named).error(), EntityErrc::bad_id);
  named.persistent_id = "a\nb";
  EXPECT_EQ(entities->create_with<Thing>(named).error(), EntityErrc::bad_id);
}

TEST_F(Finding, WalksGoByTypeAndAgeAndAllowChanges) {
  const auto names = [&](auto walk) {
    std::vector<std::string> seen;
    walk([&](Thing& thing) { seen.push_back(thing.name()); });
    return seen;
  };
  entities->create<Monster>(1).value();
  entities->create<Player>("alice").value();
  Monster* second = entities->create<Monster>(2).value();
  entities->create<Player>("bob").value();
  EXPECT_THAT(names([&](auto visit) { entities->for_each<Thing>(visit); }),
              ElementsAre("monster1", "monster2", "alice", "bob"));
  EXPECT_THAT(names([&](auto visit) { entities->for_each<Actor>(visit); }),
              ElementsAre("alice", "bob"));
  EXPECT_TRUE(names([&](auto visit) { entities->for_each_exactly<Thing>(visit); }).empty());
  std::vector<std::string> seen;
  entities->for_each<Monster>([&](Monster& monster) {
    seen.push_back(monster.name());
    second->destroy();
    entities->create<Monster>(3 + static_cast<int>(seen.size())).value();
  });
  EXPECT_THAT(seen, ElementsAre("monster1")) << "neither what has ended nor what is new";
  settle();
  EXPECT_THAT(names([&](auto visit) { entities->for_each<Monster>(visit); }),
              ElementsAre("monster1", "monster4"));
  ASSERT_EQ(entities->rows().size(), 2u);
  EXPECT_EQ(entities->rows()[0].created, 3u);
  EXPECT_EQ(entities->rows()[0].ended, 1u);
}

TEST_F(Finding, OrderStaysAfterManyEnds) {
  std::vector<Monster*> all;
  for (int i = 0; i < 1000; ++i) all.push_back(entities->create<Monster>(i).value());
  for (int i = 0; i < 1000; ++i) {
    if (i % 5 != 0) all[static_cast<std::size_t>(i)]->destroy();
  }
  settle();
  EXPECT_LT(entities->rows()[0].slots.size(), 500u) << "what has gone is forgotten";
  int next = 0;
  entities->for_each<Monster>([&](Monster& monster) {
    EXPECT_EQ(monster.name(), "monster" + std::to_string(next));
    next += 5;
  });
  EXPECT_EQ(next, 1000);
}

TEST_F(Finding, SavedPropertiesAreThereBeforeTheHooks) {
  EXPECT_TRUE(declare_entity<Hero>(types));
  Hero* first = entities->create<Hero>().value();
  first->state.gold = 7;
  first->state.mood = 3;
  Bytes saved;
  ASSERT_TRUE(first->state.encode_saved(View::save, saved));
  CreateOptions loaded;
  loaded.saved = saved;
  int gold = 0;
  events.at["hero init"] = [&]() -> EntityResult<> {
    gold = static_cast<Hero*>(events.named["hero"])->state.gold;
    return {};
  };
  ASSERT_TRUE(entities->create_by_name("hero", loaded));
  EXPECT_EQ(gold, 7);
  EXPECT_EQ(entities->create_by_name("thing", loaded).error(), EntityErrc::bad_state);
  loaded.saved = ByteView(saved).first(3);
  EXPECT_EQ(entities->create_by_name("hero", loaded).error(), EntityErrc::bad_state);
  EXPECT_EQ(entities->size(), 2u);
}

TEST_F(Finding, AKeyIsForOneEntity) {
  EXPECT_TRUE(declare_entity<Twin>(types));
  EXPECT_EQ(entities->create<Twin>().error(), EntityErrc::init_failed);
  EXPECT_EQ(entities->size(), 0u);
  EXPECT_TRUE(entities->create<Thing>());
}

// --- components ----------------------------------------------------------------------------------

TEST_F(Finding, ComponentsByClass) {
  Player* player = entities->create<Player>("alice").value();
  ASSERT_NE(player->component<Bag>(), nullptr);
  EXPECT_EQ(&player->component<Quests>()->owner(), player);
  EXPECT_EQ(player->component<Extra>(), nullptr);
  EXPECT_EQ(player->components().size(), 2u);
  Thing* thing = entities->create<Thing>().value();
  EXPECT_EQ(thing->component<Bag>(), nullptr);
}

TEST_F(Finding, ComponentsThatAreAddedLater) {
  Player* player = entities->create<Player>("alice").value();
  ASSERT_TRUE(entities->enter_space(*player, OnlineId{5}));
  events.take();
  Extra* extra = player->add_component<Extra>().value();
  EXPECT_EQ(player->component<Extra>(), extra);
  EXPECT_THAT(events.take(), ElementsAre("alice.extra made", "alice.extra init",
                                         "alice.extra activate", "alice.extra enter"));
  EXPECT_EQ(player->add_component<Extra>().error().to_string(), "duplicate_component: extra");
  EXPECT_EQ(player->add_component<OtherBag>().error(), EntityErrc::duplicate_component)
      << "the same methods";
  EXPECT_EQ(player->component<OtherBag>(), nullptr);
  Thing* thing = entities->create<Thing>().value();
  EXPECT_EQ(thing->add_component<Quests>().error(), EntityErrc::wrong_owner);
  EXPECT_TRUE(thing->add_component<OtherBag>());
  player->destroy();
  EXPECT_EQ(player->add_component<Extra>().error(), EntityErrc::not_alive);
  events.take();
  settle();
  EXPECT_THAT(events.take().front(), "alice leave");
}

TEST_F(Finding, AFailingComponentIsDroppedAndOthersStay) {
  Thing* thing = entities->create<Thing>("thing").value();
  events.fail("thing.bag init");
  EXPECT_EQ(thing->add_component<Bag>().error(), EntityErrc::init_failed);
  EXPECT_EQ(thing->component<Bag>(), nullptr);
  EXPECT_TRUE(thing->rpc_components().empty());
  events.at.clear();
  events.take();
  events.fail("thing.bag activate");
  EXPECT_EQ(thing->add_component<Bag>().error(), EntityErrc::init_failed);
  EXPECT_THAT(events.take(), ElementsAre("thing.bag made", "thing.bag init", "thing.bag activate",
                                         "thing.bag final", "thing.bag gone"));
  events.at.clear();
  EXPECT_TRUE(thing->add_component<Bag>());
  EXPECT_EQ(thing->rpc_components().size(), 1u);
}

TEST_F(Finding, AHookMayAddComponents) {
  events.at["alice.bag init"] = [this]() -> EntityResult<> {
    EXPECT_TRUE(events.named["alice"]->add_component<Extra>());
    return {};
  };
  ASSERT_TRUE(entities->create<Player>("alice"));
  EXPECT_THAT(events.take(),
              ElementsAre("alice made", "alice.bag made", "alice.quests made", "alice.bag init",
                          "alice.extra made", "alice.extra init", "alice.quests init", "alice init",
                          "alice.bag activate", "alice.quests activate", "alice.extra activate",
                          "alice activate"));
}

}  // namespace
}  // namespace starbus::entity::objects_test
