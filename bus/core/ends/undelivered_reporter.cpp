#include "bus/core/ends/undelivered_reporter.hpp"

#include "bus/core/wire/record_admin.hpp"

namespace starbus::bus {
namespace {

constexpr Time kUndeliveredPause = std::chrono::seconds(1);

}  // namespace

void UndeliveredReporter::note(const ChannelId& channel, std::string_view name, Errc reason) {
  ++total_;
  const std::pair key{channel, reason};
  if (entries_.size() >= kMaxUndelivered && !entries_.contains(key)) return;
  Entry& entry = entries_[key];
  entry.name = name.substr(0, kMaxName);
  ++entry.count;
}

void UndeliveredReporter::tick() {
  if (entries_.empty() || state_.now - told_at_ < kUndeliveredPause) return;
  told_at_ = state_.now;
  for (auto& [what, entry] : std::exchange(entries_, {})) {
    if (state_.minor < kUndeliveredMinor) continue;  // busd does not know the record
    control_.add(UndeliveredReport{what.first, entry.name, what.second, entry.count});
  }
}

}  // namespace starbus::bus
