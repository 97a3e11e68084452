// Channels wander between processes while they send to each other: every stream stays exact.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <thread>

#include "tests/cluster/chaos/chaos_run.hpp"
#include "tests/cluster/chaos/move_board.hpp"
#include "tests/places.hpp"
#include "tests/sim/random.hpp"

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

class ChaosMoves : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      const std::string host = Board::host_name(Board::host_of(node));
      nodes_[node] = cluster_.run(
          {program("starbus-chaos-node"), "move", (cluster_.folder() / "board").string(),
           std::to_string(node), cluster_.endpoint(host)},
          "n" + std::to_string(node));
    }
    ASSERT_TRUE(all(MoverState::ready, 20s));
  }

  bool all(MoverState state, std::chrono::milliseconds limit) const {
    return wait_for(limit, [&] {
      for (const auto& node : board_->nodes) {
        if (node.state != state) return false;
      }
      return true;
    });
  }

  void begin(std::uint32_t moves) {
    board_->wanted = moves;
    board_->phase = MovePhase::go;
    began_ = std::chrono::steady_clock::now();
  }

  /// Until the moves that are wanted have ended well, or badly.
  void expect_all_moves(std::chrono::milliseconds limit) {
    EXPECT_TRUE(wait_for(limit, [&] { return board_->done + failed() >= board_->wanted; }))
        << board_->done << " moves, " << failed() << " failed, of " << board_->begun;
    seconds_ = std::chrono::steady_clock::now() - began_;
    board_->phase = MovePhase::halt;
    EXPECT_TRUE(all(MoverState::halted, 20s));
    board_->phase = MovePhase::flush;
    EXPECT_TRUE(all(MoverState::flushed, 25s));
    board_->phase = MovePhase::leave;
    for (const auto& node : nodes_) EXPECT_EQ(node->wait(5s).value_or(-1), 0);
  }

  std::uint32_t failed() const {
    std::uint32_t count = 0;
    for (const auto& failures : board_->failures) count += failures;
    return count;
  }

  void expect_exact() const {
    std::uint64_t messages = 0;
    for (std::uint32_t from = 0; from < kSenders; ++from) {
      for (std::uint32_t to = 0; to < kMovers; ++to) {
        const Wander& wander = board_->wanders[from][to];
        messages += wander.handled;
        EXPECT_EQ(wander.handled, wander.sent) << from << " to " << to;
        EXPECT_EQ(wander.wrong, 0U) << from << " to " << to;
      }
    }
    for (const MoverAccount& mover : board_->movers) {
      EXPECT_EQ(mover.owners, 1U);
      EXPECT_EQ(mover.two_owners, 0U);
      EXPECT_EQ(mover.stale_state, 0U);
    }
    for (const MoverNodeAccount& node : board_->nodes) {
      EXPECT_EQ(node.leases_lost, 0U);
      EXPECT_EQ(node.undelivered, 0U);
    }
    std::cout << board_->done << " moves and " << messages << " messages in " << seconds_.count()
              << " s";
    for (std::size_t i = 0; i < std::size(board_->failures); ++i) {
      if (board_->failures[i] == 0) continue;
      std::cout << ", " << board_->failures[i] << ' ' << name_of(static_cast<bus::Errc>(i));
    }
    std::cout << std::endl;
  }

  Cluster cluster_{{.hosts = {"a", "b", "c"}}};
  MoveBoard board_ = MoveBoard::create(cluster_.folder() / "board");
  std::array<std::unique_ptr<Child>, kNodes> nodes_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::duration<double> seconds_{};
};

TEST_F(ChaosMoves, OfAllPartnersAtOnceKeepEverySequenceExact) {
  begin(long_runs() ? 10'000 : 2'000);
  expect_all_moves(long_runs() ? 300s : 30s);
  EXPECT_EQ(failed(), 0U);
  expect_exact();
}

// How often daemons are killed is counted, and not how fast a machine moves names meanwhile: of any
// stretch between kills some moves end, and all of them once the kills do.
TEST_F(ChaosMoves, GoOnWhileDaemonsAreKilled) {
  const std::uint64_t seed = chaos_seed();
  SCOPED_TRACE("STARBUS_SEED=" + std::to_string(seed));
  sim::Random random(seed);
  const int most_kills = long_runs() ? 800 : 80;
  constexpr int kKillsOfAStretch = 20;  // seven seconds
  begin(long_runs() ? 30'000 : 3'000);
  auto next = std::chrono::steady_clock::now();
  std::uint32_t before = 0;
  int kills = 0;
  while (kills < most_kills && board_->done + failed() < board_->wanted) {
    const std::string names[] = {"root", "a", "b", "c"};
    cluster_.daemon(names[random.below(4)]).restart();
    if (++kills % kKillsOfAStretch == 0) {
      EXPECT_GT(board_->done.load(), before) << "no move ended, after " << kills << " kills";
      before = board_->done;
    }
    next += std::chrono::milliseconds(random.between(100, 600));
    std::this_thread::sleep_until(next);
  }
  expect_all_moves(long_runs() ? 300s : 30s);
  std::cout << kills << " kills, ";
  expect_exact();
}

}  // namespace
}  // namespace starbus::cluster_test
