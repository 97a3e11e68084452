/// Types by name, and tests of descent in constant time against walking up.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "entity/identity/factory.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;

class Thing : public TypeRoot<Thing> {
 public:
  static constexpr std::string_view kTypeName = "thing";
  virtual ~Thing() = default;
  explicit Thing(int number) : number_(number), type_within_(&type()) {}
  virtual int number() const { return number_; }
  const TypeInfo& type_within() const { return *type_within_; }

 private:
  int number_;
  const TypeInfo* type_within_;
};
class Actor : public TypedAs<Actor, Thing> {
 public:
  static constexpr std::string_view kTypeName = "actor";
  explicit Actor(int number) : TypedAs(number) {}
  virtual void act() = 0;
};
class Player : public TypedAs<Player, Actor> {
 public:
  static constexpr std::string_view kTypeName = "player";
  explicit Player(int number) : TypedAs(number) {}
  void act() override {}
};
class Trap : public TypedAs<Trap, Thing> {
 public:
  static constexpr std::string_view kTypeName = "trap";
  explicit Trap(int number) : TypedAs(number) {}
};
class AlsoTrap : public TypedAs<AlsoTrap, Thing> {
 public:
  static constexpr std::string_view kTypeName = "trap";
  explicit AlsoTrap(int number) : TypedAs(number) {}
};

using Things = Factory<Thing, int>;

Things& early_things() {
  static Things things;
  return things;
}
const Registered<Player, early_things> early_player;
const Registered<Trap, early_things> early_trap;
const Registered<AlsoTrap, early_things> refused_trap;

TEST(Types, KnowTheirAncestors) {
  Player player(1);
  Trap trap(2);
  Thing& thing = player;
  EXPECT_EQ(thing.type().name(), "player");
  EXPECT_EQ(thing.type().parent(), &type_info<Actor>());
  EXPECT_TRUE(is_type<Player>(thing));
  EXPECT_TRUE(is_type<Actor>(thing));
  EXPECT_TRUE(is_type<Thing>(thing));
  EXPECT_FALSE(is_type<Trap>(thing));
  EXPECT_FALSE(is_type<Actor>(trap));
  EXPECT_FALSE(type_info<Actor>().is_a(type_info<Player>()));
  EXPECT_TRUE(is_exactly<Player>(thing));
  EXPECT_FALSE(is_exactly<Actor>(thing));
  EXPECT_EQ(&player.type_within(), &type_info<Thing>()) << "while its first part is constructed";
}

TEST(Types, CastsToOwnTypesAndBases) {
  Player player(1);
  Thing* thing = &player;
  EXPECT_EQ(type_cast<Actor>(thing), &player);
  EXPECT_EQ(type_cast<Trap>(thing), nullptr);
  EXPECT_EQ(type_cast<Player>(static_cast<Thing*>(nullptr)), nullptr);
  EXPECT_EQ(type_cast<Player>(static_cast<const Thing*>(thing)), &player);
}

RC_GTEST_PROP(TypesProperty, ChainsEqualWalkingUp, ()) {
  std::vector<std::unique_ptr<TypeInfo>> types;
  types.push_back(std::make_unique<TypeInfo>("root", nullptr));
  while (types.size() < 1000) {
    const TypeInfo& parent = *types[*rc::gen::inRange<std::size_t>(0, types.size())];
    if (parent.depth() + 1 == kMaxTypeDepth) continue;
    types.push_back(std::make_unique<TypeInfo>("type", &parent));
  }
  for (int i = 0; i < 1'000; ++i) {
    const TypeInfo& a = *types[*rc::gen::inRange<std::size_t>(0, types.size())];
    const TypeInfo& b = *types[static_cast<std::size_t>(i) % types.size()];
    const TypeInfo* walk = &b;
    while (walk != nullptr && walk != &a) walk = walk->parent();
    RC_ASSERT(b.is_a(a) == (walk == &a));
  }
}

TEST(FactoryTest, MakesByName) {
  Things things;
  ASSERT_TRUE(things.add<Player>());
  ASSERT_TRUE(things.add<Actor>());
  ASSERT_TRUE(things.add<Trap>());
  const auto player = things.make("player", 7);
  ASSERT_TRUE(player);
  EXPECT_TRUE(is_exactly<Player>(**player));
  EXPECT_EQ((*player)->number(), 7);
  EXPECT_EQ(things.make("nobody", 1).error(), IdentityErrc::unknown_type);
  EXPECT_EQ(things.make("actor", 1).error(), IdentityErrc::abstract_type);
  EXPECT_THAT(things.types(),
              ElementsAre(&type_info<Actor>(), &type_info<Player>(), &type_info<Trap>()));
  EXPECT_EQ(things.find("trap"), &type_info<Trap>());
  EXPECT_EQ(things.find("nobody"), nullptr);
}

TEST(FactoryTest, KnowsTypesThatAreNotMadeByName) {
  Things things;
  ASSERT_TRUE(things.declare<Trap>());
  EXPECT_EQ(things.find("trap"), &type_info<Trap>());
  EXPECT_EQ(things.make("trap", 1).error(), IdentityErrc::needs_arguments);
  EXPECT_EQ(things.add<AlsoTrap>().error(), IdentityErrc::duplicate_type);
}

TEST(FactoryTest, RefusesDuplicates) {
  Things things;
  ASSERT_TRUE(things.add<Trap>());
  EXPECT_EQ(things.add<Trap>().error(), IdentityErrc::duplicate_type);
  EXPECT_EQ(things.add<AlsoTrap>().error(), IdentityErrc::duplicate_type);
  EXPECT_TRUE(is_exactly<Trap>(**things.make("trap", 1)));
  EXPECT_THAT(things.refused(), ElementsAre("trap", "trap"));
}

TEST(FactoryTest, TypesRegisterThemselvesBeforeMain) {
  EXPECT_NE(early_things().find("player"), nullptr);
  EXPECT_EQ(early_things().find("trap"), &type_info<Trap>());
  EXPECT_THAT(early_things().refused(), ElementsAre("trap")) << "a node would not start";
}

}  // namespace
}  // namespace starbus::entity
