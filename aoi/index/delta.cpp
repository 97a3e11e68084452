#include "aoi/index/delta.hpp"

namespace starbus::aoi {

void Delta::start() {
  entries.start();
  left.start();
  entered.start();
  pair_tests = 0;
  visited = 0;
  evaluated = 0;
}

void Delta::rest() {
  entries.rest();
  left.rest();
  entered.rest();
}

void Delta::close(SensorIndex sensor, bool tracked, bool in_any_case) {
  const Entry before = entries.empty() ? Entry{} : entries.back();
  const auto left_end = static_cast<std::uint32_t>(left.size());
  const auto entered_end = static_cast<std::uint32_t>(entered.size());
  if (!in_any_case && before.left == left_end && before.entered == entered_end) return;
  entries.push_back({sensor << 1 | (tracked ? 1u : 0u), left_end, entered_end});
}

}  // namespace starbus::aoi
