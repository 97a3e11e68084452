/// The client's half: moves that are kept, forgotten and made again.
#include "nodes/space/movement/move_replay.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace starbus::nodes::movement {
namespace {

using Walk = MoveReplay<float>;

Walk walk_from(const Correction& start) {
  return Walk(start, [](const Locomotion& from, const float& metres) {
    if (metres > 1000) throw std::runtime_error("no such step");
    Locomotion to = from;
    to.position.x += metres;
    return to;
  });
}

Correction correction_at(std::uint32_t epoch, std::uint32_t number, float x,
                         bool teleport = false) {
  Correction correction{epoch, number, teleport, {}};
  correction.move.position.x = x;
  return correction;
}

TEST(MoveReplay, NumbersItsReports) {
  Walk walk = walk_from({4, 10, true, {}});
  EXPECT_EQ(walk.move(1, 500).number, 11U);
  const MoveReport report = walk.move(2, 500);
  EXPECT_EQ(report.number, 12U);
  EXPECT_EQ(report.epoch, 4U);
  EXPECT_EQ(report.client_ms, 501U);  // the server takes no two moves for one moment
  EXPECT_EQ(report.move.position.x, 3);
  EXPECT_EQ(walk.pending(), 2U);
}

TEST(MoveReplay, ForgetsWhatIsAcked) {
  Walk walk = walk_from({1, 0, true, {}});
  for (std::uint32_t i = 0; i < 5; ++i) (void)walk.move(1, i * 20);
  walk.ack({1, 3});
  EXPECT_EQ(walk.pending(), 2U);
  walk.ack({1, 99});  // never made
  walk.ack({1, 2});   // forgotten already
  walk.ack({2, 5});   // of an epoch that it has not heard of
  EXPECT_EQ(walk.pending(), 2U);
}

TEST(MoveReplay, ForgetsAllBeyondItsBound) {
  Walk walk = walk_from({1, 0, true, {}});
  for (std::uint32_t i = 0; i < kMaxPending; ++i) (void)walk.move(1, i * 20);
  EXPECT_EQ(walk.pending(), kMaxPending);
  (void)walk.move(1, 10'000);
  EXPECT_EQ(walk.pending(), 1U);
  EXPECT_EQ(walk.state().position.x, static_cast<float>(kMaxPending + 1));
}

TEST(MoveReplay, MakesTheLaterMovesAgainAfterACorrection) {
  Walk walk = walk_from({1, 0, true, {}});
  for (std::uint32_t i = 0; i < 5; ++i) (void)walk.move(1, i * 20);
  EXPECT_TRUE(walk.correct(correction_at(2, 2, 100)));
  EXPECT_EQ(walk.state().position.x, 103);
  EXPECT_EQ(walk.pending(), 3U);
  EXPECT_FALSE(walk.correct(correction_at(2, 2, 100)));  // told again
  EXPECT_FALSE(walk.correct(correction_at(1, 5, 0)));    // and an older one
  EXPECT_EQ(walk.state().position.x, 103);
  const MoveReport next = walk.move(1, 200);
  EXPECT_EQ(next.epoch, 2U);
  EXPECT_EQ(next.number, 6U);
  EXPECT_EQ(next.move.position.x, 104);
}

TEST(MoveReplay, ATeleportVoidsAllMoves) {
  Walk walk = walk_from({1, 0, true, {}});
  for (std::uint32_t i = 0; i < 5; ++i) (void)walk.move(1, i * 20);
  EXPECT_TRUE(walk.correct(correction_at(2, 2, 100, true)));
  EXPECT_EQ(walk.state().position.x, 100);
  EXPECT_EQ(walk.pending(), 0U);
}

TEST(MoveReplay, GoesOnAfterTheServersNumber) {
  Walk walk = walk_from({1, 0, true, {}});
  EXPECT_TRUE(walk.correct(correction_at(7, 5000, 3, true)));
  EXPECT_EQ(walk.move(1, 0).number, 5001U);
}

TEST(MoveReplay, AStepThatThrowsChangesNothing) {
  Walk walk = walk_from({1, 0, true, {}});
  (void)walk.move(1, 0);
  EXPECT_THROW((void)walk.move(2000, 20), std::runtime_error);
  EXPECT_EQ(walk.pending(), 1U);
  EXPECT_EQ(walk.state().position.x, 1);
  EXPECT_EQ(walk.move(1, 40).number, 2U);
}

}  // namespace
}  // namespace starbus::nodes::movement
