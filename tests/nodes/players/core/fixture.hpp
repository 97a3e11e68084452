/// One account with a disk and entities that do what a test says.
#pragma once

#include <gtest/gtest.h>

#include "nodes/players/core/account_core.hpp"

namespace starbus::nodes::players::fixture {

using namespace sessions;

inline const GateId kGateA{"gate/a", {1, 1, 10}};
inline const GateId kGateB{"gate/b", {2, 2, 20}};
inline const SessionId kFirst{1, 1};
inline const SessionId kSecond{2, 2};
inline const Key kSecret1{11, 12};
inline const Key kSecret2{21, 22};
inline const std::string kAda = "account/ada";
inline const std::string kHero = "player/1";
inline const std::string kMage = "player/2";

class AccountCoreTest : public ::testing::Test {
 protected:
  AccountCoreTest() { core_.owned(7, std::nullopt, out_); }

  /// What was told, and is forgotten here; then the disk has it.
  AccountEffects take() { return std::exchange(out_, {}); }
  void store() {
    ASSERT_TRUE(out_.store) << "nothing to store";
    disk_ = out_.store->row;
    const std::uint64_t number = out_.store->number;
    out_.store.reset();
    core_.stored(number, out_);
  }
  AccountAnswer answer_to(std::uint64_t number) {
    for (const auto& each : out_.answers) {
      if (each.ask == number) return each.answer;
    }
    ADD_FAILURE() << "no answer to " << number;
    return {};
  }
  std::uint64_t ask(const AskAccount& word, const Sender& from = {kGateA.process, true},
                    const std::optional<TicketSeen>& ticket = {}) {
    core_.ask(++asks_, word, from, ticket, out_);
    return asks_;
  }
  /// A login proves itself: its number.
  std::uint64_t prove() {
    const std::uint64_t number = ask(Prove{}, {});
    store();
    return answer_to(number).login;
  }
  static TicketSeen ticket(std::uint64_t login, const SessionId& session = kFirst,
                           const GateId& gate = kGateA) {
    return {false, session, gate.channel, login};
  }
  std::uint64_t bind(const std::optional<TicketSeen>& seen, const SessionId& session = kFirst,
                     const GateId& gate = kGateA) {
    return ask(BindSession{session, gate, 1, seal_of(kSecret1), {}}, {gate.process, true}, seen);
  }
  /// The open question to a subject.
  AccountEffects::ForSubject told() {
    for (const auto& each : out_.subjects) {
      if (each.question != 0) return each;
    }
    ADD_FAILURE() << "no subject was told anything";
    return {};
  }
  SetLink set_link() {
    const auto each = told();
    const SetLink* const word = std::get_if<SetLink>(&each.word);
    EXPECT_NE(word, nullptr);
    return word == nullptr ? SetLink{} : *word;
  }
  void say(Outcome outcome, const std::optional<Answer>& answer = {}) {
    const std::uint64_t question = told().question;
    out_.subjects.clear();
    core_.answered(question, outcome, answer, now_, out_);
  }
  void say(AnswerKind kind, const std::optional<Closing>& closing = {}) {
    Answer answer;
    answer.kind = kind;
    answer.closing = closing;
    say(Outcome::answered, answer);
  }
  /// ada's first login plays her first entity.
  void log_in() {
    bind(ticket(prove()));
    store();
    say(AnswerKind::ok);
    ASSERT_TRUE(core_.settled());
    out_ = {};
  }
  void tick(LinkTime passed) {
    now_ += passed;
    core_.tick(now_, out_);
  }
  /// The account has died, and lives again.
  void die(std::uint64_t epoch) {
    core_ = AccountCore({kAda, first_, true});
    out_ = {};
    core_.owned(epoch, disk_, out_);
  }

  std::string first_ = kHero;
  AccountEffects out_;
  AccountCore core_{{kAda, kHero, true}};
  std::optional<AccountRow> disk_;
  std::uint64_t asks_ = 0;
  LinkTime now_{1'000'000};
};

}  // namespace starbus::nodes::players::fixture
