// Connections: login, resume, tokens, lies, other gates that are silent, the clock.
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;
using sessions::AnswerKind;

class GateDoors : public GateTest {
 protected:
  Resume resume_of(const Welcome& welcome, std::uint64_t c) {
    return {welcome.session, welcome.token, welcome.gate, {welcome.position.turn, c}, {}};
  }
  /// The answer to a frame on a new connection.
  CloseReason refused(ConnectionId connection, const FromClient& frame) {
    one_.core.opened(connection, "x");
    one_.core.frame(connection, frame);
    const auto closed = one_.frames<Closed>();
    EXPECT_EQ(closed.size(), 1U);
    return closed.empty() ? CloseReason::ended : closed[0].reason;
  }
};

TEST_F(GateDoors, TheWelcomeGoesBeforeTheFirstPacket) {
  one_.core.opened(1, "1.2.3.4");
  one_.core.frame(1, Login{"password", "ada", {}});
  const auto asks = one_.all<TellLogin>();
  ASSERT_EQ(asks.size(), 1U);
  EXPECT_EQ(asks[0].ask.address, "1.2.3.4");
  EXPECT_EQ(asks[0].ask.gate, kOne);
  one_.core.login_said(asks[0].question, LoginWaiting{3, 9});
  EXPECT_EQ(one_.frames<Waiting>().at(0), (Waiting{WaitsFor::place, 3, 9}));
  one_.core.login_said(asks[0].question, LoginAdmitted{"account/ada", 4, {}, {}});
  const auto binds = one_.all<TellAccount>();
  const SessionId session = asks[0].ask.session;
  one_.say(session, 1, {Driven::full()});  // earlier than the account's answer
  EXPECT_TRUE(one_.all<SendPacket>().empty());
  one_.bound(binds.at(0).question, kBind);
  const auto effects = one_.core.take();
  std::vector<std::size_t> order;
  for (const Effect& each : effects) {
    if (std::holds_alternative<SendFrame>(each)) order.push_back(0);
    if (std::holds_alternative<SendPacket>(each)) order.push_back(1);
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(one_.core.find(session)->state(), SessionState::bound);
}

/// Whoever keeps what the core before the lost lease has asked by its number may answer late.
TEST_F(GateDoors, AnAnswerToTheFormerCoreIsNoAnswerToThisOne) {
  one_.core.opened(1, "x");
  one_.core.frame(1, Login{"password", "ada", {}});
  const auto former = one_.all<TellLogin>().at(0);
  EXPECT_EQ(one_.core.last_question(), former.question);
  one_.core.fence();
  EXPECT_EQ(one_.all<ForgetLogin>().at(0).question, former.question);

  Driven next{kOne, kSessions, one_.core.last_question()};
  next.core.opened(1, "x");
  next.core.frame(1, Login{"password", "bob", {}});
  const auto ask = next.all<TellLogin>().at(0);
  EXPECT_GT(ask.question, former.question);
  next.core.login_said(former.question, LoginAdmitted{"account/ada", 4, {}, {}});
  next.core.outcome(former.question, Outcome::ok, {});
  EXPECT_TRUE(next.core.take().empty());
  next.core.login_said(ask.question, LoginAdmitted{"account/bob", 1, {}, {}});
  EXPECT_EQ(next.all<TellAccount>().at(0).account, "account/bob");
}

/// It may be let in elsewhere by now: a later bind would end its session there.
TEST_F(GateDoors, TheAccountOfAClientThatHasHungUpIsNotAskedAgain) {
  one_.core.opened(1, "x");
  one_.core.frame(1, Login{"password", "ada", {}});
  const auto ask = one_.all<TellLogin>().at(0);
  one_.core.login_said(ask.question, LoginAdmitted{"account/ada", 4, {}, {}});
  const auto binds = one_.all<TellAccount>();
  ASSERT_EQ(binds.size(), 1U);
  one_.core.closed(1, "gone");
  one_.tick(2 * kAskPause);
  EXPECT_NE(one_.core.find(ask.ask.session), nullptr) << "it may be bound: that is yet to be heard";
  one_.core.outcome(binds[0].question, Outcome::no_owner, {});
  for (int i = 0; i < 5; ++i) one_.tick(kAskPause);
  EXPECT_TRUE(one_.all<TellAccount>().empty());
  EXPECT_EQ(one_.core.find(ask.ask.session), nullptr);
}

TEST_F(GateDoors, ALoginThatIsRefusedSaysWhy) {
  one_.core.opened(1, "x");
  one_.core.frame(1, Login{"password", "ada", {}});
  const auto ask = one_.all<TellLogin>().at(0);
  one_.core.login_said(ask.question, LoginRefused{CloseReason::banned, 7, "until May"});
  EXPECT_EQ(one_.frames<Closed>().at(0), (Closed{CloseReason::banned, 7, "until May"}));
  EXPECT_EQ(one_.core.size(), 0U);
  // One whose client has gone is not waited for.
  one_.core.opened(2, "x");
  one_.core.frame(2, Login{"password", "ada", {}});
  const auto second = one_.all<TellLogin>().at(0);
  one_.core.closed(2);
  EXPECT_EQ(one_.all<ForgetLogin>().at(0).question, second.question);
  one_.core.login_said(second.question, LoginAdmitted{"account/ada", 4, {}, {}});
  EXPECT_TRUE(one_.core.take().empty());
}

TEST_F(GateDoors, AClientContinuesAfterItsPosition) {
  const Welcome first = one_.log_in(1);
  one_.say(first.session, 2, {Driven::call("a"), Driven::call("b")});
  one_.core.frame(1, Ack{1});
  one_.core.take();
  one_.core.closed(1);
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::away);
  one_.say(first.session, 4, {Driven::call("c")});
  one_.core.opened(2, "x");
  one_.core.frame(2, resume_of(first, 2));
  std::vector<std::uint64_t> shown;
  std::vector<Welcome> welcomes;
  for (const Effect& each : one_.core.take()) {
    if (const auto* packet = std::get_if<SendPacket>(&each)) shown.push_back(packet->packet.c);
    const auto* frame = std::get_if<SendFrame>(&each);
    if (frame != nullptr && std::holds_alternative<Welcome>(frame->frame)) {
      welcomes.push_back(std::get<Welcome>(frame->frame));
    }
  }
  EXPECT_EQ(shown, (std::vector<std::uint64_t>{3, 4}));
  ASSERT_EQ(welcomes.size(), 1U);
  EXPECT_TRUE(welcomes[0].goes_on);
  EXPECT_EQ(welcomes[0].position, (Position{1, 2}));
  EXPECT_NE(welcomes[0].token, first.token);
  // Half-open: a third connection takes over from the second.
  one_.core.opened(3, "x");
  one_.core.frame(3, resume_of(welcomes[0], 2));
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::taken_over);
}

