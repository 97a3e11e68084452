/// The bounds fit together.
#include "bus/core/limits.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/data.hpp"

namespace starbus::bus {
namespace {

TEST(Limits, HaveANameAUnitAndAReasonEach) {
  std::set<std::string_view> names;
  for (const LimitInfo& limit : kLimits) {
    EXPECT_TRUE(names.insert(limit.name).second) << limit.name;
    EXPECT_GT(limit.value, 0u) << limit.name;
    EXPECT_FALSE(limit.unit.empty()) << limit.name;
    EXPECT_FALSE(limit.reason.empty()) << limit.name;
    EXPECT_FALSE(limit.when_reached.empty()) << limit.name;
  }
}

TEST(Limits, LetTheLargestMulticastBeARecord) {
  constexpr std::uint64_t kLargestEnvelope = 512;
  EXPECT_GE(kMaxRecord, kMaxBody + kLargestEnvelope + kMulticastHeader + kMaxGroup * kTargetSize);
}

TEST(Limits, LetABundleHoldWhatOnePullMayAdd) {
  EXPECT_GE(kMaxBundle, kBundleHeaderSize + kBundleTarget + 2 * kChunk);
  EXPECT_LE(4 * kConsumedReport, kLinkClock);
  EXPECT_LE(kMaxBundle + kConsumedReport, kLinkClock) << "a full bundle must always fit again";
}

TEST(Limits, OfTimeAreInOrder) {
  EXPECT_LT(kHeartbeat, kSuspect);
  EXPECT_LT(kSuspect, kLinkTimeout);
  EXPECT_LT(kLinkTimeout, kLease);
  EXPECT_GE(kFilterEntryLife, kLease + 4 * kQueueAge);
  EXPECT_LT(kChokeFirst, kChokeLongest);
  EXPECT_LT(kProbeFirst, kProbeLongest);
}

}  // namespace
}  // namespace starbus::bus
