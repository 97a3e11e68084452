// Questions of a gate that are held until there is news, over real routers.
#include "nodes/login/service/login_service.hpp"

#include <gtest/gtest.h>

#include "nodes/login/service/limits.hpp"
#include "nodes/login/service/login_calls.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::login {
namespace {

using boost::asio::use_awaitable;
using bus::Task;

/// Judges when the test says so.
class Slow final : public Verifier {
 public:
  explicit Slow(std::function<void(Verdict)>& done) : done_(done) {}
  std::string counted_as(const std::string& typed) const override { return typed; }
  void verify(Proof, std::function<void(Verdict)> done) override { done_ = std::move(done); }

 private:
  std::function<void(Verdict)>& done_;
};

class LoginServiceTest : public bus::LoopTest {
 protected:
  LoginServiceTest() {
    EXPECT_TRUE(desk_.add("password", std::make_unique<Slow>(judge_)));
    desk_.gate_reports({1, 1, 1}, 0, 100);
  }
  boost::asio::awaitable<bool> open() {
    for (bus::Bus* each : {&login_, &gate_}) {
      const auto connected = co_await each->connect(use_awaitable);
      if (!connected) co_return false;
    }
    const auto named = co_await gate_.bind("gate/a.g", bus::kNoHandlers, use_awaitable);
    if (!named) co_return false;
    for (rpc::Endpoint* each : {&at_login_, &at_gate_}) {
      const auto ready = co_await each->ready(use_awaitable);
      if (!ready) co_return false;
    }
    const auto bound = co_await at_login_.bind(std::string(kLoginService), service_, use_awaitable);
    const bus::Process process = gate_.self();
    co_return bound&& co_await until([&] { return at_login_.gates().is_gate(process); });
  }
  static LoginAsk ask_of_ada() {
    return {{5, 5}, {"gate/a.g", {}}, "password", "ada", {}, "127.0.0.1"};
  }
  /// Asks; the answer comes to told_.
  void enter() {
    bus::Bytes bytes;
    encode(ask_of_ada(), bytes);
    const std::string text(bus::as_text(bytes));
    rpc::call<&LoginService::enter>(at_gate_, std::string(kLoginService), {.deadline = kAnswer},
                                    text)([this](const auto& reply) {
      ASSERT_TRUE(reply) << reply.error().to_string();
      told_.push_back(gate::decode_login_told(bus::as_bytes(*reply)).value());
    });
  }
  static constexpr std::chrono::seconds kAnswer{10};

  Time now_{1'000};
  std::function<void(Verdict)> judge_;
  std::vector<LoginTold> told_;
  starbus::testing::Cluster cluster_{loop, {.hosts = {"a"}}};
  bus::Bus login_{loop, cluster_.node("a", "l")};
  bus::Bus gate_{loop, cluster_.node("a", "g")};
  rpc::Endpoint at_login_{login_};
  rpc::Endpoint at_gate_{gate_};
  Desk desk_{SigningKey::generate().value(),
             [](const std::string&, const Desk::Numbered& done) { done(9); },
             [this] {
               return Now{now_, 0};
             }};
  LoginService service_{desk_, [this] { return now_; }};
  LoginCalls calls_{at_gate_, kAnswer};
};

TEST_F(LoginServiceTest, AQuestionIsHeldAndThenAnsweredWithThePosition) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    enter();
    EXPECT_TRUE(co_await until([this] { return judge_ != nullptr; }));
    now_ += kAskHeld - Time(1);
    service_.sweep();
    service_.sweep();
    EXPECT_TRUE(told_.empty());
    now_ += Time(1);
    service_.sweep();
    EXPECT_TRUE(co_await until([this] { return told_.size() == 1; }));
    EXPECT_EQ(told_[0].answer, LoginAnswer(LoginWaiting{}));
    enter();
    EXPECT_TRUE(co_await until([this] {
      desk_.step();
      return service_.size() == 1;
    }));
    judge_({Verdict::Kind::right, "ada", {}, 0});
    EXPECT_TRUE(co_await until([this] {
      desk_.step();
      return told_.size() == 2;
    }));
    const auto* const admitted = std::get_if<LoginAdmitted>(&told_[1].answer);
    EXPECT_NE(admitted, nullptr);
    if (admitted != nullptr) {
      EXPECT_EQ(admitted->account, "account/ada");
      EXPECT_EQ(admitted->login, 9U);
    }
    EXPECT_EQ(service_.size(), 0U);
  });
}

