// Timers that travel with their entity: what runs, when, where, and what is refused.
#include "tests/entity/objects/world.hpp"

namespace starbus::entity::objects_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Walker : public EntityOf<Walker, Thing> {
 public:
  static constexpr std::string_view kTypeName = "walker";
  explicit Walker(const ConstructKey& key) : EntityOf(key, "walker") {}
  void rest() { static_cast<void>(script->note("rest")); }
  static constexpr auto kSteps = steps(step<&Walker::rest>("rest"));

 protected:
  ~Walker() override = default;
};
class Runner final : public EntityOf<Runner, Walker> {
 public:
  static constexpr std::string_view kTypeName = "runner";
  explicit Runner(const ConstructKey& key) : EntityOf(key) {}
  void run(int place, const std::string& how) {
    static_cast<void>(script->note("run " + std::to_string(place) + ' ' + how));
  }
  void stop() { destroy(); }
  void fall() { throw std::runtime_error("a bug"); }
  static constexpr auto kSteps =
      steps(step<&Runner::run>("run"), step<&Runner::stop>("stop"), step<&Runner::fall>("fall"));

 private:
  ~Runner() override = default;
  EntityResult<> on_init() override {
    init = run_later<&Runner::stop>({.first = 1h}).has_value();
    return {};
  }

 public:
  bool init = false;
};