TEST_F(GateDoors, LiesAreRefusedAndChangeNothing) {
  const Welcome first = one_.log_in(1);
  Resume forged = resume_of(first, 1);
  forged.token = {9, 9};
  EXPECT_EQ(refused(2, forged), CloseReason::token);
  EXPECT_EQ(refused(3, resume_of(first, 2)), CloseReason::window);
  Resume later = resume_of(first, 1);
  later.position.turn = 2;
  EXPECT_EQ(refused(4, later), CloseReason::window);
  EXPECT_EQ(refused(5, Ack{0}), CloseReason::malformed);
  EXPECT_EQ(refused(6, Resume{{5, 5}, {5, 5}, "", {}, {}}), CloseReason::token);
  EXPECT_EQ(one_.core.find(first.session)->connection, 1U);
  one_.core.frame(1, Ask{2, kBind, bus::Bytes(1)});
  EXPECT_EQ(one_.frames<Busy>().at(0).up_seen, 0U);
  one_.core.frame(1, Ask{1, {3, 0}, bus::Bytes(1)});
  EXPECT_TRUE(one_.core.take().empty());
  one_.core.frame(1, Ack{99});
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::malformed);
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::away);
  EXPECT_GE(one_.core.counters().malformed, 2U);
}

TEST_F(GateDoors, AnErasedTokenEndsTheSession) {
  const Welcome second = one_.log_in(4);
  one_.core.opened(5, "x");
  one_.core.frame(5, resume_of(second, 1));
  const auto third = one_.frames<Welcome>().at(0);
  one_.core.frame(5, Confirm{});
  one_.core.opened(6, "x");
  one_.core.frame(6, resume_of(second, 1));
  std::vector<CloseReason> reasons;
  for (const Closed& each : one_.frames<Closed>()) reasons.push_back(each.reason);
  EXPECT_EQ(reasons,
            (std::vector<CloseReason>{CloseReason::token_reused, CloseReason::token_reused}));
  EXPECT_EQ(refused(7, resume_of(third, 1)), CloseReason::token_reused);
}

