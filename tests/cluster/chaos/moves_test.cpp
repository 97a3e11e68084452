// Channels wander between processes while they send to each other: every stream stays exact.
#include <gtest/gtest.h>

#include <array>
#include <functional>
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

  /// Until so many moves have ended well, or badly; `meanwhile` is called again and again.
  void wander(
      std::uint32_t moves, std::chrono::milliseconds limit,
      const std::function<void()>& meanwhile = [] {}) {
    board_->wanted = moves;
    board_->phase = MovePhase::go;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(wait_for(limit,
                         [&] {
                           meanwhile();
                           return board_->done + failed() >= moves;
                         }))
        << board_->done << " moves, " << failed() << " failed, of " << board_->begun;
    seconds_ = std::chrono::steady_clock::now() - begin;
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
  std::chrono::duration<double> seconds_{};
};

TEST_F(ChaosMoves, OfAllPartnersAtOnceKeepEverySequenceExact) {
  wander(long_runs() ? 10'000 : 2'000, long_runs() ? 300s : 30s);
  EXPECT_EQ(failed(), 0U);
  expect_exact();
}

TEST_F(ChaosMoves, GoOnWhileDaemonsAreKilled) {
  const std::uint64_t seed = chaos_seed();
  SCOPED_TRACE("STARBUS_SEED=" + std::to_string(seed));
  sim::Random random(seed);
  auto next = std::chrono::steady_clock::now();
  int kills = 0;
  wander(long_runs() ? 30'000 : 3'000, long_runs() ? 300s : 40s, [&] {
    if (std::chrono::steady_clock::now() < next) return;
    next += std::chrono::milliseconds(random.between(100, 600));
    const std::string names[] = {"root", "a", "b", "c"};
    cluster_.daemon(names[random.below(4)]).restart();
    ++kills;
  });
  std::cout << kills << " kills, ";
  expect_exact();
}

}  // namespace
}  // namespace starbus::cluster_test