class StepsTest : public ObjectsTest {
 protected:
  StepsTest() {
    EXPECT_TRUE(declare_entity<Walker>(types));
    EXPECT_TRUE(declare_entity<Runner>(types));
    runner = at_home.create<Runner>().value();
    events.take();
  }
  /// Each process has a wheel of its own; the clock of the cluster goes on everywhere.
  void pass(Time time) {
    now += time;
    wheel.advance(now);
    other_wheel.advance(now + 100h);
  }
  EntityManager manager(TimerWheel* timers) {
    return {types,
            PersistentIdSource("n", 1),
            [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
            {.observer = &watcher, .timers = timers, .cluster_clock = [this] { return now + 9h; }}};
  }
  Time now{};
  TimerWheel wheel;
  TimerWheel other_wheel{100h};
  EntityManager at_home = manager(&wheel);
  EntityManager there = manager(&other_wheel);
  EntityManager timeless = manager(nullptr);
  Runner* runner;
};

TEST_F(StepsTest, TimersCallStepsOfTheClassAndOfItsBase) {
  EXPECT_EQ(runner->run_later<&Runner::run>({.first = 2s}, 7, "fast").value(), 2U);
  EXPECT_TRUE(runner->run_later<&Walker::rest>({.first = 1s, .interval = 1s}));
  EXPECT_EQ(runner->waiting<&Walker::rest>(), 1U);
  pass(2s);
  EXPECT_THAT(events.take(), ElementsAre("rest", "run 7 fast", "rest"));
  EXPECT_TRUE(runner->cancel_step(3));
  EXPECT_FALSE(runner->cancel_step(3));
  pass(2s);
  EXPECT_THAT(events.take(), ElementsAre());
}

TEST_F(StepsTest, AStepMayEndItsEntityAndOneThatThrowsIsReported) {
  ASSERT_TRUE(runner->run_later<&Runner::fall>({.first = 1s}));
  ASSERT_TRUE(runner->run_later<&Walker::rest>({.first = 1h}));
  pass(1s);
  EXPECT_THAT(watcher.failures, ElementsAre("runner n.1.o7f3a, step: hook_threw: a bug"));
  pass(1h);
  EXPECT_EQ(runner->life(), EntityState::ending);
  EXPECT_THAT(events.take(), ElementsAre()) << "the end cancels what is due behind it";
  EXPECT_EQ(runner->run_later<&Walker::rest>({.first = 1s}).error(), EntityErrc::not_alive);
  EXPECT_EQ(wheel.size(), 0U);
  while (at_home.settle()) {
  }
}

TEST_F(StepsTest, TheyTravelAndNothingFiresMeanwhile) {
  ASSERT_TRUE(runner->run_later<&Runner::run>({.first = 3s}, 1, "late"));
  ASSERT_TRUE(runner->run_later<&Walker::rest>({.first = 3s, .travel = Travel::paused}));
  pass(1s);
  const Bytes bytes = at_home.freeze(*runner).value();
  EXPECT_EQ(wheel.size(), 0U);
  EXPECT_EQ(runner->run_later<&Walker::rest>({.first = 1s}).error(), EntityErrc::not_alive);
  pass(10s);
  Runner* copy = type_cast<Runner>(there.create_moved(bytes).value());
  EXPECT_FALSE(copy->init) << "what it set here would stand beside what it brings";
  EXPECT_EQ(copy->waiting<&Runner::stop>(), 1U);
  events.take();
  pass(0s);
  EXPECT_THAT(events.take(), ElementsAre("run 1 late"));
  pass(2s);
  EXPECT_THAT(events.take(), ElementsAre("rest"));
  EXPECT_EQ(copy->run_later<&Walker::rest>({.first = 1h}).value(), 4U);
}

TEST_F(StepsTest, AMoveThatIsGivenUpLetsThemGoOn) {
  ASSERT_TRUE(runner->run_later<&Runner::run>({.first = 3s}, 1, "on"));
  ASSERT_TRUE(at_home.freeze(*runner));
  pass(2s);
  ASSERT_TRUE(at_home.thaw(*runner));
  events.take();
  pass(1s);
  EXPECT_THAT(events.take(), ElementsAre("run 1 on"));
}

TEST_F(StepsTest, InvalidStepsAreRefusedBeforeAnyHook) {
  ASSERT_TRUE(runner->run_later<&Runner::run>({.first = 3s}, 1, "x"));
  const Bytes bytes = at_home.freeze(*runner).value();
  EXPECT_EQ(timeless.create_moved(bytes).error(), EntityErrc::no_timers);
  const auto with = [&](auto change) {
    Bytes timers;
    Bytes made;
    MovedState state = *MovedState::read(bytes);
    timers.assign(state.timers.begin(), state.timers.end());
    change(timers);
    state.timers = timers;
    Encoder out(made);
    state.write(out);
    return made;
  };
  const auto replaced = [&](std::string_view from, std::string_view to) {
    return with([&](Bytes& timers) {
      auto text = bus::as_text(timers);
      const std::size_t at = text.rfind(from);
      ASSERT_NE(at, std::string_view::npos);
      std::memcpy(timers.data() + at, to.data(), to.size());
    });
  };
  events.take();
  EXPECT_EQ(there.create_moved(replaced("run", "fly")).error(), EntityErrc::unknown_step);
  EXPECT_EQ(there.create_moved(replaced("\x01x", "\x02x")).error(), EntityErrc::unknown_step);
  EXPECT_EQ(there.create_moved(with([](Bytes& timers) { timers.pop_back(); })).error(),
            EntityErrc::bad_state);
  EXPECT_THAT(events.take(), ElementsAre("walker made", "walker gone", "walker made", "walker gone",
                                         "walker made", "walker gone"));
  EXPECT_EQ(there.size(), 0U);
  EXPECT_EQ(other_wheel.size(), 0U);
  EXPECT_TRUE(there.create_moved(bytes));
}

TEST_F(StepsTest, BoundsAreTypedErrors) {
  EXPECT_EQ(runner->run_later<&Runner::run>({.first = 1s}, 1, std::string(5000, 'x')).error(),
            EntityErrc::too_large);
  const auto often = runner->run_later<&Walker::rest>({.first = 1s, .interval = 1us});
  EXPECT_EQ(often.error(), EntityErrc::step_refused);
  EXPECT_EQ(often.error().detail, "bad_interval");
  Thing* plain = at_home.create<Thing>().value();
  EXPECT_EQ(plain->find_step("rest"), nullptr);
  Runner* still = timeless.create<Runner>().value();
  EXPECT_EQ(still->run_later<&Walker::rest>({.first = 1s}).error(), EntityErrc::no_timers);
}

}  // namespace
}  // namespace starbus::entity::objects_test
