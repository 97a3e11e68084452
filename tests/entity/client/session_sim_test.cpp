// The product's links in a world of homes, gates, accounts and clients: random runs and scripted
// ones. STARBUS_LONG=1 (scripts/test --long) runs many more seeds, from STARBUS_SEED on.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/entity/client/sim/scene.hpp"
#include "tests/places.hpp"

namespace starbus::entity::sessions::sim {
namespace {

constexpr int kSteps = 1500;
constexpr int kLongSteps = 6000;  // of some of the long runs

/// Empty: no promise was broken.
std::string run_seed(std::uint64_t seed, bool deaths, std::map<std::string, int>& count) {
  World world(seed, "", deaths);
  try {
    world.run(long_runs() && seed % 4 == 0 ? kLongSteps : kSteps);
    world.heal();
  } catch (const Violation& violation) {
    return violation.what();
  }
  for (const auto& [what, times] : world.count) count[what] += times;
  return {};
}

/// Many seeds; what must happen for them to mean anything has happened often.
void run_seeds(int most, bool deaths) {
  const char* const given = std::getenv("STARBUS_SEED");  // NOLINT: one thread
  const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  if (long_runs()) most *= 20;
  std::map<std::string, int> count;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(most); ++seed) {
    EXPECT_EQ(run_seed(seed, deaths, count), "") << "seed " << seed;
  }
  for (const char* happened :
       {"shown", "updates shown", "begun", "moves", "hand-overs", "switches", "fate: reply"}) {
    EXPECT_GT(count[happened], most) << happened;
  }
  if (deaths) {
    EXPECT_GT(count["rollbacks"], 5);
  }
}

TEST(SessionSim, EveryPromiseHoldsWhileNobodyDies) {
  run_seeds(25, false);
}

TEST(SessionSim, EveryPromiseHoldsThroughDeaths) {
  run_seeds(25, true);
}

// --- scenarios -----------------------------------------------------------------------------------

/// Each in several orders.
class SessionCase : public ::testing::TestWithParam<std::uint64_t>, protected Scene {
 protected:
  SessionCase() : Scene(GetParam()) {}
  void end() { ASSERT_NO_THROW(Scene::end()); }
};

TEST_P(SessionCase, K1FirstPartsOfTheNewHomeOvertakeTheLastOfTheOld) {
  hold_from(world.pid_of(2, 1), "parts");
  say();
  move_to(2);
  say();
  end();
}

/// What the gate before holds travels: no hole is left, so nobody asks for full state.
TEST_P(SessionCase, K1PartsThatAreHeldAtAHandOverTravel) {
  hold_from(world.pid_of(2, 1), "parts");
  say();
  move_to(2);
  say();
  world.settle();
  world.gate(world.pid_of(1, 1))->give(c1().session, world.pid_of(1, 2));
  world.settle();
  const auto key = std::pair(c1().bind, c1().run);
  free();
  rest();
  EXPECT_EQ(std::pair(c1().bind, c1().run), key);
  EXPECT_EQ(c1().value, e().value);
  EXPECT_EQ(world.count["resyncs"], 0);
  end();
}

TEST_P(SessionCase, K2AHomeDiesWithPartsThatNeverLeft) {
  hold_from(world.pid_of(2, 1), "parts");
  say();
  move_to(2);
  world.free_source(kE);
  world.kill(world.pid_of(2, 1));
  end();
}

TEST_P(SessionCase, K3AResyncMeetsAMove) {
  const auto key = std::pair(c1().bind, c1().run);
  hold("resync");
  world.gate(c1().at())->death(e().pid);
  move_to(2);
  say();
  end();
  if (!c1().told) {
    EXPECT_GE(std::pair(c1().bind, c1().run), key);
  }
}

TEST_P(SessionCase, K4TakeoverWhileTheEntityIsFrozen) {
  say();
  world.free_source(kE);
  world.move(kE, world.pid_of(2, 2));
  c2().connect(world.pid_of(1, 2));
  world.settle();
  world.attach(kE);
  end();
  EXPECT_TRUE(c1().told || !c1().on || c2().told);
}

TEST_P(SessionCase, K5TheAccountDiesBetweenStoringAndTelling) {
  hold("set_link");
  c2().connect(world.pid_of(1, 2));
  world.settle();
  world.kill(world.account("account/a")->pid);
  end();
}

TEST_P(SessionCase, K6TheReplacedClientComesBack) {
  const Client before = c1();
  c2().connect(world.pid_of(1, 2));
  rest();
  EXPECT_TRUE(c1().told);
  for (const bool dead : {false, true}) {
    if (dead) world.kill(world.pid_of(1, 1));
    c1().session = before.session;
    c1().token = before.token;
    c1().gate = before.gate;
    c1().login = before.login;
    c1().position = before.position;
    c1().connect(world.pid_of(1, dead ? 3 : 1));
    rest();
    EXPECT_TRUE(c1().told);
    EXPECT_TRUE(c2().on);
  }
  end();
}

TEST_P(SessionCase, K8TheClientComesToTheGateThatGives) {
  hold("request");
  c1().request();
  c1().request();
  world.settle();
  away(2);
  away(1);
  free();
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().at(), world.pid_of(1, 1));
  EXPECT_TRUE(c1().out.empty());
  end();
}

