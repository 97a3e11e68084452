/// An entity that is in spaces, and notes how it comes and goes; with a component, a step, a
/// machine.
#pragma once

#include "entity/machines/machine.hpp"
#include "entity/properties/properties.hpp"
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {

struct WalkerState : Properties<WalkerState> {
  Field<int, ghost | Flags::save> gold{this, "gold", 1};
  Field<int, own_client | per_space> steps{this, "steps"};
  Field<int, own_client | per_process> seen{this, "seen"};
};
class Walker;
struct Strolling;
using Gait = Machine<Walker, Strolling>;
struct Strolling {
  static constexpr std::string_view kName = "strolling";
  static constexpr Time kDeadline = std::chrono::seconds(10);
  int rounds = 0;
  void pack(Encoder& out) const { out.number(rounds); }
  void unpack(Decoder& in) { rounds = in.number<int>(); }
  void on_exit(Gait& gait);
  void on(const DeadlinePassed&, Gait& gait);
};
class Cloak;

class Walker final : public EntityOf<Walker, Thing, Components<Cloak>> {
 public:
  static constexpr std::string_view kTypeName = "walker";
  Walker(const ConstructKey& key, TimerWheel& wheel)
      : EntityOf(key, "walker"), gait("gait", *this, wheel, &group) {}
  entity::Root* properties() override { return &state; }
  MachineGroup* machines() override { return &group; }
  void pay(int gold) {
    state.gold += gold;
    static_cast<void>(script->note("pay " + std::to_string(gold)));
  }
  static constexpr auto kSteps = entity::steps(step<&Walker::pay>("pay"));
  WalkerState state;
  MachineGroup group;
  Gait gait;

 private:
  ~Walker() override = default;
  static std::string text(OnlineId space) {
    return std::to_string(static_cast<std::uint64_t>(space));
  }
  EntityResult<> on_before_move(Encoder&) override {
    const MovePlan& plan = *move_plan();
    return script->note("before " + plan.target + ' ' + text(plan.space) +
                        (plan.enter_new_space ? " new" : " same"));
  }
  EntityResult<> on_after_move(Decoder* in) override {
    if (in == nullptr) return script->note("returned");
    return script->note("came for " + text(move_plan()->space));
  }
  EntityResult<> on_enter_space(OnlineId space, EnterReason why) override {
    return script->note("enter " + text(space) + ' ' + std::string(name_of(why)));
  }
  void on_leave_space(OnlineId space, LeaveReason why) override {
    static_cast<void>(script->note("leave " + text(space) + ' ' + std::string(name_of(why))));
  }
  void on_become_ghost() override { static_cast<void>(script->note("ghost")); }
  void on_become_real() override { static_cast<void>(script->note("real")); }
};

inline void Strolling::on_exit(Gait&) {
  static_cast<void>(script->note("-strolling"));
}
inline void Strolling::on(const DeadlinePassed&, Gait& gait) {
  static_cast<void>(script->note("round " + std::to_string(rounds + 1)));
  static_cast<void>(gait.change_to(Strolling{rounds + 1}));
}

class Cloak final : public ComponentOf<Cloak>, public rpc::Callable<Cloak> {
 public:
  static constexpr std::string_view kComponentName = "cloak";
  explicit Cloak(const ComponentKey& key) : ComponentOf(key) {}
  int colour(rpc::Caller&) { return 7; }
  static constexpr auto kRpc = rpc::methods("objects_cloak", rpc::method<&Cloak::colour>("colour"));

 private:
  ~Cloak() override = default;
  void on_become_ghost() override { static_cast<void>(script->note("cloak ghost")); }
  void on_become_real() override { static_cast<void>(script->note("cloak real")); }
};

/// Two processes, and a walker in the space 5 of the first.
class Walkers : public ObjectsTest {
 protected:
  Walkers() {
    for (auto [known, at] : {std::pair(&here_types, &wheel), std::pair(&there_types, &far)}) {
      EXPECT_TRUE(declare_entity<Walker>(
          *known, [at = at](const ConstructKey& key) { return Walker::construct(key, *at); }));
    }
    walker = type_cast<Walker>(here.create_by_name("walker").value());
    EXPECT_TRUE(here.enter_space(*walker, OnlineId{5}));
    walker->state.gold = 7;
    walker->state.steps = 3;
    events.take();
  }
  ~Walkers() override {
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
    for (TimerWheel* each : {&wheel, &far}) {
      while (each->advance(now).more) {
      }
    }
  }
  static void settle(EntityManager& manager) {
    while (manager.settle()) {
    }
  }
  Walker* arrive(EntityManager& at, ByteView state) {
    return type_cast<Walker>(at.create_moved(state).value());
  }

  Time now{};
  TimerWheel wheel, far;
  EntityFactory here_types, there_types;
  EntityManager here = manager(here_types, wheel);
  EntityManager there = manager(there_types, far);
  Walker* walker = nullptr;
};

}  // namespace starbus::entity::objects_test
