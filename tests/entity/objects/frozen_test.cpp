// Frozen entities: nothing of them runs, and a move that is given up leaves them as they were.
#include "entity/events/dispatcher.hpp"
#include "entity/machines/machine.hpp"
#include "entity/properties/properties.hpp"
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct MinerState : Properties<MinerState> {
  Field<int, own_client> gold{this, "gold", 0};
};
class Miner;
struct Digging;
struct Resting;
using Shift = Machine<Miner, Digging, Resting>;
struct Digging {
  static constexpr std::string_view kName = "digging";
  static constexpr Time kDeadline = 10s;
  int found = 0;
  void pack(Encoder& out) const { out.number(found); }
  void unpack(Decoder& in) { found = in.number<int>(); }
  void on_enter(Shift& shift);
  void on_exit(Shift& shift);
  void on(const DeadlinePassed&, Shift& shift);
};
struct Resting {
  static constexpr std::string_view kName = "resting";
  std::string dream = "gold";  // and no pack()
};
class Lamp;
struct Burning;
struct Smoking;
using Flame = Machine<Lamp, Burning, Smoking>;
struct Burning {
  static constexpr std::string_view kName = "burning";
  static constexpr Time kDeadline = 15min;
  int oil = 3;
  void pack(Encoder& out) const { out.number(oil); }
  void unpack(Decoder& in) { oil = in.number<int>(); }
  void on(const DeadlinePassed&, Flame& flame);
};
struct Smoking {
  static constexpr std::string_view kName = "smoking";
  std::string of = "lamp oil";  // and no pack()
};

class Miner final : public EntityOf<Miner, Thing, Components<Lamp>> {
 public:
  static constexpr std::string_view kTypeName = "miner";
  Miner(const ConstructKey& key, TimerWheel& at)
      : EntityOf(key, "miner"), wheel(at), shift("shift", *this, at, &group) {}
  entity::Root* properties() override { return &state; }
  MachineGroup* machines() override { return &group; }
  void pay(int gold) {
    state.gold += gold;
    static_cast<void>(script->note("pay " + std::to_string(gold)));
  }
  static constexpr auto kSteps = steps(step<&Miner::pay>("pay"));
  MinerState state;
  TimerWheel& wheel;
  MachineGroup group;
  Shift shift;

 private:
  ~Miner() override = default;
  EntityResult<> on_init() override {
    state.gold = 100;  // what a naive class writes for a new one
    return script->note("init " + std::string(name_of(start_reason())));
  }
  EntityResult<> on_activate() override {
    return script->note("activate " + std::string(name_of(start_reason())));
  }
  EntityResult<> on_before_move(Encoder&) override {
    return script->note("before " + std::string(moving_to()));
  }
  EntityResult<> on_after_move(Decoder* in) override {
    return script->note(std::string(in == nullptr ? "returned " : "came ") +
                        std::string(name_of(start_reason())));
  }
  void on_deactivate(EndReason) override { state.gold = 0; }
};
class Lamp final : public ComponentOf<Lamp, Miner> {
 public:
  static constexpr std::string_view kComponentName = "lamp";
  explicit Lamp(const ComponentKey& key)
      : ComponentOf(key), flame("flame", *this, owner().wheel, &group) {}
  MachineGroup* machines() override { return &group; }
  MachineGroup group;
  Flame flame;

 private:
  ~Lamp() override = default;
};

void Digging::on_enter(Shift&) {
  static_cast<void>(script->note("+digging"));
}
void Digging::on_exit(Shift&) {
  static_cast<void>(script->note("-digging"));
}
void Digging::on(const DeadlinePassed&, Shift& shift) {
  ++found;
  shift.owner().pay(found);
  static_cast<void>(shift.change_to(Digging{found}));
}

void Burning::on(const DeadlinePassed&, Flame& flame) {
  static_cast<void>(script->note("oil " + std::to_string(--oil)));
  static_cast<void>(flame.change_to(Burning{oil}));
}

