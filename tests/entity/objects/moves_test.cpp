// Entities that travel: what arrives, what is refused, and moves that are given up.
#include "entity/properties/properties.hpp"
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {
namespace {

using ::testing::ElementsAre;

struct RiderState : Properties<RiderState> {
  Field<int, Flags::ghost | Flags::save> gold{this, "gold", 100};
};
class Saddle;
class Rider final : public EntityOf<Rider, Thing, Components<Saddle>> {
 public:
  static constexpr std::string_view kTypeName = "rider";
  explicit Rider(const ConstructKey& key) : EntityOf(key, "rider") {}
  entity::Root* properties() override { return &state; }
  RiderState state;
  int speed = 0;
  bool returned = false;

 private:
  ~Rider() override = default;
  EntityResult<> on_before_move(Encoder& out) override {
    out.number(speed);
    return script->note("rider before");
  }
  EntityResult<> on_after_move(Decoder* in) override {
    returned = in == nullptr;
    if (in != nullptr) speed = in->number<int>();
    return script->note(returned ? "rider returned" : "rider arrived");
  }
};
class Saddle final : public ComponentOf<Saddle, Rider> {
 public:
  static constexpr std::string_view kComponentName = "saddle";
  explicit Saddle(const ComponentKey& key) : ComponentOf(key) {}
  std::string colour;

 private:
  ~Saddle() override = default;
  EntityResult<> on_before_move(Encoder& out) override {
    out.text(colour);
    return script->note("saddle before");
  }
  EntityResult<> on_after_move(Decoder* in) override {
    if (in != nullptr) colour = in->text();
    return script->note(in == nullptr ? "saddle returned" : "saddle arrived");
  }
};

class Moves : public ObjectsTest {
 protected:
  Moves() {
    EXPECT_TRUE(declare_entity<Rider>(types));
    rider = entities->create<Rider>().value();
    rider->state.gold = 7;
    rider->speed = 33;
    rider->component<Saddle>()->colour = "red";
    rider->flags().add(EntityFlag::player);
    events.take();
  }
  /// Another process.
  EntityManager there{types, PersistentIdSource("m", 2),
                      []() -> IdentityResult<OnlineId> { return IdentityErrc::no_ids; }};
  Rider* rider;
};

TEST_F(Moves, EverythingArrivesUnderTheSameIds) {
  const Bytes bytes = entities->freeze(*rider).value();
  EXPECT_EQ(rider->life(), EntityState::frozen);
  EXPECT_EQ(entities->find(rider->online_id()), nullptr) << "game code is not to call it";
  EXPECT_EQ(entities->find_here(rider->online_id()), rider);
  EXPECT_EQ(entities->freeze(*rider).error(), EntityErrc::not_alive);
  EXPECT_EQ(rider->add_component<Extra>().error(), EntityErrc::not_alive);
  Entity* arrived = there.create_moved(bytes).value();
  EXPECT_EQ(events.log.size(), 7u);
  EXPECT_THAT(std::vector(events.log.begin(), events.log.begin() + 2),
              ElementsAre("rider before", "saddle before"));
  EXPECT_THAT(std::vector(events.log.end() - 3, events.log.end()),
              ElementsAre("saddle arrived", "rider arrived", "rider activate"));
  Rider* copy = type_cast<Rider>(arrived);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->online_id(), rider->online_id());
  EXPECT_EQ(copy->persistent_id(), "n.1.o7f3a");
  EXPECT_EQ(there.find_persistent("n.1.o7f3a"), copy);
  EXPECT_EQ(copy->state.gold, 7);
  EXPECT_EQ(copy->speed, 33);
  EXPECT_EQ(copy->component<Saddle>()->colour, "red");
  EXPECT_TRUE(copy->flags().has(EntityFlag::player));
  EXPECT_EQ(there.create_moved(bytes).error(), EntityErrc::duplicate_id);
  rider->destroy(EndReason::moved);
  settle();
  // And back again, where it has the name of its online id.
  const Bytes back = there.freeze(*copy).value();
  EXPECT_EQ(entities->create_moved(back).value()->persistent_id(), "n.1.o7f3a");
}

TEST_F(Moves, WatchersStayWhenPropertiesMoveByName) {
  rider->state.watch(Audience::ghost);
  rider->state.watch(Audience::own_client);
  const Bytes bytes = entities->freeze(*rider, MovedForm::by_name).value();
  Rider* copy = type_cast<Rider>(there.create_moved(bytes).value());
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->state.gold, 7);
  EXPECT_EQ(copy->state.watchers(), bit_of(Audience::ghost) | bit_of(Audience::own_client));
  EXPECT_NE(copy->state.version(Audience::ghost).lineage,
            rider->state.version(Audience::ghost).lineage);
  copy->state.gold = 8;
  EXPECT_EQ(copy->state.news(), bit_of(Audience::ghost));

  copy->destroy(EndReason::destroyed);
  ASSERT_TRUE(there.close());
  MovedState state = *MovedState::read(bytes);
  EXPECT_EQ(state.watchers, bit_of(Audience::ghost) | bit_of(Audience::own_client));
  state.watchers = kAudienceBits + 1;  // nobody is that
  Bytes other;
  Encoder out(other);
  state.write(out);
  EXPECT_FALSE(MovedState::read(other));
}

TEST_F(Moves, AMoveThatIsGivenUpGoesOn) {
  ASSERT_TRUE(entities->freeze(*rider));
  events.take();
  ASSERT_TRUE(entities->thaw(*rider));
  EXPECT_THAT(events.take(), ElementsAre("saddle returned", "rider returned"));
  EXPECT_EQ(rider->life(), EntityState::alive);
  EXPECT_TRUE(rider->returned);
  EXPECT_EQ(entities->thaw(*rider).error(), EntityErrc::not_alive);
}

TEST_F(Moves, AHookThatRefusesGivesItUp) {
  events.fail("saddle before");
  EXPECT_EQ(entities->freeze(*rider).error(), EntityErrc::init_failed);
  EXPECT_THAT(events.take(), ElementsAre("rider before", "saddle before", "rider returned"));
  EXPECT_EQ(rider->life(), EntityState::alive);
}

TEST_F(Moves, AMalformedStateLeavesNothing) {
  const Bytes bytes = entities->freeze(*rider).value();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(there.create_moved(ByteView(bytes).first(size)).error(), EntityErrc::bad_state);
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(there.create_moved(longer).error(), EntityErrc::bad_state);
  events.fail("rider arrived");
  EXPECT_EQ(there.create_moved(bytes).error(), EntityErrc::init_failed);
  EXPECT_EQ(there.size(), 0u);
  events.at.clear();
  MovedState state = *MovedState::read(bytes);
  state.type = "dragon";
  Bytes other;
  Encoder out(other);
  state.write(out);
  EXPECT_EQ(there.create_moved(other).error(), EntityErrc::unknown_type);
}

}  // namespace
}  // namespace starbus::entity::objects_test