TEST_F(GateDoors, AnEndedSessionSaysWhy) {
  const Welcome first = one_.log_in(1);
  one_.core.told(sessions::End{first.session, kBind, sessions::Reason::replaced, {}});
  EXPECT_TRUE(one_.core.take().empty());  // not above: of the past
  one_.core.told(sessions::End{
      first.session, {3, 2}, sessions::Reason::replaced, sessions::Closing{4, 7, kBind, {}}});
  std::optional<Ended> last;
  for (const SendPacket& each : one_.all<SendPacket>()) last = std::get<Ended>(each.packet.body);
  EXPECT_EQ(last, (Ended{CloseReason::replaced, true, 7, kBind}));
  EXPECT_EQ(refused(2, resume_of(first, 1)), CloseReason::replaced);
  one_.tick(kEndedTime);
  EXPECT_EQ(one_.core.size(), 0U);
  // Nothing of it is left here: the signed part of the token decides.
  Resume again = resume_of(first, 1);
  again.reentry = bus::Bytes(3);
  one_.core.opened(3, "x");
  one_.core.frame(3, again);
  EXPECT_EQ(one_.all<TellLogin>().at(0).ask.method, kReentryMethod);
}

TEST_F(GateDoors, AFullGateRefuses) {
  Driven small(kOne, 1);
  small.log_in(1);
  small.core.opened(2, "x");
  small.core.frame(2, Login{"password", "bob", {}});
  EXPECT_EQ(small.frames<Closed>().at(0).reason, CloseReason::full);
  EXPECT_EQ(GateOptions{}.sessions, kSessions);
}

TEST_F(GateDoors, ASilentGateIsNotWaitedForLong) {
  const Resume away{{5, 5}, {6, 6}, "gate/two", {1, 4}, bus::Bytes(3)};
  one_.core.opened(1, "x");
  one_.core.frame(1, away);
  const auto gives = one_.all<TellGate>();
  ASSERT_EQ(gives.size(), 1U);
  EXPECT_EQ(gives[0].gate, "gate/two");
  EXPECT_EQ(std::get<Give>(gives[0].word).token, away.token);
  one_.tick(kGiveTime - GateTime(1));
  EXPECT_TRUE(one_.all<TellLogin>().empty());
  one_.tick(GateTime(1));
  EXPECT_EQ(one_.all<TellLogin>().at(0).ask.proof, away.reentry);
  // One that is gone is found at once; a wrong token is final.
  one_.core.opened(2, "x");
  one_.core.frame(2, away);
  one_.core.outcome(one_.all<TellGate>().at(0).question, Outcome::no_owner, {});
  EXPECT_EQ(one_.all<TellLogin>().size(), 1U);
  one_.core.opened(3, "x");
  one_.core.frame(3, away);
  const auto asked = std::get<Give>(one_.all<TellGate>().at(0).word);
  one_.core.told(kTwo.process, NoGive{away.session, asked.number, CloseReason::token, false});
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::token);
}

