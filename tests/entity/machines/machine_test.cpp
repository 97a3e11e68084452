/// The promises of docs/guide/machines.md, one by one.
#include "entity/machines/machine.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "tests/thrown_log.hpp"

namespace starbus::entity {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct World {
  std::vector<std::string> log;
  std::function<void()> within;  // what the next handler does besides
  void note(std::string text) {
    log.push_back(std::move(text));
    if (within) std::exchange(within, nullptr)();
  }
};

struct Go {};
struct Talk {
  std::string words;
};

struct Idle;
struct Asking;
struct Online;
struct PingPong;
using Login = Machine<World, Idle, Asking, Online, PingPong>;

struct Idle {
  static constexpr std::string_view kName = "idle";
  void on_enter(Login& login);
  void on_exit(Login& login);
  void on(const Go&, Login& login);
};
struct Asking {
  static constexpr std::string_view kName = "asking";
  static constexpr Time kDeadline = 10s;
  std::string name = "nobody";
  void on_enter(Login& login);
  void on_exit(Login& login);
  void on(const Talk& talk, Login& login);
  void on(const DeadlinePassed& deadline, Login& login);
};
struct Online {
  static constexpr std::string_view kName = "online";
  void on(const Talk& talk, Login& login);
};
struct PingPong {
  static constexpr std::string_view kName = "ping-pong";
  void on_enter(Login& login) { EXPECT_TRUE(login.change_to(PingPong{})); }
};

void Idle::on_enter(Login& login) {
  login.owner().note("+idle");
}
void Idle::on_exit(Login& login) {
  login.owner().note("-idle");
}
void Idle::on(const Go&, Login& login) {
  EXPECT_TRUE(login.change_to(Asking{"ann"}));
  EXPECT_TRUE(login.is<Idle>()) << "until the handler has returned";
  EXPECT_EQ(login.change_to(Online{}).error(), MachineErrc::already_changing);
  login.owner().note("go");
}
void Asking::on_enter(Login& login) {
  login.owner().note("+asking " + name);
}
void Asking::on_exit(Login& login) {
  EXPECT_EQ(login.change_to(Idle{}).error(), MachineErrc::already_changing);
  login.owner().note("-asking");
}
void Asking::on(const Talk& talk, Login& login) {
  if (talk.words == "yes") {
    EXPECT_TRUE(login.change_to(Online{}));
  }
  if (talk.words == "stop") login.stop();
  if (talk.words == "throw") {
    EXPECT_TRUE(login.change_to(Online{}));
    throw std::runtime_error("a bug");
  }
  login.owner().note("heard " + talk.words);
}
void Asking::on(const DeadlinePassed&, Login& login) {
  login.owner().note("late");
  EXPECT_TRUE(login.change_to(Idle{}));
}
void Online::on(const Talk& talk, Login& login) {
  login.owner().note("online " + talk.words);
}

class MachineTest : public testing::Test {
 protected:
  std::vector<std::string> take_log() { return std::exchange(world.log, {}); }
  World world;
  TimerWheel wheel;
  Login login{"login", world, wheel};
};

TEST_F(MachineTest, ExitsTheOldStateAndThenEntersTheNew) {
  EXPECT_EQ(login.state_name(), "");
  EXPECT_TRUE(login.start());
  EXPECT_EQ(login.start().error(), MachineErrc::already_running);
  EXPECT_EQ(*login.handle(Go{}), Handled::handled);
  EXPECT_THAT(take_log(), ElementsAre("+idle", "go", "-idle", "+asking ann"));
  EXPECT_TRUE(login.is<Asking>());
  EXPECT_EQ(login.state<Asking>()->name, "ann");
  EXPECT_EQ(login.state<Idle>(), nullptr);
  EXPECT_TRUE(login.change_to(Online{}));
  login.stop();
  login.stop();
  EXPECT_THAT(take_log(), ElementsAre("-asking"));
  EXPECT_FALSE(login.running());
}

TEST_F(MachineTest, OnlyTheActiveStateGetsEvents) {
  EXPECT_EQ(*login.handle(Go{}), Handled::ignored) << "it does not run";
  EXPECT_EQ(login.change_to(Online{}).error(), MachineErrc::not_running);
  ASSERT_TRUE(login.start());
  take_log();
  EXPECT_EQ(*login.handle(Talk{"yes"}), Handled::ignored);
  EXPECT_THAT(take_log(), IsEmpty());
  EXPECT_TRUE(login.is<Idle>());
}

TEST_F(MachineTest, EventsWithinAHandlerGoToTheNextState) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.change_to(Asking{}));
  take_log();
  world.within = [&] {
    EXPECT_EQ(*login.handle(Talk{"a"}), Handled::queued);
    EXPECT_EQ(*login.handle(Talk{"b"}), Handled::queued);
  };
  EXPECT_EQ(*login.handle(Talk{"yes"}), Handled::handled);
  EXPECT_THAT(take_log(), ElementsAre("heard yes", "-asking", "online a", "online b"));
}

