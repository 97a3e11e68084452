// The rules of a link, one by one.
#include "entity/client/link.hpp"

#include "tests/entity/client/fixture.hpp"

namespace starbus::entity::sessions {
namespace {

using namespace fixture;

TEST_F(LinkTest, AStretchBeginsWithFullStateThatNamesTheSubject) {
  EXPECT_EQ(link_.call(bytes_of("x"), effects_).error(), SessionErrc::no_client);
  ASSERT_EQ(account(set(1)).kind, AnswerKind::ok);
  EXPECT_TRUE(effects_.linked && effects_.send);
  ASSERT_TRUE(link_.call(bytes_of("hello"), effects_));
  EXPECT_EQ(kinds(), "full call");
  EXPECT_EQ(last_.first, 1U);
  ASSERT_TRUE(last_.introduces);
  EXPECT_EQ(last_.introduces->run, (sessions::Run{5, 1}));
  const auto full = decode_full(*last_.parts[0].body);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->subject, "player/7");
  EXPECT_EQ(full->bind, (Bind{3, 1}));
  EXPECT_EQ(full->since, (Bind{3, 1}));  // nothing is known of earlier requests
  EXPECT_EQ(full->up_done, 0U);
}

TEST_F(LinkTest, ANumberIsDrawnWhenTheBusHasTakenThePart) {
  link();
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  const Section refused = link_.draft(kSectionBytes, 9, {}, 50);  // would_block: not taken
  EXPECT_EQ(link_.state().next, 2U);
  ASSERT_TRUE(link_.call(bytes_of("b"), effects_));
  EXPECT_EQ(kinds(), "call call");
  EXPECT_EQ(last_.first, refused.first);
  EXPECT_EQ(link_.state().next, 4U);
}

TEST_F(LinkTest, NothingIsSaidBeforeTheNameIsOwnedNorWhileFrozen) {
  link();
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  const LinkState packed = link_.freeze(now_);
  EXPECT_FALSE(link_.ready());
  EXPECT_EQ(link_.call(bytes_of("b"), effects_).error(), SessionErrc::frozen);
  ClientLink copy("player/7", packed, now_);
  copy.arrived({7, 7, 7});
  EXPECT_FALSE(copy.ready());
  copy.owned(6, effects_);
  EXPECT_TRUE(copy.ready());
}

TEST_F(LinkTest, AfterAMoveTheNumbersGoOnAndTheFirstPartNamesTheHomeBefore) {
  link();
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  move(6);
  const std::vector<Part> parts = flush();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].kind, PartKind::idle);
  EXPECT_EQ(decode_idle(*parts[0].body)->before, (bus::Process{7, 7, 7}));
  EXPECT_EQ(last_.first, 2U);
  EXPECT_EQ(last_.introduces->run, (sessions::Run{5, 1}));  // the run does not change with the home
}

TEST_F(LinkTest, AHomeThatNeverSpokeIsNotNamed) {
  link();
  move(6);
  link_.freeze(now_);
  bus::Bytes bytes;
  encode(link_.state(), bytes);
  ClientLink next("player/7", *decode_link(bytes), now_);
  next.arrived({8, 8, 8});
  EXPECT_EQ(next.state().unsent.size(), 1U);
  EXPECT_EQ(decode_idle(*next.state().unsent[0].body)->before, (bus::Process{7, 7, 7}));
}

TEST_F(LinkTest, AMoveUndoneUnderTheSameLineageGoesOnWithItsNumbers) {
  link();
  static_cast<void>(link_.freeze(now_));
  link_.thaw(effects_);
  link_.owned(7, effects_);
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  EXPECT_EQ(kinds(), "call");
  EXPECT_EQ(last_.first, 2U);
  EXPECT_FALSE(last_.introduces);  // the same home
}

TEST_F(LinkTest, ARollbackUnderAFreshLineageVoidsTheLinkAndAsksTheAccount) {
  link();
  static_cast<void>(link_.freeze(now_));
  link_.rolled_back(now_, effects_);
  link_.owned(9, effects_);
  EXPECT_FALSE(link_.linked());
  EXPECT_EQ(kinds(), "");
  ASSERT_EQ(effects_.accounts.size(), 1U);
  EXPECT_EQ(effects_.accounts[0].channel, "account/ada");
  EXPECT_EQ(std::get<LinkLost>(effects_.accounts[0].word).subject, "player/7");
  link_.tick(now_ + kAskAgain, effects_);
  EXPECT_EQ(effects_.accounts.size(), 2U);
  // A bind that it has obeyed before does not bring it back.
  EXPECT_EQ(account(set(1)).kind, AnswerKind::old);
  EXPECT_EQ(account(set(2)).kind, AnswerKind::ok);
  link_.tick(now_ + 3 * kAskAgain, effects_);
  EXPECT_EQ(effects_.accounts.size(), 2U);
  flush();
  EXPECT_EQ(last_.introduces->run, (sessions::Run{9, 1}));
  EXPECT_EQ(decode_full(*last_.parts[0].body)->since, (Bind{3, 2}));
}

