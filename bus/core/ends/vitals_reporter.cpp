#include "bus/core/ends/vitals_reporter.hpp"

#include <utility>

namespace starbus::bus {
namespace {

constexpr Time kVitalsPause = std::chrono::seconds(1);

}  // namespace

void VitalsReporter::tick() {
  if (state_.now - measured_at_ < kVitalsPause) return;
  measured_at_ = state_.now;
  if (state_.minor < kVitalsMinor) return;
  Vitals vitals = measure();
  if (vitals == reported_) return;
  control_.add(vitals);
  reported_ = std::move(vitals);
}

Vitals VitalsReporter::measure() {
  const OriginCounters& counters = origin_.counters();
  Vitals vitals;
  vitals.sent = counters.transmitted - std::exchange(transmitted_, counters.transmitted);
  vitals.resent = counters.resends - std::exchange(resends_, counters.resends);
  vitals.window_bytes = origin_.unacknowledged_bytes();
  const Origin::Stuck stuck = origin_.stuck(kVitalsPause);
  vitals.stuck = stuck.channel;
  vitals.stuck_bytes = stuck.bytes;
  vitals.moves = static_cast<std::uint32_t>(bindings_.moving.size());
  Time oldest{};
  for (const ChannelId& channel : bindings_.moving) {
    const Binding& binding = *bindings_.find(channel);
    const Time age = state_.now - binding.move->since;
    if (age <= oldest) continue;
    oldest = age;
    vitals.oldest_move = binding.name.text();
  }
  vitals.oldest_move_ms = static_cast<std::uint32_t>(oldest / std::chrono::milliseconds(1));
  return vitals;
}

}  // namespace starbus::bus
