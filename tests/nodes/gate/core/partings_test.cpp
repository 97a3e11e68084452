// What operators may ask a gate for: why clients left, bytes by kind, who has no subject.
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;

class GatePartings : public GateTest {
 protected:
  const Parting& last() { return one_.core.partings().rows().back(); }
};

TEST_F(GatePartings, ALostConnectionIsOneAndTheSessionGoesOn) {
  const Welcome ada = one_.log_in(1);
  one_.core.closed(1, "silent");
  EXPECT_EQ(last().why, "silent");
  EXPECT_EQ(last().session, ada.session);
  EXPECT_EQ(last().account, "account/ada");
  EXPECT_EQ(last().subject, "player/7");
  EXPECT_EQ(last().address, "1.2.3.4");
  EXPECT_FALSE(last().over);
  EXPECT_EQ(one_.core.find(ada.session)->parted, "silent");
  // It stays away for too long.
  one_.tick(sessions::kAwayTime);
  EXPECT_EQ(last().why, "away");
  EXPECT_EQ(last().address, "");
  EXPECT_TRUE(last().over);
  EXPECT_EQ(one_.core.partings().rows().size(), 2U);
}

TEST_F(GatePartings, AnEndOfASessionIsOneAndNotTwo) {
  const Welcome ada = one_.log_in(1);
  one_.core.told(sessions::End{ada.session, {3, 2}, sessions::Reason::replaced, {}});
  ASSERT_EQ(one_.core.partings().rows().size(), 1U);
  EXPECT_EQ(last().why, "replaced");
  EXPECT_EQ(last().address, "1.2.3.4");
  EXPECT_TRUE(last().over);
  one_.log_in(2);
  one_.core.frame(2, Bye{});
  EXPECT_EQ(last().why, "bye");
  one_.log_in(3);
  one_.core.frame(3, Ack{99});
  EXPECT_EQ(last().why, "malformed");
  EXPECT_FALSE(last().over);
}

TEST_F(GatePartings, ALoginThatWasRefusedIsNone) {
  one_.core.opened(1, "x");
  one_.core.frame(1, Login{"password", "ada", {}});
  const auto ask = one_.all<TellLogin>().at(0);
  one_.core.login_said(ask.question, LoginRefused{CloseReason::denied, 0, ""});
  EXPECT_TRUE(one_.core.partings().rows().empty());
}

TEST_F(GatePartings, TheNewestAreKept) {
  Partings partings;
  for (std::size_t i = 0; i <= kPartingsKept; ++i) {
    partings.add({GateTime(i), {}, {}, {}, {}, "left", false});
  }
  EXPECT_EQ(partings.rows().size(), kPartingsKept);
  EXPECT_EQ(partings.rows().front().at, GateTime(1));
  EXPECT_EQ(partings.rows().back().at, GateTime(kPartingsKept));
}

TEST_F(GatePartings, EachReasonHasAName) {
  for (int reason = 1; reason <= 18; ++reason) {
    EXPECT_NE(name_of(static_cast<CloseReason>(reason)), "?") << reason;
  }
}

using GateTraffic = GateTest;

TEST_F(GateTraffic, IsCountedByKind) {
  const Welcome ada = one_.log_in(1);
  const Traffic& traffic = one_.core.find(ada.session)->traffic;
  const std::uint64_t full = traffic.properties.bytes;
  EXPECT_EQ(traffic.properties.number, 1U);
  one_.say(ada.session, 2, {Driven::call("12345"), {sessions::PartKind::news, body_text("123")}});
  one_.say(ada.session, 4, {{sessions::PartKind::sight, body_text("12")}});
  one_.core.announce(kHome, 1, "guild", body_text("1234567"));
  one_.core.frame(1, Ask{1, kBind, bus::Bytes(11)});
  one_.tick();
  EXPECT_EQ(traffic.calls, (Traffic::Count{1, 5}));
  EXPECT_EQ(traffic.properties, (Traffic::Count{2, full + 3}));
  EXPECT_EQ(traffic.sight, (Traffic::Count{1, 2}));
  EXPECT_EQ(traffic.announcements, (Traffic::Count{1, 7}));
  EXPECT_EQ(traffic.requests, (Traffic::Count{1, 11}));
  EXPECT_EQ(one_.core.counters().traffic.calls, traffic.calls);
  // What is shown again to a client that came back has been counted.
  one_.core.closed(1);
  one_.core.opened(2, "x");
  one_.core.frame(2, Resume{ada.session, ada.token, ada.gate, {ada.position.turn, 0}, {}});
  EXPECT_EQ(traffic.calls, (Traffic::Count{1, 5}));
}

using GateLost = GateTest;

TEST_F(GateLost, ASessionIsLostUntilASubjectAnswers) {
  const Welcome ada = one_.log_in(1);
  one_.tick(kPulse);
  EXPECT_FALSE(one_.core.find(ada.session)->lost) << "its subject has spoken";
  const auto pulses = one_.all<TellSubject>();
  std::uint64_t question = 0;
  for (const TellSubject& each : pulses) {
    if (std::holds_alternative<sessions::Pulse>(each.word)) question = each.question;
  }
  ASSERT_NE(question, 0U);
  one_.core.outcome(question, Outcome::no_owner, {});
  one_.tick(kPulse);
  ASSERT_TRUE(one_.core.find(ada.session)->lost);
  const GateTime since = *one_.core.find(ada.session)->lost;
  one_.tick(kPulse);
  EXPECT_EQ(one_.core.find(ada.session)->lost, since);
  one_.say(ada.session, 1, {Driven::full()}, "player/7", 1, {5, 2});
  EXPECT_FALSE(one_.core.find(ada.session)->lost);
}

}  // namespace
}  // namespace starbus::nodes::gate