// --- a session that the gate before has given away -----------------------------------------------

/// A client that comes with a session of gate/two, which has started again and does not know it.
class GateSeek : public GateDoors {
 protected:
  static constexpr std::uint32_t kTurn = 3;
  const Resume away_{{5, 5}, {6, 6}, "gate/two", {kTurn, 4}, bus::Bytes(3)};
  const GateId three_{"gate/three", {3, 3, 30}};

  void come(ConnectionId connection, const Resume& frame) {
    one_.core.opened(connection, "x");
    one_.core.frame(connection, frame);
  }
  /// The gate that was asked last does not have the session.
  void not_given() {
    const auto asked = one_.all<TellGate>();
    ASSERT_EQ(asked.size(), 1U);
    const auto give = std::get<Give>(asked[0].word);
    one_.core.told(kTwo.process, NoGive{give.session, give.number, CloseReason::token, true});
  }
  /// The login lets the client in again: what the account is asked then.
  TellAccount let_in() {
    const auto asks = one_.all<TellLogin>();
    EXPECT_EQ(asks.size(), 1U);
    EXPECT_EQ(asks.at(0).ask.method, kReentryMethod);
    one_.core.login_said(asks.at(0).question,
                         LoginAdmitted{"account/ada", 4, bus::Bytes(1), bus::Bytes(3)});
    const auto words = one_.all<TellAccount>();
    EXPECT_EQ(words.size(), 1U);
    return words.at(0);
  }
  void account_says(const TellAccount& asked, sessions::AccountAnswerKind kind,
                    const GateId& gate = {}, std::uint32_t turn = 0) {
    EXPECT_EQ(std::get<sessions::Where>(asked.word), (sessions::Where{away_.session, {}}));
    one_.core.outcome(asked.question, Outcome::ok,
                      bytes_of(sessions::AccountAnswer{kind, kBind, "player/7", 4, turn, gate}));
  }
  bool binds() {
    const auto words = one_.all<TellAccount>();
    return words.size() == 1 && std::holds_alternative<sessions::BindSession>(words[0].word);
  }
};

TEST_F(GateSeek, ItsAccountIsAskedAndThenTheGateThatHasIt) {
  come(1, away_);
  not_given();
  account_says(let_in(), sessions::AccountAnswerKind::bound, three_, kTurn + 2);
  const auto asked = one_.all<TellGate>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].gate, three_.channel);
  EXPECT_EQ(std::get<Give>(asked[0].word).token, away_.token);
  EXPECT_EQ(one_.core.size(), 0U) << "no session is opened for it";
  EXPECT_EQ(one_.core.counters().found, 1U);
  EXPECT_EQ(one_.core.counters().reentered, 0U);
}

TEST_F(GateSeek, TheClientNamesThisGate) {
  Resume mine = away_;
  mine.gate = kOne.channel;
  come(1, mine);
  account_says(let_in(), sessions::AccountAnswerKind::bound, kTwo, kTurn + 1);
  EXPECT_EQ(one_.all<TellGate>().at(0).gate, kTwo.channel);
}

/// The session goes from gate to gate while it is sought.
TEST_F(GateSeek, ItIsFollowedAsLongAsItsTurnGrows) {
  come(1, away_);
  not_given();
  for (const std::uint32_t turn : {kTurn + 1, kTurn + 4}) {
    account_says(let_in(), sessions::AccountAnswerKind::bound, three_, turn);
    not_given();
  }
  account_says(let_in(), sessions::AccountAnswerKind::bound, three_, kTurn + 4);
  EXPECT_TRUE(binds());
  EXPECT_EQ(one_.core.counters().reentered, 1U);
}