/// Before it has the take, with it, after the relink, after it has told the client.
TEST_P(SessionCase, K9TheTakerDies) {
  if (GetParam() % 4 == 0) hold("take");
  if (GetParam() % 4 == 1) hold("relink");
  if (GetParam() % 4 == 2) world.hold_wire = [](const Wire&, bool up) { return !up; };
  away(2);
  world.kill(world.pid_of(1, 2));
  say();
  end();
}

TEST_P(SessionCase, K7AnotherCharacterAndBack) {
  hold_from(world.pid_of(2, 1), "parts");
  say();
  world.account("account/a")->choose(c1().session, c1().bind, "player/a/2");
  world.settle();
  free();
  rest();
  EXPECT_EQ(c1().subject, "player/a/2");
  world.account("account/a")->choose(c1().session, c1().bind, kE);
  end();
}

TEST_P(SessionCase, K7TheSubjectBeforeSpeaksLastFromTheSameHome) {
  const std::string next = "player/a/2";
  account().choose(c1().session, c1().bind, next);
  rest();
  if (const Pid home = world.pid_of(2, 1); world.player(next)->pid != home) {
    world.move(next, home);
    world.attach(next);
    world.free_source(next);
  }
  account().choose(c1().session, c1().bind, kE);
  rest();
  // A pulse has it introduce itself again, with its last word.
  e().take(Pulse{c1().session, 1, c1().bind, c1().run, 0}, {c1().at(), true});
  account().choose(c1().session, c1().bind, next);
  world.settle();
  Player& there = *world.player(next);
  while (there.link.ready()) there.flush();
  world.settle();
  while (e().link.ready()) e().flush();
  world.settle();
  for (int i = 0; i < 9; ++i) there.act();
  while (there.link.ready()) there.flush();
  rest();
  EXPECT_EQ(c1().subject, next);
  EXPECT_EQ(c1().value, there.value);
  EXPECT_EQ(world.count["resyncs"], 0);
  end();
}

TEST_P(SessionCase, K10RelinkAgainstSetLinkWithAHigherBind) {
  hold("set_link");
  world.account("account/a")->link_lost(kE);
  world.settle();
  world.gate(c1().at())->give(c1().session, world.pid_of(1, 2));
  world.settle();
  say();
  end();
}

TEST_P(SessionCase, K11RequestsUnderWayAtTheFormerGate) {
  hold("request");
  c1().request();
  c1().request();
  world.settle();
  world.gate(c1().at())->give(c1().session, world.pid_of(1, 2));
  world.settle();
  c1().request();
  end();
}

