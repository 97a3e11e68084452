// kill -9 of busd at the points at which its mail store changes the disk: before, in the middle of,
// and after each such call. What was acknowledged is there afterwards, once and in order.
// STARBUS_LONG=1: at every call. STARBUS_POINT="96 after": there only, to see it again.
#include <gtest/gtest.h>

#include "tests/cluster/crash_points/planned_crashes.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kSampled = 48;  // points of the short form, besides one per situation
constexpr std::size_t kTwice = 24;    // of the short form, with a second crash

/// All that LevelDB does with a disk.
constexpr std::pair<DiskCall, DiskFile> kKinds[] = {
    {DiskCall::open, DiskFile::log},          {DiskCall::append, DiskFile::log},
    {DiskCall::sync, DiskFile::log},          {DiskCall::remove, DiskFile::log},
    {DiskCall::open, DiskFile::table},        {DiskCall::append, DiskFile::table},
    {DiskCall::sync, DiskFile::table},        {DiskCall::remove, DiskFile::table},
    {DiskCall::open, DiskFile::manifest},     {DiskCall::append, DiskFile::manifest},
    {DiskCall::sync, DiskFile::manifest},     {DiskCall::remove, DiskFile::manifest},
    {DiskCall::open, DiskFile::temporary},    {DiskCall::append, DiskFile::temporary},
    {DiskCall::sync, DiskFile::temporary},    {DiskCall::rename, DiskFile::current},
    {DiskCall::sync_folder, DiskFile::folder}};

class CrashPoints : public PlannedCrashes {};

TEST_F(CrashPoints, LoseDoubleAndReorderNoMail) {
  rehearse(kKinds);
  if (HasFailure()) return;
  ASSERT_TRUE(have_seen(kKinds));
  if (plan_given()) return play_all();
  if (long_runs()) {
    plan_all();
  } else {
    plan_situations(true);
    plan_sample(kSampled, kTwice);
  }
  play_all();
  if (!HasFailure()) play_missed(kKinds);
  if (HasFailure()) return;
  for (const auto& kind : kKinds) {
    EXPECT_TRUE(have_died_at(kind))
        << "nobody died at: " << name_of(Situation{kind.first, kind.second, Phase::opening});
  }
}

}  // namespace
}  // namespace starbus::cluster_test