/// Its gate was killed, the client was replaced, or the session has ended: as it always was.
TEST_F(GateSeek, WhatNobodyHasIsOpenedAgain) {
  const GateId former{kOne.channel, {1, 1, 9}};
  one_.core.died(three_.process);
  const auto tried = [&](sessions::AccountAnswerKind kind, const GateId& gate, std::uint32_t turn) {
    static ConnectionId connection = 0;
    come(++connection, away_);
    not_given();
    account_says(let_in(), kind, gate, turn);
    return binds();
  };
  EXPECT_TRUE(tried(sessions::AccountAnswerKind::bound, kTwo, kTurn));
  EXPECT_TRUE(tried(sessions::AccountAnswerKind::bound, three_, kTurn + 1)) << "it is dead";
  EXPECT_TRUE(tried(sessions::AccountAnswerKind::bound, former, kTurn + 1)) << "likewise";
  EXPECT_TRUE(tried(sessions::AccountAnswerKind::replaced, three_, kTurn + 1));
  EXPECT_TRUE(tried(sessions::AccountAnswerKind::ended, three_, kTurn + 1));
  EXPECT_EQ(one_.core.counters().found, 0U);
  // Who names no gate, or no session, does not want it back.
  Resume none = away_;
  none.gate.clear();
  come(100, none);
  EXPECT_TRUE(std::holds_alternative<sessions::BindSession>(let_in().word));
  come(101, Resume{{}, {}, "", {}, bus::Bytes(3)});
  EXPECT_TRUE(std::holds_alternative<sessions::BindSession>(let_in().word));
}

TEST_F(GateSeek, AnAccountThatIsNotThereIsLoadedAndAskedAgain) {
  come(1, away_);
  not_given();
  const auto asked = let_in();
  one_.core.outcome(asked.question, Outcome::no_owner, {});
  EXPECT_EQ(one_.all<LoadAccount>().at(0).account, "account/ada");
  one_.tick(kAskPause);
  const auto again = one_.all<TellAccount>();
  ASSERT_EQ(again.size(), 1U);
  account_says(again[0], sessions::AccountAnswerKind::later);
  one_.tick(kAskPause);
  account_says(one_.all<TellAccount>().at(0), sessions::AccountAnswerKind::bound, three_,
               kTurn + 1);
  EXPECT_EQ(one_.all<TellGate>().at(0).gate, three_.channel);
}

TEST_F(GateSeek, ItsClientHangsUpMeanwhile) {
  come(1, away_);
  not_given();
  const auto asked = let_in();
  one_.core.closed(1);
  for (int i = 0; i < 5; ++i) one_.tick(kAskPause);
  account_says(asked, sessions::AccountAnswerKind::bound, three_, kTurn + 1);
  EXPECT_TRUE(one_.core.take().empty());
  EXPECT_EQ(one_.core.size(), 0U);
}

/// The gate that was asked first answers after the account: that says nothing of the second.
TEST_F(GateSeek, ALateRefusalIsNoRefusalOfTheNextGate) {
  come(1, away_);
  const auto first = std::get<Give>(one_.all<TellGate>().at(0).word);
  one_.tick(kGiveTime);
  account_says(let_in(), sessions::AccountAnswerKind::bound, three_, kTurn + 1);
  const auto second = std::get<Give>(one_.all<TellGate>().at(0).word);
  one_.core.told(kTwo.process, NoGive{first.session, first.number, CloseReason::token, false});
  EXPECT_TRUE(one_.core.take().empty());
  one_.core.told(three_.process, NoGive{second.session, second.number, CloseReason::token, false});
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::token);
}

