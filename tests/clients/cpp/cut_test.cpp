// A connection that is cut at any byte, either way, leaves no hole and no double.
#include <gtest/gtest.h>

#include "clients/cpp/session.hpp"
#include "tests/clients/cpp/mini_gate.hpp"

namespace starbus::game {
namespace {

using mini::MiniGate;

constexpr std::size_t kNever = ~std::size_t{0};
const std::vector<std::string> kCalls{"methtypeone", "methtypetwo", "methtypethree"};

/// Asks three times at the full state, and keeps what it is shown.
class Player : public Events {
 public:
  explicit Player(std::uint64_t seed) : session_({{"a:1"}, "test", 0, seed}, *this) {}
  void on_full(const FullState&) override {
    shown.push_back("full");
    for (const std::string body : {"x", "y", "z"}) {
      EXPECT_EQ(session_.ask(bytes_of(body),
                             [this, body](const Outcome& outcome) {
                               fates.push_back(std::string(name_of(outcome.fate)) + " " + body);
                               EXPECT_EQ(text_of(outcome.answer), body);
                             }),
                Asked::ok);
    }
  }
  void on_call(const Call& call) override { shown.emplace_back(text_of(call.arguments)); }
  void on_ended(EndReason reason, std::string_view) override { ended = reason; }
  Session& session() { return session_; }

  std::vector<std::string> shown;
  std::vector<std::string> fates;
  std::optional<EndReason> ended;

 private:
  Session session_;
};

/// One player and one gate; the first connection is cut when so many bytes have passed.
class Line {
 public:
  Line(std::size_t cut_down, std::size_t cut_up) : down_left_(cut_down), up_left_(cut_up) {
    EXPECT_TRUE(player.session().login({"password", "anna", Bytes(6, std::byte{'s'})}, now_));
  }
  /// Until both are quiet; false if that never comes.
  bool run() {
    for (int turn = 0; turn < 200; ++turn) {
      Session& session = player.session();
      if (session.connect(now_)) begin();
      const bool moved = session.connection() && pass();
      if (moved) continue;
      if (session.state() == State::online && player.fates.size() == 3) return true;
      now_ = std::max(now_, session.deadline());
      session.tick(now_);
    }
    return false;
  }
  std::size_t down() const { return down_; }
  std::size_t up() const { return up_; }

  Player player{5};
  MiniGate gate{kCalls};

 private:
  void begin() {
    player.session().connected(now_);
    gate.connected();
    in_ = {};
  }
  bool pass() {
    Bytes said;
    while (const auto frame = player.session().next_frame()) put_frame(*frame, said);
    const bool cut_up = said.size() > up_left_;
    if (cut_up) said.resize(up_left_);
    up_ += said.size();
    up_left_ -= up_left_ == kNever ? 0 : said.size();
    gate.received(said);
    Bytes answer = gate.output();
    const bool cut_down = answer.size() > down_left_;
    if (cut_down) answer.resize(down_left_);
    down_ += answer.size();
    down_left_ -= down_left_ == kNever ? 0 : answer.size();
    in_.append(answer);
    while (const auto frame = in_.next()) player.session().received(*frame, now_);
    if (cut_up || cut_down) {
      player.session().disconnected(now_);
      down_left_ = up_left_ = kNever;
    }
    return !said.empty() || !answer.empty();
  }

  Time now_{1'000};
  FrameStream in_;
  std::size_t down_left_;
  std::size_t up_left_;
  std::size_t down_ = 0;
  std::size_t up_ = 0;
};

void expect_whole(Line& line) {
  ASSERT_TRUE(line.run());
  const std::vector<std::string> shown{"full", "one", "two", "three"};
  const std::vector<std::string> fates{"replied x", "replied y", "replied z"};
  const std::map<std::uint64_t, int> begun{{1, 1}, {2, 1}, {3, 1}};
  EXPECT_EQ(line.player.shown, shown);
  EXPECT_EQ(line.player.fates, fates);
  EXPECT_EQ(line.gate.begun(), begun);
  EXPECT_EQ(line.player.session().counts().faults, 0U);
  EXPECT_FALSE(line.player.ended);
}

TEST(GameCut, AtAnyByteFromTheGateNothingIsMissingOrDouble) {
  Line whole(kNever, kNever);
  expect_whole(whole);
  for (std::size_t cut = 0; cut < whole.down(); ++cut) {
    SCOPED_TRACE(cut);
    Line line(cut, kNever);
    expect_whole(line);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(GameCut, AtAnyByteFromTheClientNothingIsMissingOrDouble) {
  Line whole(kNever, kNever);
  expect_whole(whole);
  for (std::size_t cut = 0; cut < whole.up(); ++cut) {
    SCOPED_TRACE(cut);
    Line line(kNever, cut);
    expect_whole(line);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

}  // namespace
}  // namespace starbus::game
