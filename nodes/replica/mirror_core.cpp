#include "nodes/replica/mirror_core.hpp"

#include <algorithm>
#include <chrono>

namespace starbus::nodes::replica {

/// False: of a stream that is over.
bool MirrorCore::hear(const Position& at, Time now) {
  if (at.stream < heard_.stream) return false;
  if (at.stream > heard_.stream) {
    ++counters_.streams;
    drop_kept();
    heard_ = at;
    behind_since_ = now;
    need(now);
    ask_at_ = now;  // what went wrong before was another's
  } else if (at.seq > heard_.seq) {
    if (at_ == heard_) behind_since_ = now;
    heard_.seq = at.seq;
  }
  return true;
}

/// At once, unless an earlier one has just gone wrong.
void MirrorCore::need(Time now) {
  if (needs_) return;
  needs_ = true;
  ask_at_ = std::max(ask_at_, now);
}

void MirrorCore::pause(Time now) {
  pause_ = pause_ == Time{0} ? kSnapshotPause : std::min<Time>(pause_ * 2, kSnapshotLongest);
  ask_at_ = now + pause_;
}

void MirrorCore::delta(const Position& at, bus::ByteView bytes, Time now) {
  if (!hear(at, now)) return void(++counters_.ignored);
  const bool of_state = has_state_ && at_.stream == at.stream;
  if (of_state && at.seq <= at_.seq) return void(++counters_.ignored);
  if (of_state && at.seq == at_.seq + 1) {
    if (!apply(bytes, now)) return;
    apply_kept(now);
    return freshen(now);
  }
  keep(at.seq, bytes);
  if (of_state && !needs_) {
    ++counters_.gaps;
    need(now);
  }
}

void MirrorCore::owner_new(Time now) {
  owned_ = true;
  need(now);
  ask_at_ = now;  // what went wrong before was another's
}

void MirrorCore::position(const Position& at, Time now) {
  if (!hear(at, now)) return;
  if (is_current()) return freshen(now);
  if (problem_ == Errc::unreachable) ask_at_ = std::min(ask_at_, now);  // it is there again
  if (!needs_ && now - behind_since_ >= kBehind) {
    ++counters_.gaps;
    need(now);
  }
}

void MirrorCore::snapshot(std::uint64_t question, const Position& at, bus::ByteView state,
                          Time now) {
  if (question != question_) return;
  question_ = 0;
  if (!hear(at, now)) return pause(now);           // of an owner that is one no more
  if (!has_state_ && at < at_) return pause(now);  // asked for before the bytes that were refused
  // The changes that came meanwhile may have led further than the snapshot.
  const bool is_news = !has_state_ || at > at_;
  if (is_news) {
    has_state_ = replica_.restore(state);
    if (!has_state_) {
      ++counters_.refused;
      problem_ = Errc::refused;
      return pause(now);
    }
    at_ = at;
    ++counters_.snapshots;
  }
  needs_ = false;
  problem_ = Errc::ok;
  behind_since_ = now;
  apply_kept(now);
  if (!kept_.empty() && !needs_) {  // changes are missing before these
    need(now);
    return pause(now);
  }
  freshen(now);
}

void MirrorCore::no_snapshot(std::uint64_t question, Errc why, Time now) {
  if (question != question_) return;
  question_ = 0;
  problem_ = why;
  pause(now);
}

/// The next change of the state's own stream.
bool MirrorCore::apply(bus::ByteView bytes, Time now) {
  if (!replica_.apply(bytes)) {
    ++counters_.refused;
    problem_ = Errc::refused;
    has_state_ = false;
    need(now);
    pause(now);
    return false;
  }
  ++at_.seq;
  ++counters_.deltas;
  behind_since_ = now;  // it gets on
  return true;
}

void MirrorCore::keep(std::uint64_t seq, bus::ByteView bytes) {
  if (kept_.size() == kMirrorDeltas || kept_bytes_ + bytes.size() > kMirrorBytes) {
    ++counters_.overflows;
    drop_kept();
  }
  const auto [kept, is_new] = kept_.try_emplace(seq, bytes.begin(), bytes.end());
  if (is_new) kept_bytes_ += bytes.size();
}

void MirrorCore::apply_kept(Time now) {
  if (at_.stream != heard_.stream) return;
  while (!kept_.empty() && kept_.begin()->first <= at_.seq + 1) {
    const auto first = kept_.begin();
    const bus::Bytes bytes = std::move(first->second);
    const bool next = first->first == at_.seq + 1;
    kept_bytes_ -= bytes.size();
    kept_.erase(first);
    if (next && !apply(bytes, now)) return;
  }
}

void MirrorCore::drop_kept() {
  kept_.clear();
  kept_bytes_ = 0;
}

/// Called when something was applied, or confirmed.
void MirrorCore::freshen(Time now) {
  if (!is_current()) return;
  fresh_at_ = now;
  pause_ = Time{0};
}

}  // namespace starbus::nodes::replica