/// It has come here meanwhile, or has come and gone on.
TEST_F(GateSeek, ItMayBeHereByThen) {
  Driven two{kTwo};
  const Welcome first = two.log_in(1);
  Resume frame{first.session, first.token, "gate/three", {1, 1}, bus::Bytes(3)};
  const auto sought = [&](ConnectionId connection) {
    come(connection, frame);
    not_given();
    return let_in();
  };
  const auto know = [&](const TellAccount& asked) {
    one_.core.outcome(asked.question, Outcome::ok,
                      bytes_of(sessions::AccountAnswer{sessions::AccountAnswerKind::bound, kBind,
                                                       "player/7", 4, 1, kTwo}));
  };
  const auto asked = sought(1);
  const auto asked_too = sought(2);
  ASSERT_TRUE(two.core.give(first.session, kOne, ""));
  carry(two, kTwo.process, one_);
  one_.core.take();
  know(asked);
  EXPECT_EQ(one_.core.find(first.session)->connection, 1U);
  const auto welcomes = one_.frames<Welcome>();
  ASSERT_EQ(welcomes.size(), 1U);
  EXPECT_TRUE(welcomes[0].goes_on);
  ASSERT_TRUE(one_.core.give(first.session, three_, ""));
  one_.core.take();
  know(asked_too);
  EXPECT_EQ(one_.all<TellGate>().at(0).gate, three_.channel);
}

// -------------------------------------------------------------------------------------------------

