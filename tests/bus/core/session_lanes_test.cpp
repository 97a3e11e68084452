/// Which record leaves next when a link is full: control first, data lanes by weight.
#include <gmock/gmock.h>

#include "tests/bus/core/session_harness.hpp"

namespace starbus::bus {
namespace {

/// Bytes per lane among the first `total` bytes that arrive while every data lane is full.
std::array<std::size_t, kLanes> shares(std::array<std::size_t, kLanes> record_sizes,
                                       std::size_t total) {
  SessionPair pair;
  std::uint64_t number = 0;
  const auto refill = [&] {
    for (const Lane lane : kDataLanes) {
      while (pair.a.queues.bytes(lane) < 1'000'000) {
        pair.a.queue(lane, ++number, record_sizes[static_cast<std::size_t>(lane)]);
      }
    }
  };
  std::array<std::size_t, kLanes> bytes{};
  std::size_t sum = 0;
  while (sum < total) {
    refill();
    pair.a.pump();
    while (!pair.a.pipe.empty()) EXPECT_TRUE(pair.b.take_from(pair.a));
    pair.b.pump();
    while (!pair.b.pipe.empty()) EXPECT_TRUE(pair.a.take_from(pair.b));
    for (const auto& seen : std::exchange(pair.b.seen, {})) {
      bytes[static_cast<std::size_t>(seen.lane)] += seen.size;
      sum += seen.size;
    }
  }
  return bytes;
}

class LaneWeights : public testing::TestWithParam<std::array<std::size_t, kLanes>> {};

TEST_P(LaneWeights, HoldWithinTwentyPercent) {
  const auto bytes = shares(GetParam(), 20'000'000);
  const auto total = static_cast<double>(bytes[1] + bytes[2] + bytes[3]);
  EXPECT_NEAR(static_cast<double>(bytes[1]) / total, 4.0 / 7, 0.2 * 4 / 7);
  EXPECT_NEAR(static_cast<double>(bytes[2]) / total, 2.0 / 7, 0.2 * 2 / 7);
  EXPECT_NEAR(static_cast<double>(bytes[3]) / total, 1.0 / 7, 0.2 * 1 / 7);
}

INSTANTIATE_TEST_SUITE_P(RecordSizes, LaneWeights,
                         testing::Values(std::array<std::size_t, kLanes>{0, 100, 100, 100},
                                         std::array<std::size_t, kLanes>{0, 3'000, 3'000, 3'000},
                                         std::array<std::size_t, kLanes>{0, 30'000, 30'000, 30'000},
                                         std::array<std::size_t, kLanes>{0, 100, 60'000, 60'000},
                                         std::array<std::size_t, kLanes>{0, 100, 100, 300'000}));

TEST(SessionLanes, ControlOvertakesWhatIsQueued) {
  SessionPair pair;
  for (std::uint64_t n = 0; n < 100; ++n) pair.a.queue(Lane::bulk, n, 50'000);
  pair.a.pump();
  const std::size_t handed_over = pair.a.pipe.size();
  pair.a.queue(Lane::control, 1000, 100);
  pair.settle();
  std::size_t position = 0;
  while (pair.b.seen[position].lane != Lane::control) ++position;
  EXPECT_LE(position, 2 * handed_over) << "at most what the link clock lets through before it";
}

TEST(SessionLanes, AnIdleLaneLeavesItsShareToTheOthers) {
  SessionPair pair;
  for (std::uint64_t n = 0; n < 100; ++n) pair.a.queue(Lane::bulk, n, 50'000);
  pair.a.pump();
  EXPECT_GT(pair.a.session.in_flight(), kLinkClock / 2);
  pair.settle();
  EXPECT_EQ(pair.b.seen.size(), 100u);
}

}  // namespace
}  // namespace starbus::bus