/// A gate has a session for the second time when it hears what has come of a request of the first:
/// that was dropped, as another gate had said it again; and now this one has to.
TEST_P(SessionCase, K11AnOutcomeOfAnEarlierTurn) {
  alone();
  const Pid first = c1().at();
  const auto give_to = [&](std::uint32_t slot) {
    world.gate(c1().at())->give(c1().session, world.pid_of(1, slot));
    world.settle();
    if (!c1().wire) c1().connect(world.pid_of(1, slot));
    world.settle();
  };
  hold("request");
  c1().request();
  world.settle();
  give_to(2);
  give_to(1);
  world.hold = [first](const Message& message, const std::string&) {
    return message.what == "request" && message.from != first;
  };
  world.progress();  // the first one
  hold("request");
  world.settle();
  give_to(3);
  c1().request();
  free();
  EXPECT_EQ(e().link.state().up_done, 2U);
  end();
  EXPECT_TRUE(c1().on);
}

TEST_P(SessionCase, K12AnAcknowledgementIsLostWithItsConnection) {
  say();
  world.settle();
  world.hold_wire = [](const Wire&, bool up) { return up; };
  c1().tick();
  world.cut(c1().wire);
  c1().unplug();
  free();
  c1().connect(world.pid_of(1, 1));
  world.settle();
  EXPECT_TRUE(c1().on);
  end();
}

TEST_P(SessionCase, K13AReplyInTheWindowWhenTheRunChanges) {
  world.hold_wire = [](const Wire&, bool up) { return !up; };
  c1().request();
  world.settle();
  world.gate(c1().at())->death(e().pid);
  say();
  world.settle();
  away(1);
  end();
}

TEST_P(SessionCase, K14RequestsBetweenTwoOwners) {
  world.free_source(kE);
  world.move(kE, world.pid_of(2, 2));
  c1().request();
  c1().request();
  world.settle();
  world.attach(kE);
  end();
}

TEST_P(SessionCase, K16AFencedHomeSpeaks) {
  say();
  Introduction at{c1().session, 1, c1().bind, {c1().run.epoch - 1, 9}, kE};
  for (const std::uint64_t n : {1U, 2U}) {
    bus::Bytes bytes;
    encode_bundle(
        {{4'000'000, at, n, {{n == 1 ? PartKind::full : PartKind::call, body_of(FullState{})}}}},
        bytes);
    world.gate(c1().at())->bundle(bytes, world.pid_of(2, 3));
  }
  end();
}

TEST_P(SessionCase, K17AResyncIsAnsweredTwice) {
  hold("parts");
  world.gate(c1().at())->death(e().pid);
  world.gate(c1().at())->death(e().pid);
  world.settle();
  end();
}

TEST_P(SessionCase, K18Lies) {
  const SessionId session = c1().session;
  const Key old = c1().token;
  for (int i = 0; i < 40; ++i) world.lie();
  world.settle();
  EXPECT_EQ(world.gate(world.pid_of(1, 1))->find(session)->subject, kE);
  away(1);
  EXPECT_EQ(c1().session, session);
  // A token that was erased: somebody has a copy.
  away(1);
  away(1);
  EXPECT_EQ(c1().session, session);
  world.connect(nullptr, world.pid_of(1, 1))
      ->up.emplace_back(gates::Resume{session, old, c1().gate, c1().position, {}});
  world.settle();
  EXPECT_EQ(world.gate(world.pid_of(1, 1))->find(session)->reason,
            gates::CloseReason::token_reused);
  end();
}

TEST_P(SessionCase, K19TheNumbersOfRequestsGoOnOverSubjects) {
  c1().request();
  c1().request("player/a/2");
  rest();
  EXPECT_EQ(c1().subject, "player/a/2");
  c1().request();
  rest();
  EXPECT_EQ(c1().next_u, 4U);
  EXPECT_EQ(world.player("player/a/2")->link.state().up_done, 3U);
  end();
}

TEST_P(SessionCase, K20AMoveIsRolledBackAfterTheTargetHasSpoken) {
  world.free_source(kE);
  world.move(kE, world.pid_of(2, 2));
  world.attach(kE);
  say();
  c1().request();
  world.settle();
  world.kill(world.pid_of(2, 2));
  EXPECT_FALSE(e().link.linked());
  end();
}