TEST_F(GateDoors, FewConnectionsWaitForOtherGates) {
  for (ConnectionId each = 1; each <= kGivesWaiting; ++each) {
    one_.core.opened(each, "x");
    one_.core.frame(each, Resume{{each, 5}, {6, 6}, "gate/two", {1, 4}, {}});
  }
  one_.core.take();
  EXPECT_EQ(refused(kGivesWaiting + 1, Resume{{5'000, 6}, {6, 6}, "gate/two", {1, 4}, {}}),
            CloseReason::later);
  one_.core.closed(1);
  one_.core.opened(kGivesWaiting + 2, "x");
  one_.core.frame(kGivesWaiting + 2, Resume{{5'000, 6}, {6, 6}, "gate/two", {1, 4}, {}});
  EXPECT_EQ(one_.all<TellGate>().size(), 1U);
}

TEST_F(GateDoors, ByeEndsTheSession) {
  const Welcome first = one_.log_in(1);
  one_.core.frame(1, Bye{});
  const auto gone = one_.words<sessions::ClientGone>();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0], (sessions::ClientGone{first.session, kBind}));
  EXPECT_EQ(refused(2, resume_of(first, 1)), CloseReason::ended);
}

// --- the clock -----------------------------------------------------------------------------------

class GateClock : public GateDoors {};

TEST_F(GateClock, ASilentSubjectIsAskedAndThenItsAccount) {
  const Welcome first = one_.log_in(1);
  one_.tick(kPulse);
  const auto pulses = one_.all<TellSubject>();
  ASSERT_FALSE(pulses.empty());
  EXPECT_EQ(std::get<sessions::Pulse>(pulses[0].word),
            (sessions::Pulse{first.session, 1, kBind, kRun, 2}));
  one_.core.outcome(pulses[0].question, Outcome::owner_lost, {});
  const auto where = one_.all<TellAccount>();
  ASSERT_EQ(where.size(), 1U);
  EXPECT_EQ(std::get<sessions::Where>(where[0].word).bind, kBind);
  // The account is dead, too: it is loaded, and asked again.
  one_.core.outcome(where[0].question, Outcome::no_owner, {});
  EXPECT_EQ(one_.all<LoadAccount>().at(0).account, "account/ada");
  one_.tick(kAskPause - GateTime(1));
  EXPECT_TRUE(one_.all<TellAccount>().empty());
  one_.tick(GateTime(1));
  const auto again = one_.all<TellAccount>();
  ASSERT_EQ(again.size(), 1U);
  one_.bound(again[0].question, {9, 1}, "player/8");
  one_.say(first.session, 2, {Driven::call("old")});
  EXPECT_EQ(one_.core.counters().parts_late, 1U);
  EXPECT_EQ(one_.core.find(first.session)->subject, "player/8");
}

TEST_F(GateClock, AHoleIsMendedWithFullState) {
  const Welcome first = one_.log_in(1);
  one_.say(first.session, 3, {Driven::call("b")});
  one_.tick(kHoleTime - GateTime(1));
  EXPECT_TRUE(one_.words<sessions::Resync>().empty());
  std::vector<std::chrono::seconds> asked;
  for (int second = 0; second < 100; ++second) {
    for (const TellSubject& each : one_.all<TellSubject>()) {
      if (!std::holds_alternative<sessions::Resync>(each.word)) continue;
      asked.push_back(std::chrono::seconds(second));
      one_.core.outcome(each.question, Outcome::ok,
                        bytes_of(sessions::Answer{AnswerKind::dropped, {}, {}, 0, 0, {}, {}}));
    }
    one_.tick(1s);
  }
  ASSERT_GE(asked.size(), 4U);
  EXPECT_EQ(asked[1] - asked[0], kPulse);
  EXPECT_EQ(asked[2] - asked[1], 2 * kPulse);
  EXPECT_LE(asked.back() - asked[asked.size() - 2], kResyncMost);
  one_.core.take();
  one_.say(first.session, 1, {Driven::full()}, "player/7", 1, {5, 2});
  EXPECT_EQ(one_.all<SendPacket>().size(), 1U);
  EXPECT_FALSE(one_.core.find(first.session)->hole);
}

TEST_F(GateClock, AHomeThatDiedIsNotWaitedFor) {
  const Welcome first = one_.log_in(1);
  one_.say(first.session, 3, {Driven::call("b")}, "player/7", 1, kRun, kHome2);
  one_.core.died(kHome2);
  one_.tick();
  EXPECT_EQ(one_.words<sessions::Resync>().at(0).next, 2U);
  // The arrival part names a home that is dead.
  const Welcome second = one_.log_in(2, "player/8");
  one_.core.take();
  one_.say(second.session, 3,
           {{sessions::PartKind::idle, sessions::body_of(sessions::Idle{kHome2})}}, "player/8");
  EXPECT_EQ(one_.words<sessions::Resync>().size(), 1U);
}

TEST_F(GateClock, AClientThatWaitsIsTold) {
  const Welcome first = one_.log_in(1);
  one_.core.told(sessions::Bound{first.session, {9, 1}, "player/8"});
  one_.tick(kWaitingSaid);
  EXPECT_EQ(one_.frames<Waiting>().at(0).what, WaitsFor::subject);
  one_.tick(kWaitingSaid);
  EXPECT_EQ(one_.frames<Waiting>().size(), 1U);
}

TEST_F(GateClock, AnAwayClientIsGoneAfterItsTime) {
  const Welcome first = one_.log_in(1);
  one_.core.closed(1);
  one_.core.take();
  one_.tick(sessions::kAwayTime - GateTime(1));
  EXPECT_TRUE(one_.words<sessions::ClientGone>().empty());
  one_.tick(GateTime(1));
  EXPECT_EQ(one_.words<sessions::ClientGone>().size(), 1U);
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::ended);
  // A home that speaks on is told.
  one_.say(first.session, 2, {Driven::call("a")});
  EXPECT_EQ(one_.words<sessions::Unknown>().at(0), (sessions::Unknown{first.session, 1}));
}

TEST_F(GateClock, ASlowClientIsEndedWithAReason) {
  const Welcome first = one_.log_in(1);
  const Body large = std::make_shared<const bus::Bytes>(sessions::kPartBytes);
  for (std::uint64_t n = 2; n < 10; ++n) {
    one_.say(first.session, n, {{sessions::PartKind::call, large}});
  }
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::too_slow);
}

TEST_F(GateClock, WithoutTheBusClientsGoElsewhere) {
  const Welcome first = one_.log_in(1);
  one_.core.opened(2, "x");
  one_.core.frame(2, Login{"password", "bob", {}});  // its login will not answer
  one_.core.linked(false);
  one_.core.take();
  one_.tick(kSuspect - GateTime(1));
  EXPECT_FALSE(one_.core.cut_off());
  EXPECT_TRUE(one_.all<HangUp>().empty());
  one_.tick(GateTime(1));
  EXPECT_TRUE(one_.core.cut_off());
  const auto closed = one_.frames<Closed>();
  ASSERT_EQ(closed.size(), 2U);
  EXPECT_EQ(closed[0].reason, CloseReason::leaving);
  EXPECT_EQ(closed[1].reason, CloseReason::leaving);
  EXPECT_EQ(one_.core.counters().cut_off, 2U);
  EXPECT_EQ(one_.core.size(), 1U) << "nobody knows of the session of a login without an answer";
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::away);
  // Nobody is let in: neither with a password, nor with a token, right or wrong.
  one_.core.opened(3, "x");
  one_.core.frame(3, Login{"password", "bob", {}});
  one_.core.opened(4, "x");
  one_.core.frame(4, Resume{first.session, first.token, "gate/one", {1, 0}, {}});
  EXPECT_EQ(one_.all<HangUp>().size(), 2U);
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::away);
  // The link is back, and so is the client: nothing is missing.
  one_.core.linked(true);
  EXPECT_FALSE(one_.core.cut_off());
  one_.core.opened(5, "x");
  one_.core.frame(5, Resume{first.session, first.token, "gate/one", {1, 0}, {}});
  const auto welcomes = one_.frames<Welcome>();
  ASSERT_EQ(welcomes.size(), 1U);
  EXPECT_TRUE(welcomes[0].goes_on);
}

