// Scripted cases of sessions: takeovers, switches and logins.
#include "tests/entity/client/cases/session_case.hpp"

namespace starbus::entity::sessions::sim {
namespace {

TEST_P(SessionCase, K5TheAccountDiesBetweenStoringAndTelling) {
  hold("set_link");
  c2().connect(gate_pid(2));
  world.settle();
  world.kill(account().pid);
  end();
}

TEST_P(SessionCase, K6TheReplacedClientComesBack) {
  const Client before = c1();
  c2().connect(gate_pid(2));
  rest();
  EXPECT_TRUE(c1().told);
  for (const bool dead : {false, true}) {
    if (dead) world.kill(gate_pid(1));
    c1().session = before.session;
    c1().token = before.token;
    c1().gate = before.gate;
    c1().login = before.login;
    c1().position = before.position;
    c1().connect(gate_pid(dead ? 3 : 1));
    rest();
    EXPECT_TRUE(c1().told);
    EXPECT_TRUE(c2().on);
  }
  end();
}

TEST_P(SessionCase, K7AnotherCharacterAndBack) {
  hold_from(home(1), "parts");
  say();
  account().choose(c1().session, c1().bind, "player/a/2");
  world.settle();
  free();
  rest();
  EXPECT_EQ(c1().subject, "player/a/2");
  account().choose(c1().session, c1().bind, kE);
  end();
}

TEST_P(SessionCase, K7TheSubjectBeforeSpeaksLastFromTheSameHome) {
  const std::string next = "player/a/2";
  account().choose(c1().session, c1().bind, next);
  rest();
  if (const Pid there = home(1); world.player(next)->pid != there) {
    world.move(next, there);
    world.bus().attach(next);
    world.bus().free_source(next);
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
  EXPECT_EQ(world.oracle.count["resyncs"], 0);
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
  hold_letters([](const Letter& letter) { return letter.what == "give" || letter.what == "bind"; });
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

TEST_P(SessionCase, K24ARequestReachesTheEntityBeforeItsSetLink) {
  const SessionId other{99, 99};
  const Request early{other, 1, {c1().bind.epoch, c1().bind.counter + 1}, 1, bus::Bytes(8)};
  EXPECT_EQ(e().take(early, {c1().at(), true}).kind, AnswerKind::not_linked);
  end();
}

TEST_P(SessionCase, K29ClientGoneMeetsSetLink) {
  hold("client_gone");
  const ClientGone gone{c1().session, c1().bind};
  const Pid old = c1().at();
  c2().connect(gate_pid(2));
  rest();
  EXPECT_EQ(e().take(gone, {old, true}).kind, AnswerKind::replaced);
  EXPECT_TRUE(e().link.linked());
  end();
}

}  // namespace
}  // namespace starbus::entity::sessions::sim
