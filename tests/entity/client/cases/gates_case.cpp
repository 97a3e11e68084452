// Scripted cases of sessions: connections, hand-overs and deaths of gates.
#include "tests/entity/client/cases/session_case.hpp"

namespace starbus::entity::sessions::sim {
namespace {

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
  EXPECT_EQ(c1().at(), gate_pid(1));
  EXPECT_TRUE(c1().out.empty());
  end();
}

/// Before it has the take, with it, after the relink, after it has told the client.
TEST_P(SessionCase, K9TheTakerDies) {
  if (GetParam() % 4 == 0) hold("take");
  if (GetParam() % 4 == 1) hold("relink");
  if (GetParam() % 4 == 2) world.hold_wire = [](const Wire&, bool up) { return !up; };
  away(2);
  world.kill(gate_pid(2));
  say();
  end();
}

TEST_P(SessionCase, K10RelinkAgainstSetLinkWithAHigherBind) {
  hold("set_link");
  account().link_lost(kE);
  world.settle();
  give_to(2);
  world.settle();
  say();
  end();
}

TEST_P(SessionCase, K11RequestsUnderWayAtTheFormerGate) {
  hold("request");
  c1().request();
  c1().request();
  world.settle();
  give_to(2);
  world.settle();
  c1().request();
  end();
}

/// A gate has a session for the second time when it hears what has come of a request of the first:
/// that was dropped, as another gate had said it again; and now this one has to.
TEST_P(SessionCase, K11AnOutcomeOfAnEarlierTurn) {
  alone();
  const Pid first = c1().at();
  const auto move_session_to = [&](std::uint32_t slot) {
    give_to(slot);
    world.settle();
    if (!c1().wire) c1().connect(gate_pid(slot));
    world.settle();
  };
  hold("request");
  c1().request();
  world.settle();
  move_session_to(2);
  move_session_to(1);
  hold_letters(
      [first](const Letter& letter) { return letter.what == "request" && letter.from != first; });
  world.progress();  // the first one
  hold("request");
  world.settle();
  move_session_to(3);
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
  c1().connect(gate_pid(1));
  world.settle();
  EXPECT_TRUE(c1().on);
  end();
}

TEST_P(SessionCase, K13AReplyInTheWindowWhenTheRunChanges) {
  world.hold_wire = [](const Wire&, bool up) { return !up; };
  c1().request();
  world.settle();
  gate_of(c1()).death(e().pid);
  say();
  world.settle();
  away(1);
  end();
}

TEST_P(SessionCase, K18Lies) {
  const SessionId session = c1().session;
  const Key old = c1().token;
  for (int i = 0; i < 40; ++i) world.lie();
  world.settle();
  EXPECT_EQ(gate(1).find(session)->subject, kE);
  away(1);
  EXPECT_EQ(c1().session, session);
  // A token that was erased: somebody has a copy.
  away(1);
  away(1);
  EXPECT_EQ(c1().session, session);
  world.connect(nullptr, gate_pid(1))
      ->up.emplace_back(gates::Resume{session, old, c1().gate, c1().position, {}});
  world.settle();
  EXPECT_EQ(gate(1).find(session)->reason, gates::CloseReason::token_reused);
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

TEST_P(SessionCase, K23TheGateDiesAndTheClientNeverReturns) {
  const Pid gate = c1().at();
  const SessionId session = c1().session;
  world.kill(gate);
  c1().told = true;
  end();
  EXPECT_NE(e().link.state().session, session);  // another device may have logged in
}

TEST_P(SessionCase, K26OneHungEntityAndADrain) {
  hold_letters([](const Letter& letter) { return letter.to == kE; });
  c1().request();
  world.settle();
  gate(1).drain({gate_pid(2), gate_pid(3)});
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_NE(c1().at(), gate_pid(1));
  end();
}

TEST_P(SessionCase, K28AnAnnouncementDuringAHandOver) {
  Effects effects;
  ASSERT_TRUE(e().link.join("guild", effects) && e().link.call(body_of(Idle{}), effects));
  while (e().link.ready()) e().flush();
  rest();
  world.announce("guild");
  hold("take");
  gate(1).give(c1().session, gate_pid(2));
  world.announce("guild");
  world.settle();
  gate(1).tick();
  gate(2).tick();
  free();
  world.announce("guild");
  rest();
  if (c1().at() != gate_pid(2)) away(2);
  rest();
  EXPECT_EQ(c1().heard.size(), 3U);
  end();
}

TEST_P(SessionCase, K30AGateStartsAgain) {
  c1().request();
  rest();
  world.kill(gate_pid(1));
  const Pid again = world.start(1, 1);
  c1().unplug();
  c1().connect(again);
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().subject, kE);
  end();
}

/// Gates are upgraded one after the other: the session goes on at a gate of which neither the
/// client nor the gate that it names knows.
TEST_P(SessionCase, K31TwoDrainsWhileTheClientIsAway) {
  alone();
  const SessionId session = c1().session;
  say();
  unplug();
  upgrade(1, 2);
  say();
  upgrade(2, 3);
  const auto slot = static_cast<std::uint32_t>(1 + GetParam() % 3);
  c1().connect(gate_pid(slot));
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().session, session);
  end();
  EXPECT_EQ(c1().session, session);
}

/// The session goes on once more while it is sought: what the account has said is of the past.
TEST_P(SessionCase, K31ADrainWhileTheSessionIsSought) {
  alone();
  const SessionId session = c1().session;
  unplug();
  upgrade(1, 2);
  hold("give");
  c1().connect(gate_pid(1));
  rest(2);
  upgrade(2, 3);
  free();
  rest();
  EXPECT_TRUE(c1().on);
  EXPECT_EQ(c1().session, session);
  end();
  EXPECT_EQ(c1().session, session);
}

/// What a death has taken is not sought for ever: the client comes back by its login.
TEST_P(SessionCase, K31AGateThatWasDrainedToIsKilled) {
  alone();
  const SessionId session = c1().session;
  unplug();
  upgrade(1, 2);
  world.kill(gate_pid(2));
  if (GetParam() % 2 == 0) world.start(kGates, 2);
  c1().connect(gate_pid(GetParam() % 3 == 0 ? 3 : 1));
  rest(10);
  EXPECT_TRUE(c1().on);
  EXPECT_NE(c1().session, session);
  EXPECT_EQ(c1().subject, kE);
  end();
}

}  // namespace
}  // namespace starbus::entity::sessions::sim
