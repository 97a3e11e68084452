// The rules of an account, one by one. The simulated world of tests/entity/client has them at once.
#include "nodes/players/core/account_core.hpp"

#include "tests/nodes/players/core/fixture.hpp"

namespace starbus::nodes::players {
namespace {

using namespace fixture;

// --- logins --------------------------------------------------------------------------------------

TEST_F(AccountCoreTest, ALoginGetsItsNumberWhenItIsStored) {
  const std::uint64_t number = ask(Prove{}, {});
  EXPECT_TRUE(out_.answers.empty());
  store();
  EXPECT_EQ(answer_to(number).kind, AccountAnswerKind::ok);
  EXPECT_EQ(answer_to(number).login, 1U);
  EXPECT_EQ(prove(), 2U);
  die(8);
  EXPECT_EQ(prove(), 3U);
}

TEST_F(AccountCoreTest, AGateProvesNothing) {
  EXPECT_EQ(answer_to(ask(Prove{})).kind, AccountAnswerKind::refused);
  EXPECT_FALSE(out_.store);
}

TEST_F(AccountCoreTest, ABindIsStoredAndThenToldToGateAndSubject) {
  const std::uint64_t number = bind(ticket(prove()));
  EXPECT_TRUE(out_.gates.empty());
  EXPECT_TRUE(out_.subjects.empty());
  EXPECT_FALSE(out_.opened);
  store();
  EXPECT_EQ(answer_to(number).kind, AccountAnswerKind::bound);
  EXPECT_EQ(answer_to(number).bind, (Bind{7, 1}));
  EXPECT_EQ(answer_to(number).subject, kHero);
  ASSERT_EQ(out_.gates.size(), 1U);
  EXPECT_TRUE(out_.gates[0].word == ToGate(Bound{kFirst, {7, 1}, kHero}));
  EXPECT_EQ(told().subject, kHero);
  EXPECT_TRUE(set_link() == (SetLink{kFirst, kGateA, 1, {7, 1}, 1, kAda, seal_of(kSecret1), {}}));
  EXPECT_TRUE(out_.opened);
  EXPECT_EQ(disk_->session, kFirst);
  say(AnswerKind::ok);
  EXPECT_TRUE(out_.playing);
  EXPECT_TRUE(core_.settled());
}

TEST_F(AccountCoreTest, ASecondBindOfTheSameSessionRenewsOnly) {
  log_in();
  EXPECT_EQ(answer_to(bind({})).kind, AccountAnswerKind::bound);
  EXPECT_FALSE(out_.store);
  EXPECT_EQ(answer_to(bind({}, kFirst, kGateB)).kind, AccountAnswerKind::refused);
  EXPECT_EQ(answer_to(asks_).gate, kGateA);
}

TEST_F(AccountCoreTest, ATicketIsGoodForItsSessionAndGate) {
  const std::uint64_t login = prove();
  EXPECT_EQ(answer_to(bind({})).kind, AccountAnswerKind::refused);
  EXPECT_EQ(answer_to(bind(ticket(login, kSecond))).kind, AccountAnswerKind::refused);
  EXPECT_EQ(answer_to(bind(ticket(login, kFirst, kGateB))).kind, AccountAnswerKind::refused);
  EXPECT_EQ(answer_to(bind(ticket(login + 1))).kind, AccountAnswerKind::refused);
  EXPECT_EQ(answer_to(bind(TicketSeen{true, {}, {}, login})).kind, AccountAnswerKind::refused);
  BindSession forged{kFirst, kGateB, 1, {}, {}};
  EXPECT_EQ(answer_to(ask(forged, {kGateA.process, true}, ticket(login, kFirst, kGateB))).kind,
            AccountAnswerKind::refused);
  EXPECT_FALSE(out_.store);
  bind(ticket(login));
  EXPECT_TRUE(out_.store);
}

TEST_F(AccountCoreTest, OfTwoLoginsTheLaterWins) {
  const std::uint64_t first = prove();
  const std::uint64_t second = prove();
  bind(ticket(first));
  store();
  say(AnswerKind::ok);
  out_ = {};
  const std::uint64_t number = bind(ticket(second, kSecond, kGateB), kSecond, kGateB);
  store();
  EXPECT_EQ(answer_to(number).kind, AccountAnswerKind::bound);
  ASSERT_EQ(out_.gates.size(), 2U);
  EXPECT_EQ(out_.gates[1].to, kGateA);
  EXPECT_TRUE(out_.gates[1].word == ToGate(End{kFirst, {7, 2}, Reason::replaced, {}}));
  EXPECT_EQ(set_link().session, kSecond);
  // It does not come back, by its ticket or by its token.
  EXPECT_EQ(answer_to(bind(ticket(first))).kind, AccountAnswerKind::replaced);
  EXPECT_EQ(answer_to(bind(TicketSeen{true, {}, {}, first}, {9, 9})).kind,
            AccountAnswerKind::replaced);
  EXPECT_EQ(answer_to(ask(Where{kFirst, {7, 1}})).kind, AccountAnswerKind::replaced);
}

TEST_F(AccountCoreTest, AReentryIsAnotherSessionOfTheSameLogin) {
  log_in();
  bind(TicketSeen{true, {}, {}, 1}, kSecond, kGateB);
  store();
  EXPECT_EQ(set_link().session, kSecond);
  EXPECT_EQ(set_link().login, 1U);
  // Its first ticket was used.
  EXPECT_EQ(answer_to(bind(ticket(1))).kind, AccountAnswerKind::replaced);
}

// --- the disk ------------------------------------------------------------------------------------

TEST_F(AccountCoreTest, WhatIsNotStoredIsNotTold) {
  const std::uint64_t login = prove();
  const std::uint64_t number = bind(ticket(login));
  const std::uint64_t waits = ask(Where{kFirst, {}});
  const auto failed = take();
  core_.store_failed(failed.store->number, now_, out_);
  EXPECT_EQ(answer_to(number).kind, AccountAnswerKind::later);
  EXPECT_EQ(answer_to(waits).kind, AccountAnswerKind::later);
  EXPECT_TRUE(out_.gates.empty());
  EXPECT_EQ(core_.wakes(), now_ + kStoreAgain);
  tick(kStoreAgain - LinkTime(1));
  EXPECT_FALSE(out_.store);
  tick(LinkTime(1));
  core_.stored(failed.store->number, out_);  // too late
  EXPECT_TRUE(out_.gates.empty());
  store();
  EXPECT_EQ(out_.gates.size(), 1U);
  EXPECT_EQ(answer_to(bind({})).kind, AccountAnswerKind::bound);
}

TEST_F(AccountCoreTest, WordsWaitForTheDiskUpToABound) {
  ask(Prove{}, {});
  std::vector<std::uint64_t> waiting;
  for (std::size_t i = 0; i < kAccountAsks; ++i) waiting.push_back(ask(Where{kFirst, {}}));
  EXPECT_TRUE(out_.answers.empty());
  EXPECT_EQ(answer_to(ask(Where{kFirst, {}})).kind, AccountAnswerKind::later);
  EXPECT_EQ(core_.choose(kFirst, {}, kMage, out_).error(), PlayerErrc::no_session);
  EXPECT_EQ(core_.rest(out_).error(), PlayerErrc::busy);
  store();
  for (const std::uint64_t each : waiting) {
    EXPECT_EQ(answer_to(each).kind, AccountAnswerKind::ended);
  }
}

TEST_F(AccountCoreTest, WordsOfEntitiesWaitUpToABound) {
  ask(Prove{}, {});
  for (std::size_t i = 0; i < kAccountHeard + 3; ++i) core_.hear(LinkLost{kMage}, {}, out_);
  EXPECT_EQ(core_.counters().words_dropped, 3U);
  store();
  EXPECT_EQ(out_.subjects.size(), kAccountHeard);
}

TEST_F(AccountCoreTest, WhatWasStoredIsBoundAgainAfterADeath) {
  bind(ticket(prove()));
  store();
  die(8);  // between storing and telling
  EXPECT_TRUE(out_.subjects.empty());
  store();
  EXPECT_EQ(set_link().bind, (Bind{8, 1}));
  EXPECT_EQ(set_link().session, kFirst);
  EXPECT_EQ(answer_to(bind({})).kind, AccountAnswerKind::bound);
}

// --- subjects ------------------------------------------------------------------------------------

TEST_F(AccountCoreTest, ASubjectThatIsNotThereIsLoadedAndLinked) {
  bind(ticket(prove()));
  store();
  say(Outcome::no_owner);
  ASSERT_TRUE(out_.load);
  EXPECT_EQ(out_.load->subject, kHero);
  core_.loaded(out_.load->question, true, now_, out_);
  EXPECT_EQ(set_link().bind, (Bind{7, 1}));
}

TEST_F(AccountCoreTest, ASubjectThatDiedGetsAHigherBind) {
  bind(ticket(prove()));
  store();
  say(Outcome::owner_lost);
  core_.loaded(out_.load->question, true, now_, out_);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 2}));
}

