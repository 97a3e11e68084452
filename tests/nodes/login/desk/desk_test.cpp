// The login as gates see it: from an ask to a ticket that an account takes.
#include "nodes/login/desk/desk.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "nodes/login/desk/reentry_verifier.hpp"
#include "tests/nodes/test_loop.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
/// Right is who says "right"; answers when it is told to.
class HandVerifier final : public Verifier {
 public:
  std::string counted_as(const std::string& typed) const override { return typed; }
  void verify(Proof proof, std::function<void(Verdict)> done) override {
    const bool right = bus::as_text(proof.proof) == "right";
    const auto kind = right ? Verdict::Kind::right : Verdict::Kind::wrong;
    waiting.push_back([done, verdict = Verdict{kind, proof.account, {}, 0}] { done(verdict); });
  }
  std::deque<std::function<void()>> waiting;
};

class DeskTest : public ::testing::Test {
 protected:
  explicit DeskTest(DeskOptions options = {}) : options_(std::move(options)) {
    auto verifier = std::make_unique<HandVerifier>();
    verifier_ = verifier.get();
    EXPECT_TRUE(desk_.add("password", std::move(verifier)));
    EXPECT_TRUE(keys_.add(key_.verifying()));
    EXPECT_TRUE(desk_.add(gate::kReentryMethod, std::make_unique<ReentryVerifier>(
                                                    loop_, keys_, [this] { return now_.wall; })));
    desk_.gate_reports({9, 9, 9}, 0, 100);
    pass(1s);
  }
  void pass(Time time) {
    now_.steady += time;
    now_.wall += static_cast<std::uint64_t>(time.count());
    desk_.step();
  }
  LoginAsk ask(std::uint64_t session, std::string account, std::string_view proof = "right") const {
    const bus::ByteView bytes = bus::as_bytes(proof);
    return {.session = {session, 1},
            .gate = {"gate/east", {1, 2, session < 100 ? 3U : 4U}},
            .method = "password",
            .account = std::move(account),
            .proof = {bytes.begin(), bytes.end()},
            .address = "192.0.2." + std::to_string(session % 200)};
  }
  void say(const LoginAsk& ask) {
    desk_.ask(ask, [this, session = ask.session.high](const LoginAnswer& answer) {
      answers_[session].push_back(answer);
    });
  }
  void verify() {
    while (!verifier_->waiting.empty()) {
      const auto next = std::move(verifier_->waiting.front());
      verifier_->waiting.pop_front();
      next();
    }
  }
  void number(std::uint64_t login) {
    const auto asked = std::move(numbers_.front());
    numbers_.pop_front();
    asked.second(login);
  }
  Ticket verify_ticket(const bus::Bytes& bytes, TicketKind kind) {
    const auto ticket = login::verify(bytes, keys_, kind, now_.wall);
    EXPECT_TRUE(ticket) << ticket.error().to_string();
    return ticket ? *ticket : Ticket{};
  }
  template <class T>
  T last(std::uint64_t session) {
    const auto& told = answers_[session];
    EXPECT_FALSE(told.empty()) << session;
    const T* answer = told.empty() ? nullptr : std::get_if<T>(&told.back());
    EXPECT_NE(answer, nullptr) << session;
    return answer ? *answer : T{};
  }

