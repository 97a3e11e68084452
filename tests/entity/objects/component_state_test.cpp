/// Components that are written once for owners of any class: with a state of their own in the
/// properties of each, and with steps.
#include "entity/objects/component_state.hpp"

#include "entity/properties/json/inspect.hpp"
#include "entity/properties/properties.hpp"
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Thingy : Struct<Thingy> {
  Field<int> kind{this, "kind"};
};
struct SackState : Struct<SackState> {
  Field<int, own_client | Flags::save> weight{this, "weight"};
  entity::Bag<Thingy, own_client | Flags::save> items{this, "items", 8};
  Field<int, server_only> secret{this, "secret"};
};
/// It knows nothing of its owners but that they are entities.
class Sack final : public ComponentOf<Sack>, public rpc::Callable<Sack> {
 public:
  static constexpr std::string_view kComponentName = "sack";
  using State = SackState;
  static constexpr auto kStateFlags = own_client | Flags::save;
  explicit Sack(const ComponentKey& key) : ComponentOf(key) {}
  bool add(rpc::Caller&, std::int64_t key, int kind) { return put(key, kind); }
  bool put(std::int64_t key, int kind) {
    Thingy thing;
    thing.kind = kind;
    state().weight += 1;
    return state().items.insert(key, std::move(thing)).has_value();
  }
  void rot(int by) { state().weight -= by; }
  EntityResult<std::uint64_t> rot_later(Time first, int by) {
    return entity().run_later<&Sack::rot>({.first = first}, by);
  }
  static constexpr auto kRpc = rpc::methods("test_sack", rpc::method<&Sack::add>("add"));
  static constexpr auto kSteps = steps(step<&Sack::rot>("rot"));

 private:
  ~Sack() override = default;
};

struct MuleState : Properties<MuleState> {
  Field<int, all_clients> hp{this, "hp", 10};
  StateOf<Sack> sack{this};
};
struct CartState : Properties<CartState> {
  StateOf<Sack> sack{this};
  Field<int, all_clients> wheels{this, "wheels", 4};
};
template <class Self, class State>
class Carrier : public EntityOf<Self, Entity, Components<Sack>> {
 public:
  explicit Carrier(const ConstructKey& key) : EntityOf<Self, Entity, Components<Sack>>(key) {}
  entity::Root* properties() override { return &state; }
  Sack& sack() { return *this->template component<Sack>(); }
  State state;

 protected:
  ~Carrier() override = default;
};
class Mule final : public Carrier<Mule, MuleState> {
 public:
  static constexpr std::string_view kTypeName = "mule";
  using Carrier::Carrier;

 private:
  ~Mule() override = default;
};
class Cart final : public Carrier<Cart, CartState> {
 public:
  static constexpr std::string_view kTypeName = "cart";
  using Carrier::Carrier;

 private:
  ~Cart() override = default;
};
struct BareState : Properties<BareState> {
  entity::Bag<SackState, own_client> sack{this, "sack", 3};  // the name and the class, but of items
};
class Bare final : public Carrier<Bare, BareState> {
 public:
  static constexpr std::string_view kTypeName = "bare";
  using Carrier::Carrier;

 private:
  ~Bare() override = default;
};

class ComponentState : public ObjectsTest {
 protected:
  ComponentState() {
    EXPECT_TRUE(declare_entity<Mule>(types));
    EXPECT_TRUE(declare_entity<Cart>(types));
    EXPECT_TRUE(declare_entity<Bare>(types));
  }
  EntityManager manager(TimerWheel& timers) {
    return {types, PersistentIdSource("n", 1),
            [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
            EntityOptions{.timers = &timers, .cluster_clock = [this] { return now; }}};
  }
  Time now{};
  TimerWheel wheel;
  TimerWheel other_wheel;
  EntityManager here = manager(wheel);
  EntityManager there = manager(other_wheel);
};

TEST_F(ComponentState, StandsInThePropertiesOfEachOwnerUnderTheComponentsName) {
  Mule& mule = *here.create<Mule>().value();
  Cart& cart = *here.create<Cart>().value();
  EXPECT_TRUE(mule.sack().put(1, 7));
  EXPECT_TRUE(cart.sack().put(2, 8));
  EXPECT_EQ(mule.state.sack->items.at(1).kind, 7);
  EXPECT_EQ(cart.state.sack->items.at(2).kind, 8);
  EXPECT_EQ(mule.state.get("sack.weight").value(), 1);
  EXPECT_EQ(mule.state.schema().fields()[1].name, "sack");
}

TEST_F(ComponentState, ChangesAreTheOwnersWithTheFlagsOfTheComponent) {
  Mule& mule = *here.create<Mule>().value();
  MuleState copy;
  copy.become_replica(Audience::own_client);
  mule.state.watch(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(mule.state.encode_snapshot(View::own_client, bytes));
  ASSERT_TRUE(copy.apply_snapshot(bytes));
  std::vector<std::string> paths;
  ASSERT_TRUE(copy.observe("sack", [&](const Change& change) { paths.push_back(change.path); }));
  mule.sack().put(1, 7);
  mule.sack().state().secret = 5;
  ASSERT_TRUE(
      mule.state.flush([&](Audience, ByteView news) { ASSERT_TRUE(copy.apply_delta(news)); }));
  EXPECT_THAT(paths, ElementsAre("sack.weight", "sack.items"));
  EXPECT_EQ(copy.sack->items.at(1).kind, 7);
  EXPECT_EQ(copy.sack->secret, 0);
  Bytes others;
  MuleState stranger;
  stranger.become_replica(Audience::other_clients);
  ASSERT_TRUE(mule.state.encode_snapshot(View::other_clients, others));
  ASSERT_TRUE(stranger.apply_snapshot(others));
  EXPECT_EQ(stranger.sack->weight, 0) << "only the own client sees it";
}

TEST_F(ComponentState, IsSavedAndLoadedWithItsOwner) {
  Mule& mule = *here.create<Mule>().value();
  mule.sack().put(1, 7);
  Bytes saved;
  ASSERT_TRUE(mule.state.encode_saved(View::save, saved));
  CreateOptions how;
  how.saved = saved;
  Mule& loaded = *there.create_with<Mule>(how).value();
  EXPECT_EQ(loaded.sack().state().weight, 1);
  EXPECT_EQ(loaded.sack().state().items.at(1).kind, 7);
}

TEST_F(ComponentState, TravelsWithItsOwnerAndSoDoItsSteps) {
  Mule& mule = *here.create<Mule>().value();
  mule.sack().put(1, 7);
  mule.sack().put(2, 7);
  ASSERT_TRUE(mule.sack().rot_later(5s, 2));
  EXPECT_EQ(mule.waiting<&Sack::rot>(), 1U);
  const auto packed = here.freeze(mule);
  ASSERT_TRUE(packed);
  auto* arrived = static_cast<Mule*>(there.create_moved(*packed).value());
  EXPECT_EQ(arrived->waiting<&Sack::rot>(), 1U);
  EXPECT_EQ(arrived->sack().state().weight, 2);
  now += 6s;
  other_wheel.advance(now);
  EXPECT_EQ(arrived->sack().state().weight, 0) << "the step has run there";
}

TEST_F(ComponentState, AnOwnerWithoutItRefusesTheComponent) {
  const auto bare = here.create<Bare>();
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error(), EntityErrc::wrong_owner);
  EXPECT_THAT(bare.error().to_string(),
              HasSubstr("sack: the owner's properties have no StateOf for it"));
}

}  // namespace
}  // namespace starbus::entity::objects_test