TEST_F(AccountCoreTest, ALoadThatDoesNotHelpIsPaced) {
  bind(ticket(prove()));
  store();
  say(Outcome::no_owner);
  core_.loaded(out_.load->question, true, now_, out_);
  say(Outcome::no_owner);
  out_ = {};
  tick(kLinkAgain - LinkTime(1));
  EXPECT_FALSE(out_.store);
  tick(LinkTime(1));
  store();
  say(Outcome::no_owner);
  ASSERT_TRUE(out_.load);
  core_.loaded(out_.load->question, false, now_, out_);
  out_ = {};
  tick(kLinkAgain);
  store();
  say(AnswerKind::ok);
  EXPECT_TRUE(core_.settled());
  EXPECT_EQ(core_.counters().loads, 2U);
}

/// Its gate, its home and its client may all be gone: nobody else would ask.
TEST_F(AccountCoreTest, ASubjectIsLookedAtNowAndThen) {
  bind(ticket(prove()));
  store();
  say(AnswerKind::ok);
  out_ = {};
  EXPECT_EQ(core_.wakes(), now_ + kSubjectLook);
  tick(kSubjectLook - LinkTime(1));
  EXPECT_TRUE(out_.subjects.empty());
  tick(LinkTime(1));
  EXPECT_TRUE(std::holds_alternative<Pulse>(told().word));
  say(Outcome::no_owner);
  EXPECT_TRUE(out_.load);
}