TEST_F(GateClock, AShortPauseOfTheBusSendsNobodyAway) {
  one_.log_in(1);
  for (int i = 0; i < 3; ++i) {
    one_.core.linked(false);
    one_.tick(kSuspect - GateTime(1));
    one_.core.linked(false);  // told twice: the time goes on
    one_.core.linked(true);
    one_.tick(kSuspect);
  }
  EXPECT_TRUE(one_.all<HangUp>().empty());
}

TEST_F(GateClock, WithoutTheBusClientsGoInSlices) {
  Driven gate{kOne};
  constexpr std::size_t kMany = kTickSlice + 10;
  for (ConnectionId each = 1; each <= kMany; ++each) gate.log_in(each);
  gate.core.linked(false);
  gate.core.take();
  gate.now += kSuspect;
  static_cast<void>(gate.core.tick(gate.now));
  EXPECT_EQ(gate.all<HangUp>().size(), kTickSlice);
  static_cast<void>(gate.core.tick(gate.now));
  EXPECT_EQ(gate.all<HangUp>().size(), kMany - kTickSlice);
}

TEST_F(GateClock, AFencedGateSaysNothing) {
  one_.log_in(1);
  one_.core.fence();
  EXPECT_EQ(one_.all<HangUp>().size(), 1U);
  one_.tick(kPulse);
  one_.core.opened(2, "x");
  EXPECT_EQ(one_.all<HangUp>().size(), 1U);
  EXPECT_EQ(one_.core.size(), 0U);
}

TEST_F(GateClock, MalformedWordsChangeNothing) {
  const Welcome first = one_.log_in(1);
  one_.core.bundle(kHome, bus::Bytes(5));
  one_.core.outcome(12'345, Outcome::ok, {});
  one_.say(first.session, 2, {Driven::call("x")}, "player/9");  // not whom the account has told
  EXPECT_EQ(one_.core.counters().parts_foreign, 1U);
  EXPECT_EQ(one_.core.counters().malformed_words, 1U);
  EXPECT_TRUE(one_.core.take().empty());
}

}  // namespace
}  // namespace starbus::nodes::gate