class Frozen : public ObjectsTest {
 protected:
  Frozen() {
    for (auto [known, at] : {std::pair(&here_types, &wheel), std::pair(&there_types, &far)}) {
      EXPECT_TRUE(declare_entity<Miner>(
          *known, [at = at](const ConstructKey& key) { return Miner::construct(key, *at); }));
    }
    miner = type_cast<Miner>(here.create_by_name("miner").value());
    miner->state.gold = 7;
    events.take();
  }
  ~Frozen() override {
    EXPECT_TRUE(here.close());
    EXPECT_TRUE(there.close());
  }
  EntityManager manager(EntityFactory& known, TimerWheel& at) {
    return {known,
            PersistentIdSource("n", 1),
            [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
            {.observer = &watcher, .timers = &at, .cluster_clock = [this] { return now; }}};
  }
  void pass(Time time) {
    now += time;
    while (wheel.advance(now).more) {
    }
    while (far.advance(100h + now).more) {
    }
  }
  Bytes freeze(bool leave_behind = false) {
    return here.freeze(*miner, {.target = "b.y", .leave_behind = leave_behind}).value();
  }

  Time now{};
  TimerWheel wheel;
  TimerWheel far{100h};
  EntityFactory here_types, there_types;
  EntityManager here = manager(here_types, wheel);
  EntityManager there = manager(there_types, far);
  Miner* miner = nullptr;
};

TEST_F(Frozen, NothingOfItRunsAndEachWriteIsRefused) {
  Dispatcher<int> bell;
  ASSERT_TRUE(miner->keep(*bell.subscribe([this](int gold) { miner->pay(gold); })));
  ASSERT_TRUE(wheel.after(miner->timers(), 1s, [this] { miner->pay(1); }));
  Lamp& lamp = *miner->component<Lamp>();
  ASSERT_TRUE(wheel.every(lamp.timers(), 1s, 1s, CatchUp::once, [this] { miner->pay(2); }));
  ASSERT_TRUE(miner->run_later<&Miner::pay>({.first = 1s}, 3));
  static_cast<void>(freeze(true));
  events.take();
  pass(1min);
  ASSERT_TRUE(bell.dispatch(4));
  ASSERT_TRUE(wheel.after(miner->timers(), 0s, [this] { miner->pay(5); }));
  ASSERT_TRUE(wheel.after(lamp.timers(), 0s, [this] { miner->pay(6); }));
  pass(1s);
  EXPECT_THROW(miner->state.gold = 1, BadData);
  EXPECT_EQ(miner->state.gold.set(1).error(), DataErrc::frozen);
  EXPECT_EQ(miner->shift.change_to(Resting{}).error(), MachineErrc::frozen);
  EXPECT_EQ(miner->run_later<&Miner::pay>({.first = 1s}, 7).error(), EntityErrc::not_alive);
  EXPECT_THAT(events.take(), IsEmpty());
  EXPECT_EQ(miner->state.gold, 7);
  EXPECT_EQ(here.find(miner->online_id()), nullptr);
  EXPECT_EQ(here.find_persistent(miner->persistent_id()), nullptr);
  EXPECT_EQ(here.find_here(miner->online_id()), miner);
  std::size_t walked = 0;
  here.for_each<Miner>([&](Miner&) { ++walked; });
  EXPECT_EQ(walked, 0U);
}

TEST_F(Frozen, AMoveThatIsGivenUpWakesItAsItWas) {
  Dispatcher<int> bell;
  ASSERT_TRUE(miner->keep(*bell.subscribe([this](int gold) { miner->pay(gold); })));
  ASSERT_TRUE(wheel.after(miner->timers(), 3s, [this] { miner->pay(3); }));
  ASSERT_TRUE(wheel.after(miner->component<Lamp>()->timers(), 2s, [this] { miner->pay(2); }));
  ASSERT_TRUE(wheel.after(miner->timers(), 40s, [this] { miner->pay(40); }));
  static_cast<void>(freeze(true));
  pass(20s);
  EXPECT_THAT(events.take(), ElementsAre("before b.y"));
  ASSERT_TRUE(here.thaw(*miner));
  EXPECT_THAT(events.take(), ElementsAre("returned resumed"));
  EXPECT_EQ(miner->moving_to(), "");
  pass(0s);
  EXPECT_THAT(events.take(), ElementsAre("pay 2", "pay 3", "pay 1", "-digging", "+digging"))
      << "by their due times: 2, 3, 10 s";
  ASSERT_TRUE(bell.dispatch(5));
  pass(20s);
  EXPECT_THAT(events.take(), Contains("pay 40").Times(1));
  EXPECT_EQ(here.find(miner->online_id()), miner);
}

TEST_F(Frozen, MachinesTravelWithTheRestOfTheirDeadline) {
  pass(10s);  // one piece found
  pass(4s);
  events.take();
  const Bytes bytes = freeze();
  pass(1h);
  Miner* arrived = type_cast<Miner>(there.create_moved(bytes).value());
  miner->destroy(EndReason::moved);
  while (here.settle()) {
  }
  EXPECT_EQ(std::ranges::count(events.log, "-digging"), 0) << "it goes on elsewhere";
  EXPECT_EQ(std::ranges::count(events.log, "+digging"), 0);
  EXPECT_TRUE(arrived->shift.is<Digging>());
  EXPECT_EQ(arrived->shift.state<Digging>()->found, 1);
  events.take();
  pass(6s - 1ms);
  EXPECT_THAT(events.take(), IsEmpty());
  pass(1ms);
  EXPECT_THAT(events.take(), ElementsAre("pay 2", "-digging", "+digging"));
}

TEST_F(Frozen, MachineOfAComponentTravelsWithTheRestOfItsDeadline) {
  pass(15min);
  pass(10min);
  EXPECT_THAT(events.take(), Contains("oil 2").Times(1));
  Flame& flame = miner->component<Lamp>()->flame;
  const Bytes bytes = freeze();
  EXPECT_EQ(flame.change_to(Burning{}).error(), MachineErrc::frozen);
  pass(1h);
  EXPECT_THAT(events.take(), ElementsAre("before b.y")) << "it stands still";
  Miner* arrived = type_cast<Miner>(there.create_moved(bytes).value());
  miner->destroy(EndReason::moved);
  while (here.settle()) {
  }
  Flame& there_too = arrived->component<Lamp>()->flame;
  ASSERT_TRUE(there_too.is<Burning>());
  EXPECT_EQ(there_too.state<Burning>()->oil, 2);
  EXPECT_EQ(there_too.report().in_state, 10min);
  events.take();
  pass(5min - 1ms);
  EXPECT_THAT(events.take(), Not(Contains("oil 1")));
  pass(1ms);
  EXPECT_THAT(events.take(), Contains("oil 1").Times(1));
}

TEST_F(Frozen, MachineOfAComponentWaitsUntilAMoveIsGivenUp) {
  pass(14min);
  static_cast<void>(freeze());
  pass(1h);
  events.take();
  ASSERT_TRUE(here.thaw(*miner));
  Flame& flame = miner->component<Lamp>()->flame;
  EXPECT_EQ(flame.state<Burning>()->oil, 3);
  pass(0s);
  EXPECT_THAT(events.take(), Contains("oil 2").Times(1)) << "once, as late as it is";
  pass(15min);
  EXPECT_THAT(events.take(), Contains("oil 1").Times(1));
  EXPECT_TRUE(flame.change_to(Smoking{}));
}

TEST_F(Frozen, MachineOfAComponentThatCannotTravelKeepsTheEntityHere) {
  Flame& flame = miner->component<Lamp>()->flame;
  ASSERT_TRUE(flame.change_to(Smoking{}));
  const auto refused = here.freeze(*miner);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), EntityErrc::not_movable);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("flame: smoking"));
  EXPECT_TRUE(flame.change_to(Burning{})) << "it goes on";
  EXPECT_TRUE(here.freeze(*miner));
}