TEST_F(AccountCoreTest, ASilentEntityIsLinkedAgain) {
  bind(ticket(prove()));
  store();
  say(Outcome::silent);
  tick(kLinkAgain);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 2}));
  say(AnswerKind::ending);
  tick(kLinkAgain);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 3}));
}

TEST_F(AccountCoreTest, AnEntityThatHasObeyedMoreGetsAHigherBindOrMakesItStale) {
  bind(ticket(prove()));
  store();
  Answer old{AnswerKind::old, {7, 40}, {}, 0, 0, {}, {}};
  say(Outcome::answered, old);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 41}));
  old.bind = {9, 1};
  say(Outcome::answered, old);
  EXPECT_TRUE(core_.stale());
  EXPECT_EQ(answer_to(bind({})).kind, AccountAnswerKind::later);
}

TEST_F(AccountCoreTest, ATakeoverWaitsForTheAnswerThatIsOpen) {
  const std::uint64_t first = prove();
  const std::uint64_t second = prove();
  bind(ticket(first));
  store();
  const std::uint64_t question = told().question;
  out_ = {};
  bind(ticket(second, kSecond, kGateB), kSecond, kGateB);
  store();
  EXPECT_TRUE(out_.subjects.empty());
  core_.answered(question, Outcome::silent, {}, now_, out_);
  EXPECT_EQ(set_link().session, kSecond);
}

TEST_F(AccountCoreTest, AGateThatHasLostTheSubjectMakesItLookFirst) {
  log_in();
  EXPECT_EQ(answer_to(ask(Where{kFirst, {7, 0}})).kind, AccountAnswerKind::bound);
  EXPECT_TRUE(out_.subjects.empty());  // the gate has not heard of the bind yet
  ask(Where{kFirst, {7, 1}});
  EXPECT_TRUE(std::holds_alternative<Pulse>(told().word));
  ask(Where{kFirst, {7, 1}});
  EXPECT_EQ(out_.subjects.size(), 1U);
  Answer linked{AnswerKind::refused, {7, 1}, {}, 0, 1, kGateA, {}};
  say(Outcome::answered, linked);
  EXPECT_TRUE(core_.settled());
  ask(Where{kFirst, {7, 1}});
  say(AnswerKind::not_linked);
  EXPECT_FALSE(out_.store);  // its last word may be under way
  tick(kLinkAgain);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 2}));
  say(AnswerKind::ok);
  ask(Where{kFirst, {7, 2}});
  say(Outcome::no_owner);
  ASSERT_TRUE(out_.load);
  core_.loaded(out_.load->question, true, now_, out_);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 3}));
}

