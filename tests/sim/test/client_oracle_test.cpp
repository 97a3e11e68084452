// The oracle of the clients: what it lets pass, and each breach that it names.
#include "tests/sim/oracles/client_oracle.hpp"

#include <gtest/gtest.h>

namespace starbus::sim {
namespace {

using bus::Errc;
using What = ClientOracle::Kind;

constexpr std::uint64_t kAsker = 1;
constexpr std::uint64_t kOwner = 2;

class ClientOracleTest : public testing::Test {
 protected:
  ClientOracle::Id ask(What kind, const std::string& to = "entity/a") {
    ClientOracle::Question question;
    question.kind = kind;
    question.asker = kAsker;
    question.to = to;
    question.deadline = bus::from_ms(100);
    return oracle_.begin(question);
  }
  void end_call(ClientOracle::Id id, const bus::Result<bus::Bytes>& result,
                std::uint64_t at_ms = 200) {
    oracle_.call_ended(id, result, bus::from_ms(at_ms), 0);
  }
  /// Handled and answered.
  bus::Bytes answer(ClientOracle::Id id) {
    oracle_.handled(id, kOwner, "entity/a");
    return encode_reply(id, oracle_.answers(id), 0);
  }
  static bool everybody_lives(std::uint64_t) { return true; }

  ClientOracle oracle_;
};

TEST_F(ClientOracleTest, LetsTrueEndsPass) {
  const auto answered = ask(What::call);
  end_call(answered, answer(answered), 50);
  end_call(ask(What::call), bus::Error{Errc::deadline, ""});
  const auto failed = ask(What::call);
  oracle_.handled(failed, kOwner, "entity/a");
  oracle_.fails(failed);
  end_call(failed, bus::Error{Errc::handler_failed, ""});
  const auto told = ask(What::announcement, "group/g");
  oracle_.handled(told, kOwner, "group/g#1");
  oracle_.announcement_ended(
      told, bus::GroupOutcome{1, {{"group/g#2", bus::Error{Errc::would_block, ""}}}});
  EXPECT_EQ(oracle_.violation(), "");
  EXPECT_EQ(oracle_.open(everybody_lives), "");
}

TEST_F(ClientOracleTest, NamesAReplyThatNobodySent) {
  end_call(ask(What::call), encode_reply(1, 7, 0));
  EXPECT_NE(oracle_.violation().find("no handler sent"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesTheReplyToAnotherCall) {
  const auto first = ask(What::call);
  const auto second = ask(What::call);
  end_call(second, answer(first));
  EXPECT_NE(oracle_.violation().find("another call"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesASecondEnd) {
  const auto id = ask(What::call);
  end_call(id, answer(id));
  end_call(id, bus::Error{Errc::deadline, ""});
  EXPECT_NE(oracle_.violation().find("ended twice"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesADeadlineBeforeItsTime) {
  end_call(ask(What::call), bus::Error{Errc::deadline, ""}, 99);
  EXPECT_NE(oracle_.violation().find("before its time"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesAFailureThatNoHandlerMade) {
  end_call(ask(What::call), bus::Error{Errc::handler_failed, ""});
  EXPECT_NE(oracle_.violation().find("did not fail it"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesWhatIsHandledAfterARefusal) {
  const auto id = ask(What::message);
  oracle_.message_ended(id, bus::Error{Errc::no_owner, ""}, {}, 0);
  EXPECT_EQ(oracle_.violation(), "");
  oracle_.handled(id, kOwner, "entity/a");
  EXPECT_NE(oracle_.violation().find("after a definite refusal"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesWhatIsHandledOutOfOrder) {
  const auto first = ask(What::message);
  const auto second = ask(What::message);
  oracle_.handled(second, kOwner, "entity/a");
  oracle_.handled(first, kOwner, "entity/a");
  EXPECT_NE(oracle_.violation().find("after its successor"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesAnOutcomeThatCountsTooMany) {
  const auto id = ask(What::announcement, "group/g");
  oracle_.handled(id, kOwner, "group/g#1");
  oracle_.announcement_ended(id, bus::GroupOutcome{2, {}});
  EXPECT_NE(oracle_.violation().find("2 members are said"), std::string::npos);
}

TEST_F(ClientOracleTest, NamesAMemberThatIsNamedTwice) {
  const bus::Error full{Errc::would_block, ""};
  oracle_.announcement_ended(ask(What::announcement, "group/g"),
                             bus::GroupOutcome{0, {{"group/g#1", full}, {"group/g#1", full}}});
  EXPECT_NE(oracle_.violation().find("named twice"), std::string::npos);
}

TEST_F(ClientOracleTest, WaitsForAnAnswerThatALivingHandlerSent) {
  const auto id = ask(What::call);
  (void)answer(id);
  EXPECT_NE(oracle_.open(everybody_lives), "");
  EXPECT_EQ(oracle_.open([](std::uint64_t life) { return life == kAsker; }), "");
  EXPECT_NE(oracle_.overdue(kAsker, bus::from_ms(101)), "");
  EXPECT_EQ(oracle_.overdue(kAsker, bus::from_ms(99)), "");
}

}  // namespace
}  // namespace starbus::sim