  nodes::test::Loop loop_;
  Now now_{1'000s, 1'800'000'000'000};
  SigningKey key_ = SigningKey::generate().value();
  VerifyingKeys keys_;
  HandVerifier* verifier_ = nullptr;
  std::deque<std::pair<std::string, Desk::Numbered>> numbers_;
  std::map<std::uint64_t, std::vector<LoginAnswer>> answers_;
  const DeskOptions options_;
  Desk desk_{key_,
             [this](const std::string& account, Desk::Numbered done) {
               numbers_.emplace_back(account, std::move(done));
             },
             [this] { return now_; }, options_};
};

TEST_F(DeskTest, AdmitsWithATicketForTheGateAndOneForTheWayBack) {
  say(ask(1, "ada"));
  EXPECT_TRUE(answers_.empty());
  verify();
  EXPECT_EQ(numbers_.front().first, "account/ada");
  number(5);
  const auto admitted = last<LoginAdmitted>(1);
  EXPECT_EQ(admitted.account, "account/ada");
  EXPECT_EQ(admitted.login, 5U);
  const auto ticket = verify_ticket(admitted.ticket, TicketKind::login);
  EXPECT_EQ(ticket, (Ticket{TicketKind::login,
                            "account/ada",
                            {1, 1},
                            {"gate/east", {1, 2, 3}},
                            5,
                            now_.wall + 30'000}));
  const auto reentry = verify_ticket(admitted.reentry, TicketKind::reentry);
  EXPECT_EQ(reentry.login, 5U);
  EXPECT_EQ(reentry.gate, entity::sessions::GateId{});
  EXPECT_EQ(desk_.admission().counts().rows, 0U);
}

TEST_F(DeskTest, TheWayBackNeedsNeitherNumberNorPlace) {
  say(ask(1, "ada"));
  verify();
  number(5);
  desk_.gate_reports({9, 9, 9}, 100, 100);  // full
  LoginAsk back = ask(101, "");
  back.method = gate::kReentryMethod;
  back.proof = last<LoginAdmitted>(1).reentry;
  say(back);
  loop_.run(1);
  const auto admitted = last<LoginAdmitted>(101);
  EXPECT_EQ(admitted.login, 5U);
  EXPECT_TRUE(numbers_.empty());
  // The account gets the signed part itself: it knows by its login whether that plays, and a
  // stolen one does not live longer for having been used.
  EXPECT_EQ(admitted.ticket, last<LoginAdmitted>(1).reentry);
  EXPECT_EQ(admitted.reentry, last<LoginAdmitted>(1).reentry);
  // A ticket for a login is none for the way back, nor is one that was changed, or is too old.
  back.session = {102, 1};
  back.proof = last<LoginAdmitted>(1).ticket;
  say(back);
  loop_.run(1);
  EXPECT_EQ(last<LoginRefused>(102).reason, CloseReason::denied);
  back.session = {103, 1};
  back.proof = admitted.reentry;
  pass(Time(kReentryLife) + kTicketSkew + 1ms);
  say(back);
  loop_.run(1);
  EXPECT_EQ(last<LoginRefused>(103).reason, CloseReason::token);
}

TEST_F(DeskTest, WhatCannotBeAskedIsRefusedAtOnce) {
  LoginAsk odd = ask(1, "ada");
  odd.method = "magic";
  say(odd);
  EXPECT_EQ(last<LoginRefused>(1).reason, CloseReason::denied);
  odd = ask(2, "ada");
  odd.address = "somewhere";
  say(odd);
  EXPECT_EQ(last<LoginRefused>(2).reason, CloseReason::fault);
  EXPECT_TRUE(verifier_->waiting.empty());
}

TEST_F(DeskTest, AnAskThatIsRepeatedGoesOn) {
  say(ask(1, "ada"));
  int answers = 0;
  desk_.ask(ask(1, "ada"), [&](const LoginAnswer&) { ++answers; });
  LoginAsk stolen = ask(1, "ada");
  stolen.gate.channel = "gate/west";
  say(stolen);
  EXPECT_EQ(last<LoginRefused>(1).reason, CloseReason::fault);
  EXPECT_EQ(verifier_->waiting.size(), 1U);
  verify();
  number(1);
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(answers_[1].size(), 1U);
}

TEST_F(DeskTest, QueueIsToldAndPlacesOfADeadGateAreKept) {
  desk_.gate_reports({9, 9, 9}, 100, 100);
  say(ask(101, "ada"));
  say(ask(1, "bob"));
  verify();
  EXPECT_EQ(last<LoginWaiting>(101).ahead, 0U);
  EXPECT_EQ(last<LoginWaiting>(1).ahead, 1U);
  desk_.gate_died({1, 2, 4});
  EXPECT_EQ(desk_.next(), now_.steady);
  pass(1s);
  EXPECT_EQ(desk_.admission().counts().queued, 2U);
  say(ask(2, "ada"));  // by another gate
  verify();
  EXPECT_EQ(last<LoginWaiting>(2).ahead, 0U);
  EXPECT_EQ(answers_[101].size(), 1U);
  desk_.gone({1, 1});
  desk_.gate_reports({9, 9, 9}, 0, 100);
  pass(1s);
  EXPECT_EQ(numbers_.size(), 1U);
  number(3);
  EXPECT_EQ(last<LoginAdmitted>(2).login, 3U);
  pass(kQueueKeep);
  EXPECT_EQ(desk_.admission().counts().rows, 0U);
}

TEST_F(DeskTest, AGateThatDiesTakesItsPlacesAlong) {
  desk_.gate_reports({8, 8, 8}, 0, 10);
  desk_.gate_reports({9, 9, 9}, 100, 100);
  desk_.gate_died({8, 8, 8});
  desk_.gate_reports({9, 9, 9}, 100, 100);
  say(ask(1, "ada"));
  verify();
  EXPECT_EQ(last<LoginWaiting>(1).ahead, 0U);
  desk_.gate_reports({8, 8, 8}, 0, 10);
  EXPECT_EQ(numbers_.size(), 1U);
}

DeskOptions with_role(const std::string& role) {
  DeskOptions options;
  options.admission.places.load.roles = {role};
  return options;
}
class DeskLoadTest : public DeskTest {
 protected:
  DeskLoadTest() : DeskTest(with_role("space")) {}
};

TEST_F(DeskLoadTest, TheLoadOfTheNodesHoldsTheQueueUntilItFalls) {
  const auto busy = [&](double ms_per_s) {
    desk_.gate_reports({9, 9, 9}, 0, 100);
    desk_.nodes("space", {{"a.space-1", ms_per_s, 0s}});
  };
  busy(kLoadNone);
  say(ask(2, "bob"));
  verify();
  EXPECT_EQ(last<LoginWaiting>(2).ahead, 0U);
  EXPECT_EQ(desk_.places().hold, Hold::nodes);
  for (int i = 0; i < 10 && numbers_.empty(); ++i) {
    pass(2s);
    busy(100);
  }
  EXPECT_EQ(numbers_.size(), 1U);
}

TEST_F(DeskTest, MethodsAreBounded) {
  EXPECT_EQ(desk_.add("password", std::make_unique<HandVerifier>()).error(), Errc::exists);
  for (std::size_t i = 2; i < kMethods; ++i) {
    ASSERT_TRUE(desk_.add("m" + std::to_string(i), std::make_unique<HandVerifier>()));
  }
  EXPECT_EQ(desk_.add("x", std::make_unique<HandVerifier>()).error(), Errc::too_many);
}

}  // namespace
}  // namespace starbus::nodes::login