TEST_F(AccountCoreTest, AnEntityWhoseLinkIsLostIsBoundAgainOrFreed) {
  log_in();
  core_.hear(LinkLost{kHero}, {kGateA.process, true}, out_);
  EXPECT_FALSE(out_.store);  // a gate does not say that
  core_.hear(LinkLost{kHero}, {}, out_);
  store();
  EXPECT_EQ(set_link().bind, (Bind{7, 2}));
  say(AnswerKind::ok);
  core_.hear(LinkLost{kMage}, {}, out_);
  ASSERT_EQ(out_.subjects.size(), 1U);
  EXPECT_EQ(out_.subjects[0].subject, kMage);
  EXPECT_TRUE(std::holds_alternative<Unlink>(out_.subjects[0].word));
}

// --- another character, and the end --------------------------------------------------------------

TEST_F(AccountCoreTest, AnotherCharacterIsLinkedAfterTheFirstWasUnlinked) {
  log_in();
  EXPECT_EQ(core_.choose(kFirst, {7, 0}, kMage, out_).error(), PlayerErrc::no_session);
  EXPECT_EQ(core_.choose(kFirst, {7, 1}, kHero, out_).error(), PlayerErrc::same_subject);
  ASSERT_TRUE(core_.choose(kFirst, {7, 1}, kMage, out_));
  EXPECT_EQ(core_.choose(kFirst, {7, 1}, kMage, out_).error(), PlayerErrc::busy);
  EXPECT_TRUE(out_.subjects.empty());
  store();
  EXPECT_TRUE(told().word == ToSubject(Unlink{{7, 2}, Reason::switched}));
  EXPECT_TRUE(out_.gates.empty());  // the last word of the first one is to be shown
  const Closing closing{1, 5, {7, 1}, {4}};
  say(AnswerKind::ok, closing);
  store();
  EXPECT_EQ(told().subject, kMage);
  EXPECT_EQ(set_link().bind, (Bind{7, 3}));
  EXPECT_EQ(set_link().closing, closing);
  say(Outcome::no_owner);  // nobody has had it
  core_.loaded(out_.load->question, true, now_, out_);
  EXPECT_EQ(set_link().closing, closing);
  say(Outcome::owner_lost);  // somebody may have had it
  tick(kLinkAgain);
  store();
  EXPECT_FALSE(set_link().closing);
}

TEST_F(AccountCoreTest, ASwitchIsFinishedAfterADeath) {
  log_in();
  ASSERT_TRUE(core_.choose(kFirst, {7, 1}, kMage, out_));
  store();
  die(8);
  EXPECT_TRUE(told().word == ToSubject(Unlink{{8, 1}, Reason::switched}));
  say(Outcome::no_owner);
  store();
  EXPECT_EQ(told().subject, kMage);
  EXPECT_FALSE(set_link().closing);
}

TEST_F(AccountCoreTest, ALeaverEndsTheSessionAndItsNumbersAreKept) {
  log_in();
  const Closing closing{1, 5, {7, 1}, {}};
  core_.hear(Left{kFirst, {7, 0}, kHero, Reason::away, closing}, {}, out_);
  core_.hear(Left{kFirst, {7, 1}, kMage, Reason::away, closing}, {}, out_);
  EXPECT_FALSE(out_.store);
  core_.hear(Left{kFirst, {7, 1}, kHero, Reason::away, closing}, {}, out_);
  EXPECT_TRUE(out_.gates.empty());
  store();
  EXPECT_TRUE(out_.gates.at(0).word == ToGate(End{kFirst, {7, 2}, Reason::away, closing}));
  EXPECT_EQ(out_.closed, Reason::away);
  EXPECT_EQ(answer_to(ask(Where{kFirst, {7, 2}})).kind, AccountAnswerKind::ended);
  EXPECT_EQ(answer_to(bind(ticket(1))).kind, AccountAnswerKind::ended);
  // The same login comes back, and its numbers go on.
  bind(TicketSeen{true, {}, {}, 1}, kSecond);
  store();
  EXPECT_EQ(set_link().closing, closing);
}