TEST_P(SessionCase, K21TheGateIsKilledWithTheReplyToAPurchase) {
  world.hold_wire = [](const Wire&, bool up) { return !up; };
  c1().request();
  world.settle();
  EXPECT_EQ(e().link.state().up_done, 1U);
  world.kill(c1().at());
  end();
}

TEST_P(SessionCase, K22ReentryKeepsTheNumbersOfRequests) {
  c1().request();
  c1().request();
  rest();
  const std::uint64_t done = e().link.state().up_done;
  EXPECT_EQ(done, 2U);
  const std::uint64_t login = c1().login;
  world.kill(c1().at());
  end();
  if (c1().told) return;  // it did not come back
  EXPECT_EQ(c1().login, login);
  EXPECT_EQ(e().link.state().up_done, done);
  EXPECT_EQ(c1().next_u, 3U);
}

/// A gate is silent for long, so another one lets the client re-enter; but that has hung up, and is
/// back at the first. No other login plays: it is not told so.
TEST_P(SessionCase, K22AReentryOfWhichTheClientDoesNotKnow) {
  alone();
  const std::uint64_t login = c1().login;
  const SessionId before = c1().session;
  world.hold = [](const Message& message, const std::string&) {
    return message.what == "give" || message.what == "bind";
  };
  away(2);
  rest(8);
  away(1);
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().session, before);
  hold("give");
  world.settle();
  EXPECT_FALSE(c1().on || c1().told);
  away(1);
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().login, login);
  end();
}

TEST_P(SessionCase, K23TheGateDiesAndTheClientNeverReturns) {
  const Pid gate = c1().at();
  const SessionId session = c1().session;
  world.kill(gate);
  c1().told = true;
  end();
  EXPECT_NE(e().link.state().session, session);  // another device may have logged in
}

TEST_P(SessionCase, K24ARequestReachesTheEntityBeforeItsSetLink) {
  const SessionId other{99, 99};
  const Request early{other, 1, {c1().bind.epoch, c1().bind.counter + 1}, 1, bus::Bytes(8)};
  EXPECT_EQ(e().take(early, {c1().at(), true}).kind, AnswerKind::not_linked);
  end();
}

TEST_P(SessionCase, K26OneHungEntityAndADrain) {
  world.hold = [](const Message&, const std::string& to) { return to == kE; };
  c1().request();
  world.settle();
  world.gate(world.pid_of(1, 1))->drain({world.pid_of(1, 2), world.pid_of(1, 3)});
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_NE(c1().at(), world.pid_of(1, 1));
  end();
}

TEST_P(SessionCase, K28AnAnnouncementDuringAHandOver) {
  Effects effects;
  ASSERT_TRUE(e().link.join("guild", effects) && e().link.call(body_of(Idle{}), effects));
  while (e().link.ready()) e().flush();
  rest();
  world.announce("guild");
  hold("take");
  world.gate(world.pid_of(1, 1))->give(c1().session, world.pid_of(1, 2));
  world.announce("guild");
  world.settle();
  world.gate(world.pid_of(1, 1))->tick();
  world.gate(world.pid_of(1, 2))->tick();
  free();
  world.announce("guild");
  rest();
  if (c1().at() != world.pid_of(1, 2)) away(2);
  rest();
  EXPECT_EQ(c1().heard.size(), 3U);
  end();
}

TEST_P(SessionCase, K30AGateStartsAgain) {
  c1().request();
  rest();
  world.kill(world.pid_of(1, 1));
  const Pid again = world.start(1, 1);
  c1().unplug();
  c1().connect(again);
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().subject, kE);
  end();
}

TEST_P(SessionCase, K29ClientGoneMeetsSetLink) {
  hold("client_gone");
  const ClientGone gone{c1().session, c1().bind};
  const Pid old = c1().at();
  c2().connect(world.pid_of(1, 2));
  rest();
  EXPECT_EQ(e().take(gone, {old, true}).kind, AnswerKind::replaced);
  EXPECT_TRUE(e().link.linked());
  end();
}

INSTANTIATE_TEST_SUITE_P(Orders, SessionCase, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace starbus::entity::sessions::sim
