#include "nodes/space/movement/suspicion.hpp"

#include <algorithm>

#include "nodes/space/movement/limits.hpp"

namespace starbus::nodes::movement {

std::string_view name_of(Violation violation) {
  constexpr std::array<std::string_view, kViolations> kNames = {
      "none",  "malformed", "flood",   "forged",   "deaf",
      "clock", "bad_mode",  "outside", "too_fast", "blocked"};
  return kNames[static_cast<std::size_t>(violation)];
}

void Suspicion::add(Violation violation, std::int64_t now) {
  Bucket& bucket = buckets_[static_cast<std::size_t>(violation)];
  bucket.level = std::min(level(violation, now) + 1, static_cast<double>(kMaxSuspicion));
  bucket.since = now;
  ++bucket.count;
}

double Suspicion::level(Violation violation, std::int64_t now) const {
  const Bucket& bucket = of(violation);
  const auto passed = static_cast<double>(std::max<std::int64_t>(now - bucket.since, 0));
  return std::max(bucket.level - passed / static_cast<double>(kSuspicionLeak.count()), 0.0);
}

double Suspicion::level(std::int64_t now) const {
  double sum = 0;
  for (std::size_t i = 1; i < kViolations; ++i) sum += level(static_cast<Violation>(i), now);
  return sum;
}

}  // namespace starbus::nodes::movement
