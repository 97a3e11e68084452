// A connection that is cut at any byte, either way, leaves no hole and no double.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <deque>

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

/// When a connection is cut: so many bytes from the gate, and from the client.
struct Cut {
  std::size_t down = kNever;
  std::size_t up = kNever;
};

/// One player and one gate; each cut is for one connection, and those after them hold.
class Line {
 public:
  explicit Line(std::deque<Cut> cuts) : cuts_(std::move(cuts)) {
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
    left_ = cuts_.empty() ? Cut{} : cuts_.front();
    if (!cuts_.empty()) cuts_.pop_front();
  }
  bool pass() {
    Bytes said;
    while (const auto frame = player.session().next_frame()) put_frame(*frame, said);
    const bool cut_up = cut(said, left_.up);
    up_ += said.size();
    gate.received(said);
    Bytes answer = gate.output();
    const bool cut_down = cut(answer, left_.down);
    down_ += answer.size();
    in_.append(answer);
    while (const auto frame = in_.next()) player.session().received(*frame, now_);
    if (cut_up || cut_down) player.session().disconnected(now_);
    return !said.empty() || !answer.empty();
  }

  /// Whether there is more than what may pass, which is all that is left of it.
  static bool cut(Bytes& bytes, std::size_t& left) {
    const bool too_many = bytes.size() > left;
    if (too_many) bytes.resize(left);
    if (left != kNever) left -= bytes.size();
    return too_many;
  }

  Time now_{1'000};
  FrameStream in_;
  std::deque<Cut> cuts_;
  Cut left_;
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
  Line whole({});
  expect_whole(whole);
  for (std::size_t cut = 0; cut < whole.down(); ++cut) {
    SCOPED_TRACE(cut);
    Line line({Cut{cut, kNever}});
    expect_whole(line);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(GameCut, AtAnyByteFromTheClientNothingIsMissingOrDouble) {
  Line whole({});
  expect_whole(whole);
  for (std::size_t cut = 0; cut < whole.up(); ++cut) {
    SCOPED_TRACE(cut);
    Line line({Cut{kNever, cut}});
    expect_whole(line);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

RC_GTEST_PROP(GameCut, AgainAndAgainNothingIsMissingOrDouble, ()) {
  std::deque<Cut> cuts;
  for (int i = *rc::gen::inRange(1, 7); i > 0; --i) {
    cuts.push_back(
        {*rc::gen::inRange<std::size_t>(0, 400), *rc::gen::inRange<std::size_t>(0, 300)});
  }
  Line line(cuts);
  expect_whole(line);
  RC_ASSERT(!testing::Test::HasFailure());
}

}  // namespace
}  // namespace starbus::game
