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

std::span<EntityIndex> Delta::left_of(std::size_t entry) {
  return left.between(entry == 0 ? 0 : entries[entry - 1].left, entries[entry].left);
}

std::span<EntityIndex> Delta::entered_of(std::size_t entry) {
  return entered.between(entry == 0 ? 0 : entries[entry - 1].entered, entries[entry].entered);
}

void Delta::close(SensorIndex sensor, bool tracked, bool in_any_case) {
  const Entry before = entries.empty() ? Entry{} : entries.back();
  const auto left_end = static_cast<std::uint32_t>(left.size());
  const auto entered_end = static_cast<std::uint32_t>(entered.size());
  if (!in_any_case && before.left == left_end && before.entered == entered_end) return;
  entries.push_back({sensor << 1 | (tracked ? 1u : 0u), left_end, entered_end});
}

}  // namespace starbus::aoi