TEST_F(AccountCoreTest, ALaterLoginGetsNoNumbersOfTheEarlierOne) {
  log_in();
  core_.hear(Left{kFirst, {7, 1}, kHero, Reason::away, {1, 5, {7, 1}, {}}}, {}, out_);
  store();
  bind(ticket(prove(), kSecond), kSecond);
  store();
  EXPECT_FALSE(set_link().closing);
}

TEST_F(AccountCoreTest, ASubjectThatEndsThePlayLeadsBackToTheAccount) {
  first_ = kAda;
  die(7);
  bind(ticket(prove()));
  store();
  EXPECT_EQ(told().subject, kAda);
  say(AnswerKind::ok);
  ASSERT_TRUE(core_.choose(kFirst, core_.row().bind, kHero, out_));
  store();
  say(AnswerKind::ok);
  store();
  say(AnswerKind::ok);
  const Closing closing{1, 9, {7, 1}, {}};
  core_.hear(Left{kFirst, core_.row().bind, kHero, Reason::ended, closing}, {}, out_);
  store();
  EXPECT_EQ(told().subject, kAda);
  EXPECT_EQ(set_link().closing, closing);
}

TEST_F(AccountCoreTest, TheGameEndsASessionAfterItsSubjectWasUnlinked) {
  EXPECT_EQ(core_.end(Reason::ended, out_).error(), PlayerErrc::no_session);
  log_in();
  ASSERT_TRUE(core_.end(Reason::ended, out_));
  store();
  EXPECT_TRUE(told().word == ToSubject(Unlink{{7, 2}, Reason::ended}));
  const Closing closing{1, 3, {7, 1}, {}};
  say(AnswerKind::ok, closing);
  store();
  EXPECT_TRUE(out_.gates.at(0).word == ToGate(End{kFirst, {7, 3}, Reason::ended, closing}));
  EXPECT_EQ(out_.closed, Reason::ended);
  EXPECT_TRUE(core_.settled());
}

// --- hand-over -----------------------------------------------------------------------------------

TEST_F(AccountCoreTest, ARelinkIsStoredAndSentOn) {
  log_in();
  const Relink word{kFirst, {7, 1}, 2, kGateB, {{kSecret1, seal_of(kSecret2)}}};
  const std::uint64_t number = ask(word, {kGateB.process, true});
  EXPECT_TRUE(out_.subjects.empty());
  store();
  EXPECT_EQ(answer_to(number).kind, AccountAnswerKind::bound);
  EXPECT_EQ(answer_to(number).gate, kGateB);
  ASSERT_EQ(out_.subjects.size(), 1U);
  EXPECT_TRUE(out_.subjects[0].word == ToSubject(word));
  out_ = {};
  ask(word, {kGateB.process, true});  // again: the first may have been lost
  EXPECT_FALSE(out_.store);
  EXPECT_EQ(out_.subjects.size(), 1U);
  core_.hear(LinkLost{kHero}, {}, out_);
  out_.subjects.clear();
  store();
  EXPECT_EQ(set_link().turn, 2U);
  EXPECT_EQ(set_link().gate, kGateB);
  EXPECT_EQ(set_link().seal, seal_of(kSecret2));
}

TEST_F(AccountCoreTest, ARelinkNeedsAHigherTurnTheRightPassAndItsOwnGate) {
  log_in();
  Relink word{kFirst, {7, 1}, 2, kGateB, {{kSecret2, seal_of(kSecret2)}}};
  EXPECT_EQ(answer_to(ask(word, {kGateB.process, true})).kind, AccountAnswerKind::refused);
  EXPECT_EQ(answer_to(asks_).gate, kGateA);
  word.passes[0].secret = kSecret1;
  EXPECT_EQ(answer_to(ask(word, {kGateA.process, true})).kind, AccountAnswerKind::refused);
  word.turn = 1;
  EXPECT_EQ(answer_to(ask(word, {kGateB.process, true})).kind, AccountAnswerKind::refused);
  word.session = kSecond;
  EXPECT_EQ(answer_to(ask(word, {kGateB.process, true})).kind, AccountAnswerKind::replaced);
  EXPECT_FALSE(out_.store);
}

}  // namespace
}  // namespace starbus::nodes::players