TEST_F(Frozen, MachinesStartAndStopWithItsLife) {
  Flame& flame = miner->component<Lamp>()->flame;
  EXPECT_TRUE(flame.running());

  EXPECT_TRUE(miner->shift.running());
  miner->destroy();
  pass(1h);
  EXPECT_THAT(events.take(), IsEmpty()) << "no deadline fires in one that ends";
  while (here.settle()) {
  }
  EXPECT_THAT(events.log, Contains("-digging").Times(1));
}

TEST_F(Frozen, AMachineThatCannotTravelKeepsItHere) {
  ASSERT_TRUE(miner->shift.change_to(Resting{}));
  const auto refused = here.freeze(*miner);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), EntityErrc::not_movable);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("shift: resting"));
  miner->state.gold = 8;
  EXPECT_TRUE(miner->shift.change_to(Digging{}));
}

TEST_F(Frozen, ClosuresAreRefusedAndCountedUnlessLeftBehind) {
  ASSERT_TRUE(wheel.after(miner->timers(), 1s, [this] { miner->pay(1); }));
  ASSERT_TRUE(wheel.after(miner->component<Lamp>()->timers(), 1s, [this] { miner->pay(1); }));
  const auto refused = here.freeze(*miner);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), EntityErrc::busy);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("2 closures of timers()"));
  EXPECT_THAT(events.take(), IsEmpty()) << "no hook has run";
  EXPECT_TRUE(here.freeze(*miner, {.leave_behind = true}));
}

