// What becomes of requests that the bus, or the process of their subject, does not hand on.
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;
using sessions::AnswerKind;

class GateRequests : public GateTest {
 protected:
  void SetUp() override { welcome_ = one_.log_in(1); }

  void ask(std::uint64_t u, const Bind& bind = kBind) {
    one_.core.frame(1, Ask{u, bind, bus::Bytes(2)});
  }
  /// The questions of one kind to the subject since the last call, by number.
  template <class Word>
  std::vector<TellSubject> asked() {
    auto all = one_.all<TellSubject>();
    std::erase_if(all, [](const auto& each) { return !std::holds_alternative<Word>(each.word); });
    return all;
  }
  std::vector<std::uint64_t> requests() {
    std::vector<std::uint64_t> numbers;
    for (const TellSubject& each : asked<sessions::Request>()) {
      numbers.push_back(std::get<sessions::Request>(each.word).u);
    }
    return numbers;
  }
  void answer(std::uint64_t question, AnswerKind kind) {
    one_.core.outcome(question, Outcome::ok,
                      bytes_of(sessions::Answer{kind, kBind, kRun, 2, 1, kOne, {}}));
  }

  Welcome welcome_;
};

class GateRequestsUnrun : public GateRequests, public ::testing::WithParamInterface<Outcome> {};

/// The process of the subject did not know this gate yet, or the bus thought of a former owner: the
/// subject lives, so nobody else says what becomes of the request.
TEST_P(GateRequestsUnrun, GoAgainInOrderWhenTheSubjectObeys) {
  ask(1);
  one_.core.outcome(asked<sessions::Request>().at(0).question, GetParam(), {});
  ask(2);
  EXPECT_TRUE(requests().empty()) << "there would be a gap before the second";
  one_.tick(kAskPause);
  const auto first = asked<sessions::Pulse>();
  ASSERT_EQ(first.size(), 1U);
  one_.core.outcome(first.at(0).question, GetParam(), {});
  // The subject speaks all the time, so that nothing but the request is a reason to ask.
  for (std::uint64_t n = 2; n < 6; ++n) {
    one_.tick(kPulse / 4 - GateTime(1));
    one_.say(welcome_.session, n, {Driven::call("news")});
    EXPECT_TRUE(asked<sessions::Pulse>().empty());
  }
  one_.tick(kPulse / 4);
  const auto second = asked<sessions::Pulse>();
  ASSERT_EQ(second.size(), 1U);
  answer(second.at(0).question, AnswerKind::ok);
  const auto again = asked<sessions::Request>();
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(std::get<sessions::Request>(again.at(0).word).u, 1U);
  EXPECT_EQ(std::get<sessions::Request>(again.at(1).word).u, 2U);
  answer(again.at(0).question, AnswerKind::dropped);  // it had been begun
  answer(again.at(1).question, AnswerKind::ok);
  one_.tick(kPulse);
  for (const TellSubject& pulse : asked<sessions::Pulse>()) answer(pulse.question, AnswerKind::ok);
  EXPECT_TRUE(requests().empty());
  ask(3);
  EXPECT_EQ(requests(), std::vector<std::uint64_t>{3});
}

INSTANTIATE_TEST_SUITE_P(Outcomes, GateRequestsUnrun,
                         ::testing::Values(Outcome::refused, Outcome::no_owner,
                                           Outcome::owner_lost));

/// The full state of the next bind says what has become of those of the bind before.
TEST_F(GateRequests, ThatWaitEndWithTheirBind) {
  ask(1);
  one_.core.outcome(asked<sessions::Request>().at(0).question, Outcome::owner_lost, {});
  const Bind next{kBind.epoch, kBind.counter + 1};
  one_.core.told(sessions::Bound{welcome_.session, next, "player/7"});
  one_.tick(kAskPause);
  const sessions::FullState state{"player/7", next, kBind, 0, {}, {}, {}};
  one_.say(welcome_.session, 1, {{sessions::PartKind::full, sessions::body_of(state)}}, "player/7",
           1, {kRun.epoch, kRun.counter + 1}, kHome, next);
  ask(1, next);
  EXPECT_EQ(requests(), std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace starbus::nodes::gate