TEST_F(LinkTest, ASilentGateIsAsked) {
  link();
  link_.tick(now_ + kGateSilent - LinkTime(1), effects_);
  EXPECT_EQ(kinds(), "");
  link_.tick(now_ + kGateSilent, effects_);
  EXPECT_EQ(kinds(), "idle");
  EXPECT_TRUE(last_.introduces);
  link_.tick(now_ + kGateSilent + LinkTime(1), effects_);
  EXPECT_EQ(kinds(), "");
}

TEST_F(LinkTest, AHigherBindReplacesAndTheOldGateHearsTheLastWord) {
  link();
  ASSERT_EQ(gate(request(1)).kind, AnswerKind::ok);
  ASSERT_TRUE(link_.call(bytes_of("for the first"), effects_));
  ASSERT_EQ(account(set(2, kOther, 2)).kind, AnswerKind::ok);
  ASSERT_EQ(effects_.gates.size(), 1U);
  EXPECT_EQ(effects_.gates[0].to, kGate1);
  const auto& end = std::get<End>(effects_.gates[0].word);
  EXPECT_EQ(end.session, kSession);
  EXPECT_EQ(end.bind, (Bind{3, 2}));
  EXPECT_EQ(end.reason, Reason::replaced);
  EXPECT_EQ(end.closing->up_done, 1U);
  // What was said for the first session reaches nobody else; nor do its requests.
  EXPECT_EQ(kinds(), "full");
  EXPECT_EQ(last_.introduces->run, (sessions::Run{5, 2}));
  EXPECT_EQ(decode_full(*last_.parts[0].body)->up_done, 0U);
  EXPECT_FALSE(link_.reply(1, 1, {}, effects_));
  EXPECT_EQ(gate(Request{kSession, 1, {3, 1}, 2, *bytes_of("x")}).kind, AnswerKind::replaced);
  EXPECT_EQ(account(set(1)).kind, AnswerKind::old);
}