TEST_F(Frozen, HooksKnowWhyTheyRun) {
  const Bytes bytes = freeze();
  EXPECT_THAT(events.take(), ElementsAre("before b.y"));
  Miner* arrived = type_cast<Miner>(there.create_moved(bytes).value());
  EXPECT_THAT(events.take(),
              ElementsAre("miner made", "init arrived", "came arrived", "activate arrived"));
  EXPECT_EQ(arrived->state.gold, 7) << "what on_init writes does not count for one that arrives";
  Bytes saved;
  ASSERT_TRUE(arrived->state.encode_saved(View::save, saved));
  CreateOptions how;
  how.saved = ByteView(saved);
  ASSERT_TRUE(there.create_by_name("miner", how));
  EXPECT_THAT(events.take(),
              ElementsAre("miner made", "init loaded", "activate loaded", "+digging"));
  ASSERT_TRUE(there.create_by_name("miner"));
  EXPECT_THAT(events.take(), ElementsAre("miner made", "init born", "activate born", "+digging"));
}

TEST_F(Frozen, OneThatArrivesRunsNothingBeforeItIsOwned) {
  const Bytes bytes = freeze();
  events.at["init arrived"] = [&]() -> EntityResult<> {
    auto* coming = static_cast<Miner*>(events.named["miner"]);
    EXPECT_TRUE(far.after(coming->timers(), 1s, [coming] { coming->pay(1); }));
    return {};
  };
  const OnlineId id = there.prepare_moved(bytes).value();
  events.take();
  pass(1min);
  EXPECT_THAT(events.take(), IsEmpty());
  ASSERT_TRUE(there.abandon_moved(id));
  EXPECT_EQ(std::ranges::count(events.take(), "-digging"), 0);
  ASSERT_TRUE(there.prepare_moved(bytes));
  pass(1min);
  ASSERT_TRUE(there.activate_moved(id));
  pass(0s);
  EXPECT_THAT(events.take(), Contains("pay 1").Times(1));
}

TEST_F(Frozen, TheHooksOfItsEndMayWrite) {
  static_cast<void>(freeze());
  const std::size_t before = watcher.failures.size();
  miner->destroy(EndReason::moved);
  while (here.settle()) {
  }
  EXPECT_EQ(watcher.failures.size(), before);
}

}  // namespace
}  // namespace starbus::entity::objects_test