TEST_F(MachineTest, AHandlerMayStopIt) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.change_to(Asking{}));
  take_log();
  world.within = [&] { EXPECT_TRUE(login.handle(Talk{"unheard"})); };
  EXPECT_EQ(*login.handle(Talk{"stop"}), Handled::handled);
  EXPECT_THAT(take_log(), ElementsAre("heard stop", "-asking"));
  EXPECT_FALSE(login.running());
  EXPECT_EQ(wheel.size(), 0u) << "no deadline is left";
  EXPECT_TRUE(login.start());
}

TEST_F(MachineTest, StopOverridesAChange) {
  ASSERT_TRUE(login.start());
  world.within = [&] { login.stop(); };
  EXPECT_TRUE(login.handle(Go{}));
  EXPECT_FALSE(login.running());
  EXPECT_THAT(take_log(), ElementsAre("+idle", "go", "-idle"));
}

TEST_F(MachineTest, ADeadlineIsATypedEvent) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.handle(Go{}));
  wheel.advance(9'999ms);
  EXPECT_TRUE(login.is<Asking>());
  take_log();
  wheel.advance(10s);
  EXPECT_THAT(take_log(), ElementsAre("late", "-asking", "+idle"));
  EXPECT_EQ(wheel.size(), 0u);
}

TEST_F(MachineTest, ADeadlineEndsWithItsStateAlsoIfThatIsEnteredAgain) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.handle(Go{}));
  wheel.advance(6s);
  ASSERT_TRUE(login.change_to(Asking{"bob"}));
  wheel.advance(12s);
  EXPECT_TRUE(login.is<Asking>()) << "the new one has time until 16 s";
  wheel.advance(16s);
  EXPECT_TRUE(login.is<Idle>());
}

TEST_F(MachineTest, ADeadlineMayDependOnData) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.handle(Go{}));
  login.set_deadline(1s);
  EXPECT_EQ(login.report().deadline, 1s);
  wheel.advance(1s);
  EXPECT_TRUE(login.is<Idle>());
  ASSERT_TRUE(login.handle(Go{}));
  login.clear_deadline();
  wheel.advance(1h);
  EXPECT_TRUE(login.is<Asking>());
  login.set_deadline(24h * 365 * 100);  // more than the wheel takes: passes at once
  EXPECT_TRUE(login.is<Idle>());
}

TEST_F(MachineTest, StatesThatSendEachOtherBackAreFound) {
  ASSERT_TRUE(login.start());
  EXPECT_EQ(login.change_to(PingPong{}).error(), MachineErrc::too_many_steps);
  EXPECT_TRUE(login.is<PingPong>());
  EXPECT_EQ(login.report().dropped, 1u);
  EXPECT_TRUE(login.change_to(Online{})) << "it is as usable as before";
  EXPECT_TRUE(login.is<Online>());
}

TEST_F(MachineTest, EventsThatWaitAreBounded) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.change_to(Online{}));
  world.within = [&] {
    for (std::uint64_t i = 0; i < kMaxMachineEvents; ++i) {
      EXPECT_EQ(*login.handle(Talk{"x"}), Handled::queued);
    }
    EXPECT_EQ(login.handle(Talk{"x"}).error(), MachineErrc::too_many_events);
  };
  EXPECT_TRUE(login.handle(Talk{"first"}));
  EXPECT_EQ(world.log.size(), kMaxMachineEvents + 3);  // +idle, -idle, first
}

TEST_F(MachineTest, AnExceptionLeavesTheStateAsItIs) {
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.handle(Go{}));
  EXPECT_THROW((void)login.handle(Talk{"throw"}), std::runtime_error);
  EXPECT_TRUE(login.is<Asking>());
  world.within = [] { throw std::runtime_error("in on_exit"); };
  EXPECT_THROW((void)login.change_to(Online{}), std::runtime_error);
  EXPECT_TRUE(login.is<Asking>());
  world.within = [&] { world.within = [] { throw std::runtime_error("in on_enter"); }; };
  EXPECT_THROW((void)login.change_to(Idle{}), std::runtime_error);
  EXPECT_TRUE(login.is<Idle>());
  EXPECT_EQ(*login.handle(Go{}), Handled::handled);
}

TEST_F(MachineTest, WithAGuardADeadlineThatThrowsIsReportedByItsMachine) {
  starbus::test::ThrownLog thrown;
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.handle(Go{}));
  world.within = [] { throw std::runtime_error("a bug"); };
  wheel.advance(1h);
  EXPECT_THAT(thrown.lines, ElementsAre("deadline: a bug"));
  EXPECT_THAT(thrown.places, ElementsAre("deadline of login"));
  EXPECT_TRUE(login.is<Asking>());
  ASSERT_TRUE(login.change_to(Online{})) << "it can be used as before";
}

