// Scripted cases of sessions: moves, deaths and full states of a home.
#include "tests/entity/client/cases/session_case.hpp"

namespace starbus::entity::sessions::sim {
namespace {

TEST_P(SessionCase, K1FirstPartsOfTheNewHomeOvertakeTheLastOfTheOld) {
  hold_from(home(1), "parts");
  say();
  move_to(2);
  say();
  end();
}

/// What the gate before holds travels: no hole is left, so nobody asks for full state.
TEST_P(SessionCase, K1PartsThatAreHeldAtAHandOverTravel) {
  hold_from(home(1), "parts");
  say();
  move_to(2);
  say();
  world.settle();
  gate(1).give(c1().session, gate_pid(2));
  world.settle();
  const auto key = std::pair(c1().bind, c1().run);
  free();
  rest();
  EXPECT_EQ(std::pair(c1().bind, c1().run), key);
  EXPECT_EQ(c1().value, e().value);
  EXPECT_EQ(world.oracle.count["resyncs"], 0);
  end();
}

TEST_P(SessionCase, K2AHomeDiesWithPartsThatNeverLeft) {
  hold_from(home(1), "parts");
  say();
  move_to(2);
  world.bus().free_source(kE);
  world.kill(home(1));
  end();
}

TEST_P(SessionCase, K3AResyncMeetsAMove) {
  const auto key = std::pair(c1().bind, c1().run);
  hold("resync");
  gate_of(c1()).death(e().pid);
  move_to(2);
  say();
  end();
  if (!c1().told) {
    EXPECT_GE(std::pair(c1().bind, c1().run), key);
  }
}

TEST_P(SessionCase, K4TakeoverWhileTheEntityIsFrozen) {
  say();
  begin_move(2);
  c2().connect(gate_pid(2));
  world.settle();
  world.bus().attach(kE);
  end();
  EXPECT_TRUE(c1().told || !c1().on || c2().told);
}

TEST_P(SessionCase, K14RequestsBetweenTwoOwners) {
  begin_move(2);
  c1().request();
  c1().request();
  world.settle();
  world.bus().attach(kE);
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
    gate_of(c1()).bundle(bytes, home(3));
  }
  end();
}

TEST_P(SessionCase, K17AResyncIsAnsweredTwice) {
  hold("parts");
  gate_of(c1()).death(e().pid);
  gate_of(c1()).death(e().pid);
  world.settle();
  end();
}

TEST_P(SessionCase, K20AMoveIsRolledBackAfterTheTargetHasSpoken) {
  begin_move(2);
  world.bus().attach(kE);
  say();
  c1().request();
  world.settle();
  world.kill(home(2));
  end();
  EXPECT_EQ(world.oracle.count["rollbacks"], 1);
}

/// The run in which the request has begun is over, and its full state lists it as open.
TEST_P(SessionCase, K25AReplyComesAfterANewRun) {
  alone();
  e().replies_late = true;
  c1().request();
  world.settle();
  const std::uint64_t id = world.oracle.requests.rbegin()->first;
  const auto before = c1().run;
  hold("parts");
  say();
  gate_of(c1()).death(e().pid);
  world.settle();
  free();
  rest();
  EXPECT_GT(c1().run, before);
  EXPECT_EQ(c1().out.size(), 1U);
  e().reply();
  rest();
  EXPECT_EQ(world.oracle.requests[id].fate, "reply");
  end();
}

/// The same over a move: what has begun at one home is answered at the next.
TEST_P(SessionCase, K25AReplyComesFromTheNextHome) {
  alone();
  e().replies_late = true;
  c1().request();
  world.settle();
  const std::uint64_t id = world.oracle.requests.rbegin()->first;
  move_to(2);
  rest();
  e().reply();
  rest();
  EXPECT_EQ(world.oracle.requests[id].fate, "reply");
  end();
}

}  // namespace
}  // namespace starbus::entity::sessions::sim
