/// One replica of a publisher's state, without I/O: which changes may be applied, and when a
/// snapshot is needed.
///
/// Its state is always one that the publisher had, and only goes forward within a stream: a change
/// is applied on top of exactly the one before it, once. A gap, a later stream, bytes that the
/// replica refuses, and changes that are announced and do not come make it ask for a snapshot;
/// meanwhile changes are kept, within bounds. Belongs to one thread; the Replica outlives it.
#pragma once

#include <cstdint>
#include <map>

#include "bus/core/bytes.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/replica/limits.hpp"
#include "nodes/replica/position.hpp"

namespace starbus::nodes::replica {

/// The holder of the state. False: the bytes are not of its form; then it is given a snapshot
/// again, later, and its state does not count until it has taken one.
class Replica {
 public:
  /// Replaces the state by a snapshot, or applies one change to it.
  virtual bool restore(bus::ByteView snapshot) = 0;
  virtual bool apply(bus::ByteView delta) = 0;
  /// What the publisher can tell changes since, in a form that both know; empty: it sends all of
  /// it. What comes then is given to restore().
  virtual bus::Bytes version() const { return {}; }

 protected:
  ~Replica() = default;
};

struct MirrorCounters {
  std::uint64_t snapshots = 0;  // taken
  std::uint64_t deltas = 0;     // applied
  std::uint64_t ignored = 0;    // changes that it had, or of an earlier stream
  std::uint64_t gaps = 0;
  std::uint64_t streams = 0;  // later ones that it heard of
  std::uint64_t refused = 0;  // by the replica
  std::uint64_t overflows = 0;
  std::uint64_t strangers = 0;  // changes by processes that do not own the publisher's name
};

class MirrorCore {
 public:
  using Time = entity::Time;

  explicit MirrorCore(Replica& replica) : replica_(replica) {}

  // --- what happens ---
  void delta(const Position& at, bus::ByteView bytes, Time now);
  /// A change by somebody who is not the publisher.
  void ignore_stranger() { ++counters_.strangers; }
  /// The name of the publisher has no owner: nothing is current until it has one.
  void owner_gone() { owned_ = false; }
  /// It has another owner, or an owner again: what that one has is asked for at once.
  void owner_new(Time now);
  /// The publisher's word where it is.
  void position(const Position& at, Time now);
  /// Answers to the question with this number; others are ignored.
  void snapshot(std::uint64_t question, const Position& at, bus::ByteView state, Time now);
  void no_snapshot(std::uint64_t question, Errc why, Time now);

  /// Whether a snapshot is to be asked for now; then asked() says under which number.
  bool should_ask(Time now) const { return needs_ && question_ == 0 && now >= ask_at_; }
  std::uint64_t asked() { return question_ = ++questions_; }
  /// From when on; far away if none is needed, or one is under way.
  Time ask_at() const { return needs_ && question_ == 0 ? ask_at_ : Time::max(); }
  /// The version of its state, for that question.
  bus::Bytes version() const { return has_state_ ? replica_.version() : bus::Bytes{}; }

  // --- what is so ---
  /// The replica's state is that of position(); false before the first snapshot, and after bytes
  /// that it has refused.
  bool has_state() const { return has_state_; }
  const Position& at() const { return at_; }
  /// It knows of nothing that it lacks. As of fresh_at().
  bool is_current() const { return owned_ && has_state_ && !needs_ && at_ == heard_; }
  /// When its state was last known to be the publisher's.
  Time fresh_at() const { return fresh_at_; }
  Errc problem() const { return problem_; }
  const MirrorCounters& counters() const { return counters_; }

 private:
  bool hear(const Position& at, Time now);
  void need(Time now);
  void pause(Time now);
  bool apply(bus::ByteView bytes, Time now);
  void keep(std::uint64_t seq, bus::ByteView bytes);
  void apply_kept(Time now);
  void drop_kept();
  void freshen(Time now);

  Replica& replica_;
  bool owned_ = true;  // the publisher's name, as far as anybody has said
  bool has_state_ = false;
  Position at_;     // of the replica
  Position heard_;  // the latest of which it has heard
  Time behind_since_{};
  Time fresh_at_{};
  bool needs_ = true;           // a snapshot
  std::uint64_t question_ = 0;  // 0: none is under way
  std::uint64_t questions_ = 0;
  Time ask_at_{};
  Time pause_{};
  std::map<std::uint64_t, bus::Bytes> kept_;  // of the stream of heard_
  std::size_t kept_bytes_ = 0;
  Errc problem_ = Errc::ok;
  MirrorCounters counters_;
};

}  // namespace starbus::nodes::replica