TEST_F(LinkTest, ReentryOfTheSameLoginKeepsNumbersAndReplies) {
  link();
  ASSERT_EQ(gate(request(1)).kind, AnswerKind::ok);
  ASSERT_EQ(gate(request(2)).kind, AnswerKind::ok);
  ASSERT_TRUE(link_.reply(1, 1, *bytes_of("bought"), effects_));  // not taken yet
  ASSERT_TRUE(link_.call(bytes_of("for the first"), effects_));
  link_.gate_died(kGate1.process, now_);
  ASSERT_EQ(account(set(2, kOther, 1)).kind, AnswerKind::ok);
  EXPECT_EQ(kinds(), "full reply");
  const auto full = decode_full(*last_.parts[0].body);
  EXPECT_EQ(full->up_done, 2U);
  EXPECT_EQ(full->open, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(full->since, (Bind{3, 1}));
  ASSERT_TRUE(link_.reply(1, 2, {}, effects_));  // begun under the run before
  EXPECT_EQ(kinds(), "reply");
  EXPECT_TRUE(link_.state().open.empty());
}

TEST_F(LinkTest, RequestsBeginOnceInOrderAndOnlyForTheirGateAndBind) {
  link();
  EXPECT_EQ(gate(request(1)).kind, AnswerKind::ok);
  ASSERT_TRUE(effects_.begin);
  EXPECT_EQ(effects_.begin->u, 1U);
  effects_ = {};
  EXPECT_EQ(gate(request(1)).kind, AnswerKind::dropped);
  EXPECT_EQ(gate(request(2), kGate2).kind, AnswerKind::refused);
  Request late = request(2);
  late.turn = 0;
  EXPECT_EQ(gate(late).kind, AnswerKind::dropped);
  Request early = request(2);
  early.bind.counter = 9;
  EXPECT_EQ(gate(early).kind, AnswerKind::not_linked);
  EXPECT_FALSE(effects_.begin);
  EXPECT_EQ(gate(request(2, "")).kind, AnswerKind::ok);  // its gate has refused it
  EXPECT_FALSE(effects_.begin);
  EXPECT_EQ(link_.state().up_done, 2U);
  EXPECT_EQ(link_.state().open.size(), 1U);
  EXPECT_EQ(gate(request(4)).kind, AnswerKind::dropped);  // a fault of the gate
  EXPECT_EQ(effects_.gone, Reason::fault);
  EXPECT_EQ(kinds(), "over");
  EXPECT_FALSE(link_.linked());
}

TEST_F(LinkTest, OpenRequestsAreBounded) {
  link();
  for (std::uint64_t u = 1; u <= kRequestsOpen; ++u)
    ASSERT_EQ(gate(request(u)).kind, AnswerKind::ok);
  EXPECT_EQ(gate(request(kRequestsOpen + 1)).kind, AnswerKind::dropped);
  EXPECT_EQ(effects_.gone, Reason::fault);
}

TEST_F(LinkTest, RelinkNeedsAHigherTurnAndTheRightPass) {
  link();
  const Relink two{kSession, {3, 1}, 2, kGate2, {{kPass1, seal_of(kPass2)}}};
  Relink forged = two;
  forged.passes[0].secret = {9, 9};
  EXPECT_EQ(gate(forged, kGate2).kind, AnswerKind::refused);
  EXPECT_EQ(gate(two, kGate1).kind, AnswerKind::refused);  // for another than who says it
  EXPECT_EQ(gate(two, kGate2).kind, AnswerKind::ok);
  EXPECT_EQ(gate(two, kGate2).kind, AnswerKind::ok);  // repeated
  EXPECT_EQ(kinds(), "idle");
  EXPECT_EQ(last_.introduces->turn, 2U);
  // The gate that gave it cannot take it back, and its requests come late.
  const Relink back{kSession, {3, 1}, 3, kGate1, {{kPass1, seal_of(kPass3)}}};
  const Answer refused = gate(back, kGate1);
  EXPECT_EQ(refused.kind, AnswerKind::refused);
  EXPECT_EQ(refused.gate, kGate2);
  EXPECT_EQ(refused.turn, 2U);
  EXPECT_EQ(gate(Request{kSession, 1, {3, 1}, 1, *bytes_of("x")}, kGate1).kind,
            AnswerKind::dropped);
  // Turn orders gates, bind orders subjects: an older turn with a higher bind keeps the gate.
  EXPECT_EQ(account(set(2)).kind, AnswerKind::ok);
  EXPECT_EQ(link_.state().gate, kGate2);
}

TEST_F(LinkTest, ARelinkMaySkipHandOversThatItShows) {
  link();
  const Relink three{
      kSession, {3, 1}, 3, kGate1, {{kPass1, seal_of(kPass2)}, {kPass2, seal_of(kPass3)}}};
  EXPECT_EQ(account(three).kind, AnswerKind::ok);  // the account's copy of it
  EXPECT_EQ(link_.state().seal, seal_of(kPass3));
  const Relink too_far{kSession, {3, 1}, 5, kGate2, {{kPass3, seal_of(kPass1)}}};
  EXPECT_EQ(gate(too_far, kGate2).kind, AnswerKind::refused);
}

TEST_F(LinkTest, AResyncIsAnsweredOnceWithFullState) {
  link();
  ASSERT_TRUE(link_.call(bytes_of("lost"), effects_));
  flush();
  const Resync hole{kSession, 1, {3, 1}, {5, 1}, 2};
  EXPECT_EQ(gate(hole).kind, AnswerKind::ok);
  EXPECT_EQ(kinds(), "full");
  EXPECT_EQ(last_.introduces->run, (sessions::Run{5, 2}));
  EXPECT_EQ(gate(hole).kind, AnswerKind::ok);  // of a run that is over
  EXPECT_EQ(kinds(), "idle");
  EXPECT_EQ(link_.state().run, (sessions::Run{5, 2}));
  EXPECT_EQ(gate(Resync{kSession, 1, {3, 1}, {5, 2}, 3}).kind, AnswerKind::ok);  // it has all
  EXPECT_EQ(kinds(), "idle");
  EXPECT_EQ(gate(Resync{kSession, 1, {3, 9}, {}, 1}).kind, AnswerKind::not_linked);
  EXPECT_EQ(gate(Resync{kOther, 1, {3, 0}, {}, 1}).kind, AnswerKind::replaced);
}

TEST_F(LinkTest, APulseIsAnsweredWithANumberAndNeverWithFullState) {
  link();
  const Answer answer = gate(Pulse{kSession, 1, {3, 1}, {5, 1}, 2});
  EXPECT_EQ(answer.kind, AnswerKind::ok);
  EXPECT_EQ(answer.run, (sessions::Run{5, 1}));
  EXPECT_EQ(answer.next, 2U);
  gate(Pulse{kSession, 1, {3, 1}, {5, 1}, 2});
  EXPECT_EQ(kinds(), "idle");  // one, however often it is asked
}

TEST_F(LinkTest, CreditStopsPropertiesAndNotCalls) {
  link();
  EXPECT_TRUE(link_.wants_news());
  const Body large = std::make_shared<const bus::Bytes>(kFirstCredit);
  link_.news(large, effects_);
  EXPECT_EQ(kinds(), "news");
  EXPECT_FALSE(link_.wants_news());
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  EXPECT_EQ(kinds(), "call");
  effects_ = {};
  EXPECT_EQ(gate(Credit{kSession, {3, 1}, {5, 1}, 99, 1000}).kind, AnswerKind::dropped);  // a lie
  EXPECT_EQ(gate(Credit{kSession, {3, 1}, {5, 0}, 2, 1000}).kind, AnswerKind::dropped);
  EXPECT_EQ(gate(Credit{kSession, {3, 1}, {5, 1}, 2, 1000}).kind, AnswerKind::ok);
  EXPECT_TRUE(effects_.news);
  EXPECT_TRUE(link_.wants_news());
}

TEST_F(LinkTest, SightWaitsForCreditAndIsRefusedMeanwhile) {
  EXPECT_FALSE(link_.wants_sight());
  EXPECT_EQ(link_.sight(bytes_of("a"), effects_).error(), SessionErrc::no_client);
  link();
  const Body large = std::make_shared<const bus::Bytes>(kFirstCredit);
  ASSERT_TRUE(link_.sight(large, effects_));
  ASSERT_TRUE(link_.call(bytes_of("a"), effects_));
  EXPECT_EQ(kinds(), "sight call");
  EXPECT_FALSE(link_.wants_sight());
  EXPECT_EQ(link_.sight(bytes_of("b"), effects_).error(), SessionErrc::no_credit);
  EXPECT_EQ(gate(Credit{kSession, {3, 1}, {5, 1}, 3, 1000}).kind, AnswerKind::ok);
  EXPECT_TRUE(link_.wants_sight());
  const Body huge = std::make_shared<const bus::Bytes>(kPartBytes + 1);
  EXPECT_EQ(link_.sight(huge, effects_).error(), SessionErrc::too_large);
  // What a player sees is of no use to a client that goes, or that begins anew.
  ASSERT_TRUE(link_.sight(bytes_of("b"), effects_));
  ASSERT_TRUE(link_.call(bytes_of("c"), effects_));
  link_.let_go(Reason::ended, effects_);
  EXPECT_EQ(kinds(), "call over");
}

TEST_F(LinkTest, AClientThatTakesNothingEndsAsTooSlow) {
  link();
  const Body large = std::make_shared<const bus::Bytes>(kPartBytes);
  Result<> said;
  for (int i = 0; i < 8 && said; ++i) said = link_.call(large, effects_);
  EXPECT_EQ(said.error(), SessionErrc::too_slow);
  EXPECT_EQ(effects_.gone, Reason::too_slow);
  EXPECT_EQ(kinds(), "over");
  EXPECT_EQ(std::get<Left>(effects_.accounts.at(0).word).reason, Reason::too_slow);
}

TEST_F(LinkTest, AClientWhoseGateDiedIsAwayAndThenGone) {
  link();
  link_.gate_died(kGate2.process, now_);
  EXPECT_FALSE(link_.away());
  link_.gate_died(kGate1.process, now_);
  EXPECT_TRUE(link_.away());
  now_ += kAwayTime / 2;
  move(6);  // the clock does not start anew
  EXPECT_TRUE(link_.away());
  now_ += kAwayTime / 2;
  link_.tick(now_, effects_);
  EXPECT_EQ(effects_.gone, Reason::away);
  EXPECT_FALSE(link_.linked());
  EXPECT_EQ(kinds(), "");
}

TEST_F(LinkTest, UnknownAndClientGoneAreBelievedFromItsGateAlone) {
  link();
  EXPECT_EQ(gate(Unknown{kSession, 1}, kGate2).kind, AnswerKind::dropped);
  EXPECT_EQ(gate(ClientGone{kSession, {3, 1}}, kGate2).kind, AnswerKind::refused);
  EXPECT_EQ(gate(Unknown{kSession, 1}).kind, AnswerKind::ok);
  EXPECT_TRUE(link_.away());
  EXPECT_EQ(gate(ClientGone{kSession, {3, 1}}).kind, AnswerKind::ok);
  EXPECT_EQ(effects_.gone, Reason::away);
}

TEST_F(LinkTest, AnUnlinkSaysTheLastWordAndHandsOnWhatIsKnown) {
  link();
  ASSERT_EQ(gate(request(1)).kind, AnswerKind::ok);
  ASSERT_TRUE(link_.call(bytes_of("bye"), effects_));
  const Answer answer = account(Unlink{{3, 2}, Reason::switched});
  EXPECT_EQ(answer.kind, AnswerKind::ok);
  ASSERT_TRUE(answer.closing);
  EXPECT_EQ(answer.closing->up_done, 1U);
  EXPECT_EQ(answer.closing->open, (std::vector<std::uint64_t>{1}));
  EXPECT_FALSE(link_.linked());
  EXPECT_EQ(gate(request(2)).kind, AnswerKind::not_linked);
  EXPECT_EQ(kinds(), "call over");
  EXPECT_FALSE(link_.state().session);
  EXPECT_EQ(account(Unlink{{3, 2}, Reason::switched}).kind, AnswerKind::old);
  // Back again, after another subject has begun 2 and 3.
  SetLink back = set(4);
  back.closing = Closing{1, 3, {3, 1}, {1, 3}};
  ASSERT_EQ(account(back).kind, AnswerKind::ok);
  flush();
  const auto full = decode_full(*last_.parts[0].body);
  EXPECT_EQ(full->up_done, 3U);
  EXPECT_EQ(full->open, (std::vector<std::uint64_t>{1}));  // 3 is not its own to answer
}

TEST_F(LinkTest, AReplyWithoutClientLeavesNothingOpen) {
  link();
  ASSERT_EQ(gate(request(1)).kind, AnswerKind::ok);
  account(Unlink{{3, 2}, Reason::switched});
  flush();
  EXPECT_FALSE(link_.reply(1, 1, {}, effects_));
  EXPECT_TRUE(link_.state().open.empty());
}

TEST_F(LinkTest, WordsOfAccountsAreNotTakenFromGates) {
  EXPECT_EQ(gate(set(1)).kind, AnswerKind::refused);
  link();
  EXPECT_EQ(gate(Unlink{{3, 9}, Reason::switched}).kind, AnswerKind::refused);
  EXPECT_TRUE(link_.linked());
}

TEST_F(LinkTest, GroupsBelongToTheBindAndAreListedInEveryFullState) {
  link();
  ASSERT_TRUE(link_.join("guild", effects_));
  ASSERT_TRUE(link_.join("guild", effects_));
  EXPECT_EQ(kinds(), "join");
  gate(Resync{kSession, 1, {3, 1}, {5, 1}, 2});
  flush();
  EXPECT_EQ(decode_full(*last_.parts[0].body)->groups, (std::vector<std::string>{"guild"}));
  ASSERT_TRUE(link_.leave("guild", effects_));
  EXPECT_EQ(kinds(), "leave");
  ASSERT_TRUE(link_.join("guild", effects_));
  account(set(2));
  flush();
  EXPECT_TRUE(decode_full(*last_.parts[0].body)->groups.empty());
}

TEST_F(LinkTest, AStateThatBreaksTheOrderIsRefused) {
  link();
  const LinkState sound = link_.freeze(now_);
  const auto decodes = [](const LinkState& state) {
    bus::Bytes bytes;
    encode(state, bytes);
    return decode_link(bytes).has_value();
  };
  EXPECT_TRUE(decodes(sound));
  LinkState bad = sound;
  bad.next = 9;
  EXPECT_FALSE(decodes(bad));
  bad = sound;
  bad.open = {2, 1};
  EXPECT_FALSE(decodes(bad));
  bad = sound;
  bad.session = {};
  EXPECT_FALSE(decodes(bad));
  bad = sound;
  bad.closing = true;
  EXPECT_FALSE(decodes(bad));
}

}  // namespace
}  // namespace starbus::entity::sessions
