// kill -9 of busd at the points at which its mail store changes the disk: before, in the middle of,
// and after each such call. What was acknowledged is there afterwards, once and in order.
// STARBUS_LONG=1: at every call. STARBUS_POINT="96 after": there only, to see it again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "tests/cluster/crash_points/crash_run.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kSampled = 48;  // points of the short form, besides one per situation
constexpr std::size_t kTwice = 24;    // of the short form, with a second crash
constexpr int kTries = 3;
constexpr std::uint32_t kRecoveryCalls = 40;  // of the second life, in which it may crash again

/// All that LevelDB does with a disk.
using Kind = std::pair<DiskCall, DiskFile>;
constexpr Kind kKinds[] = {
    {DiskCall::open, DiskFile::log},          {DiskCall::append, DiskFile::log},
    {DiskCall::sync, DiskFile::log},          {DiskCall::remove, DiskFile::log},
    {DiskCall::open, DiskFile::table},        {DiskCall::append, DiskFile::table},
    {DiskCall::sync, DiskFile::table},        {DiskCall::remove, DiskFile::table},
    {DiskCall::open, DiskFile::manifest},     {DiskCall::append, DiskFile::manifest},
    {DiskCall::sync, DiskFile::manifest},     {DiskCall::remove, DiskFile::manifest},
    {DiskCall::open, DiskFile::temporary},    {DiskCall::append, DiskFile::temporary},
    {DiskCall::sync, DiskFile::temporary},    {DiskCall::rename, DiskFile::current},
    {DiskCall::sync_folder, DiskFile::folder}};

std::uint64_t new_seed() {
  const char* const given = std::getenv("STARBUS_SEED");  // NOLINT: one thread
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "STARBUS_SEED=" << seed << std::endl;
  return seed;
}

/// "96 after", to play one again.
std::optional<CrashPoint> given_point() {
  const char* const given = std::getenv("STARBUS_POINT");  // NOLINT: one thread
  if (given == nullptr) return std::nullopt;
  std::istringstream text(given);
  CrashPoint point;
  std::string moment;
  text >> point.nth >> moment;
  for (const Moment one : kMoments) {
    if (name_of(one).starts_with(moment)) point.moment = one;
  }
  return point;
}

class CrashPoints : public CrashRun {
 protected:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  Moment some_moment() { return kMoments[below(std::size(kMoments))]; }

  /// Without a crash; what the others are chosen from. A table that is read just then is removed
  /// later, so once may not show everything.
  void rehearse() {
    for (int times = 0; times < kTries && !every_kind() && !HasFailure(); ++times) {
      play({});
      points_ = calls();
      for (const Situation& point : points_) kinds_.insert({point.call, point.file});
    }
  }
  bool every_kind() const {
    return std::ranges::all_of(kKinds, [this](const Kind& kind) { return kinds_.contains(kind); });
  }
  /// The first call of each situation and, if there are more, another.
  void plan_situations() {
    std::map<Situation, std::uint32_t> counts;
    for (const Situation& point : points_) ++counts[point];
    for (const auto& [situation, count] : counts) {
      add({1, some_moment(), false, situation});
      if (count == 1) continue;
      const auto nth = static_cast<std::uint32_t>(2 + below(count - 1));
      add({nth, some_moment(), false, situation});
    }
  }
  void plan_sample() {
    for (std::size_t i = 0; i < kSampled; ++i) add(some_point(points_.size()));
    for (std::size_t i = 0; i < kTwice; ++i) add_twice(some_point(points_.size()));
  }
  void plan_all() {
    for (std::uint32_t nth = 1; nth <= points_.size(); ++nth) {
      for (const Moment moment : kMoments) {
        const bool append = points_[nth - 1].call == DiskCall::append;
        if (moment != Moment::half || append) add({.nth = nth, .moment = moment});
      }
      add_twice({.nth = nth, .moment = some_moment()});
    }
  }
  CrashPoint some_point(std::size_t calls) {
    return {.nth = static_cast<std::uint32_t>(1 + below(calls)), .moment = some_moment()};
  }
  void add(const CrashPoint& point) { plans_.push_back({point, {}}); }
  void add_twice(const CrashPoint& point) { plans_.push_back({point, some_point(kRecoveryCalls)}); }

  void play_all() {
    for (const CrashPlan& plan : plans_) {
      // No two runs make the same calls: one that must be met is looked for again.
      const int tries = plan.first.any ? 1 : kTries;
      for (int times = 0; times < tries; ++times) {
        play(plan);
        if (HasFailure() || !deaths().empty()) break;
      }
      for (const Situation& death : deaths()) struck_.insert({death.call, death.file});
      ++died_[deaths().size()];
      if (HasFailure()) return;
      if (++played_ % 100 == 0) std::cout << played_ << " runs" << std::endl;
    }
  }
  void report() {
    std::cout << points_.size() << " calls change the disk; " << plans_.size()
              << " runs: " << died_[0] << " without a crash, " << died_[1] << " with one, "
              << died_[2] << " with two" << std::endl;
  }

  std::mt19937_64 random_{new_seed()};
  std::vector<Situation> points_;
  std::set<Kind> kinds_;
  std::vector<CrashPlan> plans_;
  std::size_t played_ = 0;
  std::set<Kind> struck_;
  std::map<std::size_t, std::size_t> died_;
};

TEST_F(CrashPoints, LoseDoubleAndReorderNoMail) {
  rehearse();
  if (HasFailure()) return;
  ASSERT_TRUE(every_kind());
  if (const auto point = given_point()) {
    add(*point);
    return play_all();
  }
  if (long_runs()) {
    plan_all();
  } else {
    plan_situations();
    plan_sample();
  }
  play_all();
  if (HasFailure()) return;
  report();
  for (const auto& [call, file] : kKinds) {
    EXPECT_TRUE(struck_.contains({call, file}))
        << "nobody died at: " << name_of(Situation{call, file, Phase::opening});
  }
}

}  // namespace
}  // namespace starbus::cluster_test
