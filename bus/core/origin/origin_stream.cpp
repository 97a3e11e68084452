#include "bus/core/origin/origin_stream.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus {

ExpiryStamp expiry_stamp(Time time) {
  const auto stamp = static_cast<ExpiryStamp>(time / std::chrono::milliseconds(1));
  return stamp == 0 ? 1 : stamp;
}

bool has_passed(ExpiryStamp expiry, ExpiryStamp present) {
  return expiry != 0 && static_cast<std::int32_t>(present - expiry) >= 0;
}

ExpiryStamp earlier_expiry(ExpiryStamp one, ExpiryStamp other) {
  if (one == 0 || other == 0) return one + other;
  return has_passed(one, other) ? one : other;
}

IssueStamp issue_stamp(Time time) {
  return static_cast<IssueStamp>(time / std::chrono::milliseconds(1));
}

void OriginStream::note_successor(Lineage later) {
  if (later <= successor) return;
  successor = later;
  succession.answers = 0;  // they were of the one before
  succession.begun_by.reset();
}

void OriginStream::begin_lineage(Lineage later) {
  lineage = std::max(later, successor);
  successor = {};
  succession = {};
  prev = 0;  // the messages begin a new chain
  sent = cursor = cursor_bytes = 0;
  timed_seq = 0;
  resent_last = kNoSequence;
  choked = false;
}

Time OriginStream::longest_silence() const {
  // One late answer must not silence a stream for longer than its owner remembers it.
  const Time trips = std::min<Time>(4 * round_trip, kQueueAge);
  return std::max<Time>({kProbeFirst, trips, pause});
}

void OriginStream::reset_pace() {
  if (successor) lineage = std::exchange(successor, {});
  succession = {};
  choked = want_probe = false;
  most_in_flight = kNoLimit;
  resent_last = kNoSequence;
}

void OriginStream::owner_answered(Time now) {
  choked = false;
  touched = answered = now;
  pause = Time{};
}

void OriginStream::sample_round_trip(std::uint64_t last, Time now) {
  if (timed_seq == 0 || last < timed_seq) return;
  const Time sample = std::min<Time>(now - timed_at, kQueueAge);  // no queue keeps a copy longer
  round_trip = round_trip == Time{} ? sample : (round_trip * 7 + sample) / 8;
  timed_seq = 0;
}

void OriginStream::slow_down() {
  most_in_flight = std::max(cursor_bytes / 2, kLeastInFlight);
}

void OriginStream::speed_up(std::size_t released) {
  if (most_in_flight == kNoLimit) return;
  most_in_flight += released / 8;
  if (most_in_flight >= kChannelWindow) most_in_flight = kNoLimit;
}

}  // namespace starbus::bus
