#include "tests/cluster/crash_points/planned_crashes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace starbus::cluster_test {
namespace {

constexpr std::uint32_t kRecoveryCalls = 40;  // of the second life, in which it may crash again

std::uint64_t new_seed() {
  const char* const given = std::getenv("STARBUS_SEED");  // NOLINT: one thread
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "STARBUS_SEED=" << seed << std::endl;
  return seed;
}

}  // namespace

PlannedCrashes::PlannedCrashes(const CrashHosts& hosts) : CrashRun(hosts), random_(new_seed()) {}
PlannedCrashes::PlannedCrashes() : random_(new_seed()) {}

void PlannedCrashes::rehearse(std::span<const Kind> wanted) {
  for (int times = 0; times < kTries && (times == 0 || !have_seen(wanted)); ++times) {
    play({});
    if (HasFailure()) return;
    points_.clear();
    for (const Situation& call : calls()) {
      points_.emplace_back(static_cast<std::uint32_t>(points_.size() + 1), call);
      seen_.insert({call.call, call.file});
    }
  }
}

bool PlannedCrashes::have_seen(std::span<const Kind> wanted) const {
  return std::ranges::all_of(wanted, [this](const Kind& kind) { return seen_.contains(kind); });
}

void PlannedCrashes::keep(const std::set<Phase>& phases) {
  std::erase_if(points_, [&](const auto& point) { return !phases.contains(point.second.phase); });
}

void PlannedCrashes::plan_situations(bool another) {
  std::map<Situation, std::uint32_t> counts;
  for (const auto& [nth, situation] : points_) ++counts[situation];
  for (const auto& [situation, count] : counts) {
    add({1, some_moment(), Counts::situation, situation});
    if (count == 1 || !another) continue;
    const auto nth = static_cast<std::uint32_t>(2 + below(count - 1));
    add({nth, some_moment(), Counts::situation, situation});
  }
}

void PlannedCrashes::plan_sample(std::size_t once, std::size_t twice) {
  if (points_.empty()) return;
  for (std::size_t i = 0; i < once; ++i) add(some_point());
  for (std::size_t i = 0; i < twice; ++i) plans_.push_back({some_point(), early_point()});
}

void PlannedCrashes::plan_all() {
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (const Moment moment : kMoments) {
      const bool append = points_[point].second.call == DiskCall::append;
      if (moment != Moment::half || append) add(at(point, moment));
    }
    plans_.push_back({at(point, some_moment()), early_point()});
  }
}

bool PlannedCrashes::plan_given() {
  const char* const given = std::getenv("STARBUS_POINT");  // NOLINT: one thread
  if (given == nullptr) return false;
  std::istringstream text(given);
  CrashPoint point;
  std::string moment;
  text >> point.nth >> moment;
  for (const Moment one : kMoments) {
    if (name_of(one).starts_with(moment)) point.moment = one;
  }
  add(point);
  return true;
}

CrashPoint PlannedCrashes::at(std::size_t point, Moment moment) const {
  return {.nth = points_[point].first, .moment = moment};
}

CrashPoint PlannedCrashes::some_point() {
  return at(below(points_.size()), some_moment());
}

CrashPoint PlannedCrashes::early_point() {
  return {.nth = static_cast<std::uint32_t>(1 + below(kRecoveryCalls)), .moment = some_moment()};
}

void PlannedCrashes::play_all() {
  std::size_t played = 0;
  for (const CrashPlan& plan : plans_) {
    // No two runs make the same calls: one that must be met is looked for again.
    const int tries = plan.first.counts == Counts::all ? 1 : kTries;
    for (int times = 0; times < tries; ++times) {
      play(plan);
      if (HasFailure() || !deaths().empty()) break;
    }
    for (const Situation& death : deaths()) struck_.insert({death.call, death.file});
    ++died_[deaths().size()];
    if (HasFailure()) return;
    if (++played % 100 == 0) std::cout << played << " runs" << std::endl;
  }
  report();
}

void PlannedCrashes::play_missed(std::span<const Kind> wanted) {
  plans_.clear();
  for (const auto& [call, file] : wanted) {
    if (!have_died_at({call, file})) add({1, some_moment(), Counts::kind, {call, file, {}}});
  }
  if (!plans_.empty()) play_all();
}

void PlannedCrashes::report() const {
  std::cout << points_.size() << " calls change the disk; " << plans_.size() << " runs:";
  for (const auto& [deaths, runs] : died_) std::cout << ' ' << runs << " with " << deaths;
  std::cout << " deaths" << std::endl;
}

}  // namespace starbus::cluster_test
