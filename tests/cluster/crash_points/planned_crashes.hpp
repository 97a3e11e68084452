/// Which points of a workload are played: chosen from one run of it without a crash. A seed decides
/// (STARBUS_SEED); STARBUS_POINT="96 after" plays that one again.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tests/cluster/crash_points/crash_run.hpp"

namespace starbus::cluster_test {

class PlannedCrashes : public CrashRun {
 protected:
  using Kind = std::pair<DiskCall, DiskFile>;
  static constexpr int kTries = 3;

  explicit PlannedCrashes(const CrashHosts& hosts);
  PlannedCrashes();

  /// A play without a crash, or several until each of these kinds was seen: a table that is read
  /// just then is removed later, so once may not show everything. The calls of the last one are
  /// what is planned from.
  void rehearse(std::span<const Kind> wanted);
  bool have_seen(std::span<const Kind> wanted) const;
  /// Only calls of these phases are planned.
  void keep(const std::set<Phase>& phases);

  /// The first call of each situation and, if there are more and `another`, one of them.
  void plan_situations(bool another);
  /// Any calls; and as many again with a second crash.
  void plan_sample(std::size_t once, std::size_t twice);
  void plan_all();
  /// The one that STARBUS_POINT says; false: it says none.
  bool plan_given();

  void play_all();
  /// Once more, for each of these kinds at which nobody has died: when such a call comes is up to
  /// the threads of the store, and in the runs that were planned it may have come another time.
  void play_missed(std::span<const Kind> wanted);
  bool have_died_at(const Kind& kind) const { return struck_.contains(kind); }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  Moment some_moment() { return kMoments[below(std::size(kMoments))]; }
  CrashPoint some_point();
  CrashPoint early_point();
  CrashPoint at(std::size_t point, Moment moment) const;
  void add(const CrashPoint& point) { plans_.push_back({point, {}}); }
  void report() const;

  std::mt19937_64 random_;
  std::vector<std::pair<std::uint32_t, Situation>> points_;  // with their places among all calls
  std::set<Kind> seen_;
  std::vector<CrashPlan> plans_;
  std::set<Kind> struck_;
  std::map<std::size_t, std::size_t> died_;  // runs, by how often
};

}  // namespace starbus::cluster_test