TEST_F(LoginServiceTest, AsManyQuestionsAreHeldAsPlayersWait) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_EQ(service_.most_coroutines(), kQuestionsHeld);
    constexpr std::uint64_t kPlayers = 2 * rpc::kMaxRunningPerHost;
    std::size_t refused = 0;
    for (std::uint64_t player = 1; player <= kPlayers; ++player) {
      LoginAsk ask = ask_of_ada();
      ask.session = {5, player};
      ask.account = "p" + std::to_string(player);
      ask.address = "10.0." + std::to_string(player / 256) + "." + std::to_string(player % 256);
      bus::Bytes bytes;
      encode(ask, bytes);
      rpc::call<&LoginService::enter>(at_gate_, std::string(kLoginService), {.deadline = kAnswer},
                                      std::string(bus::as_text(bytes)))(
          [&refused](const auto& reply) { refused += reply ? 0 : 1; });
      // No more at once than the window to one channel has room for.
      if (player % 64 != 0) continue;
      EXPECT_TRUE(co_await until([&] { return service_.rpc_coroutines() == player; }));
    }
    EXPECT_EQ(refused, 0U);
    service_.close_rpc();
    EXPECT_TRUE(co_await until([&] { return refused == kPlayers; }));
  });
}

TEST_F(LoginServiceTest, WhoIsNotAskedForAnyMoreIsGone) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    enter();
    EXPECT_TRUE(co_await until([this] { return judge_ != nullptr; }));
    now_ += kAskHeld;
    service_.sweep();
    EXPECT_TRUE(co_await until([this] { return told_.size() == 1; }));
    now_ += kAskAbandoned;
    service_.sweep();
    service_.sweep();
    EXPECT_EQ(service_.size(), 0U);
    judge_({Verdict::Kind::right, "ada", {}, 0});  // nobody waits for it
    desk_.step();
    EXPECT_EQ(told_.size(), 1U);
  });
}

TEST_F(LoginServiceTest, AGateAsksAgainUntilTheLastAnswer) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    std::vector<LoginAnswer> said;
    calls_.ask(1, ask_of_ada(), [&](const LoginAnswer& answer) { said.push_back(answer); });
    EXPECT_TRUE(co_await until([this] { return judge_ != nullptr; }));
    now_ += kAskHeld;
    service_.sweep();
    EXPECT_TRUE(co_await until([&] { return said.size() == 1; }));
    EXPECT_EQ(said[0], LoginAnswer(LoginWaiting{}));
    EXPECT_EQ(calls_.size(), 1U);
    judge_({Verdict::Kind::right, "ada", {}, 0});
    EXPECT_TRUE(co_await until([&] {
      desk_.step();
      return said.size() == 2;
    }));
    const auto* const admitted = std::get_if<LoginAdmitted>(&said[1]);
    EXPECT_NE(admitted, nullptr);
    if (admitted != nullptr) {
      EXPECT_EQ(admitted->account, "account/ada");
    }
    EXPECT_EQ(calls_.size(), 0U);
    EXPECT_EQ(service_.size(), 0U);
  });
}

TEST_F(LoginServiceTest, AQuestionThatAGateForgetsEndsAtBoth) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    int said = 0;
    calls_.ask(1, ask_of_ada(), [&](const LoginAnswer&) { ++said; });
    EXPECT_TRUE(co_await until([this] { return judge_ != nullptr; }));
    calls_.forget(1);
    calls_.forget(1);
    EXPECT_EQ(calls_.size(), 0U);
    EXPECT_TRUE(co_await until([this] { return service_.size() == 0; }));
    judge_({Verdict::Kind::right, "ada", {}, 0});
    desk_.step();
    EXPECT_EQ(said, 0);
  });
}

}  // namespace
}  // namespace starbus::nodes::login