TEST_F(MachineTest, ReportsStateAndTime) {
  wheel.advance(1h);
  EXPECT_EQ(login.report().state, "");
  ASSERT_TRUE(login.start());
  ASSERT_TRUE(login.handle(Go{}));
  wheel.advance(1h + 3s);
  const MachineReport report = login.report();
  EXPECT_EQ(report.machine, "login");
  EXPECT_EQ(report.state, "asking");
  EXPECT_EQ(report.in_state, 3s);
  EXPECT_EQ(report.deadline, 1h + 10s);
  EXPECT_EQ(report.changes, 2u);
  EXPECT_EQ(report.ignored, 0u);
}

TEST_F(MachineTest, ItsEndEndsTheDeadline) {
  {
    Login other("other", world, wheel);
    ASSERT_TRUE(other.start());
    ASSERT_TRUE(other.handle(Go{}));
    EXPECT_EQ(wheel.size(), 1u);
    take_log();
  }
  EXPECT_EQ(wheel.size(), 0u);
  EXPECT_THAT(take_log(), IsEmpty()) << "on_exit is for stop()";
}

struct Endless {
  static constexpr std::string_view kName = "endless";
  void on_enter(Machine<World, Endless>& machine) { EXPECT_TRUE(machine.change_to(Endless{})); }
};

class MachineGroupTest : public MachineTest {
 protected:
  MachineGroup group;
};

TEST_F(MachineGroupTest, StartsInOrderAndStopsInTheOpposite) {
  World first, second;
  std::vector<std::string> order;
  first.within = [&] { order.push_back("first"); };
  second.within = [&] { order.push_back("second"); };
  Login a("a", first, wheel, &group);
  Login b("b", second, wheel, &group);
  int ended = 0;
  group.on_all_stopped([&] { ++ended; });
  EXPECT_TRUE(group.start());
  EXPECT_TRUE(group.start()) << "those that run are left alone";
  EXPECT_EQ(group.running(), 2u);
  ASSERT_TRUE(b.handle(Go{}));
  wheel.advance(2s);
  const auto reports = group.report();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].machine, "a");
  EXPECT_EQ(reports[0].state, "idle");
  EXPECT_EQ(reports[1].state, "asking");
  EXPECT_EQ(reports[1].in_state, 2s);
  first.within = [&] { order.push_back("end of first"); };
  second.within = [&] { order.push_back("end of second"); };
  group.stop();
  EXPECT_THAT(order, ElementsAre("first", "second", "end of second", "end of first"));
  EXPECT_EQ(group.running(), 0u);
  EXPECT_EQ(ended, 1);
}

TEST_F(MachineGroupTest, SaysWhenTheLastHasStoppedByItself) {
  Login a("a", world, wheel, &group);
  auto b = std::make_unique<Login>("b", world, wheel, &group);
  int ended = 0;
  group.on_all_stopped([&] {
    ++ended;
    b.reset();
  });
  EXPECT_TRUE(group.start());
  a.stop();
  EXPECT_EQ(ended, 0);
  b->stop();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(group.size(), 1u);
}

struct Fleet {
  explicit Fleet(World& world, TimerWheel& wheel)
      : first("first", world, wheel, &group), second("second", world, wheel, &group) {}
  MachineGroup group;
  Login first, second;
};

TEST_F(MachineGroupTest, TheStoppedCallbackMayEndAllMachines) {
  auto fleet = std::make_unique<Fleet>(world, wheel);
  fleet->group.on_all_stopped([&] { fleet.reset(); });
  EXPECT_TRUE(fleet->second.start()) << "the first one, which stop() comes to later, does not run";
  fleet->group.stop();
  EXPECT_EQ(fleet, nullptr);
}

TEST_F(MachineGroupTest, AlsoWhenAStartHasFailed) {
  struct Failing {
    Failing(World& world, TimerWheel& wheel)
        : good("good", world, wheel, &group), bad("bad", world, wheel, &group) {}
    MachineGroup group;
    Login good;
    Machine<World, Endless> bad;
  };
  auto failing = std::make_unique<Failing>(world, wheel);
  failing->group.on_all_stopped([&] { failing.reset(); });
  EXPECT_EQ(failing->group.start().error(), MachineErrc::too_many_steps);
  EXPECT_EQ(failing, nullptr);
}

TEST_F(MachineGroupTest, AFailedStartStopsWhatItHadStarted) {
  Login a("a", world, wheel, &group);
  Machine<World, Endless> b("b", world, wheel, &group);
  EXPECT_EQ(group.start().error(), MachineErrc::too_many_steps);
  EXPECT_EQ(group.running(), 0u);
}

}  // namespace
}  // namespace starbus::entity
