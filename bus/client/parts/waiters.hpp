/// Operations that wait for the process: connect and flush (room: room_waiters.hpp). Each completes
/// once, when its condition holds or at its deadline. One thread.
#pragma once

#include <deque>

#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/prefix_watchers.hpp"

namespace starbus::bus {

class Waiters {
 public:
  Waiters(BusContext& context, PrefixWatchers& watchers) : context_(context), watchers_(watchers) {}

  void connect(Done<> done) { connects_.push_back(std::move(done)); }
  /// Completes the waiting connects.
  void on_connected();

  /// See Bus::flush.
  void flush(std::chrono::milliseconds deadline, Done<> done);
  /// Call after each turn, and often.
  void check_flushes();
  /// A message that waited for a snapshot has its sequence now.
  void on_release();

  /// Completes everything with `reason`.
  void shut(const Error& reason);
  /// The `most` channels with the most unacknowledged bytes, those first.
  std::vector<Unacknowledged> unacknowledged(std::size_t most) const;

 private:
  struct Flush {
    Origin::Mark mark;
    Time deadline{};
    bool held = false;  // some messages had no sequence yet: they waited for a snapshot
    Done<> done;
  };
  static constexpr Time kNoDeadline = Time::max();
  void end_late_flushes(Time now);
  std::string describe_unacknowledged() const;

  BusContext& context_;
  PrefixWatchers& watchers_;
  std::vector<Done<>> connects_;
  std::deque<Flush> flushes_;    // a later one has later marks: none is settled before the first
  Time earliest_ = kNoDeadline;  // not later than any deadline of theirs
};

}  // namespace starbus::bus
