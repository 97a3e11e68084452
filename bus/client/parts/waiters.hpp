/// Operations that wait for the process: connect and flush (room: room_waiters.hpp). Each completes
/// once, when its condition holds or at its deadline. One thread.
#pragma once

#include <deque>

#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/prefix_watchers.hpp"
#include "bus/client/parts/reply_queue.hpp"

namespace starbus::bus {

class Waiters {
 public:
  Waiters(BusContext& context, const PrefixWatchers& watchers, const ReplyQueue& replies)
      : context_(context), watchers_(watchers), replies_(replies) {}

  void connect(Done<> done) { connects_.push_back(std::move(done)); }
  /// Completes the waiting connects.
  void on_connected();

  /// See Bus::flush.
  void flush(std::chrono::milliseconds deadline, Done<> done);
  /// Call after each turn, and often.
  void check_flushes();
  /// A message that waited for a snapshot, or a reply for room, has its sequence now.
  void on_release();

  /// Completes everything with `reason`.
  void shut(const Error& reason);
  /// The `most` channels with the most unacknowledged bytes, those first.
  std::vector<Unacknowledged> unacknowledged(std::size_t most) const;

 private:
  struct Flush {
    Origin::Mark mark;
    Time deadline{};
    bool held = false;  // some messages had no sequence yet: see on_release
    Done<> done;
  };
  static constexpr Time kNoDeadline = Time::max();
  void end_late_flushes(Time now);
  std::size_t held() const { return watchers_.held_messages() + replies_.kept(); }
  std::string describe_unacknowledged() const;

  BusContext& context_;
  const PrefixWatchers& watchers_;
  const ReplyQueue& replies_;
  std::vector<Done<>> connects_;
  std::deque<Flush> flushes_;    // a later one has later marks: none is settled before the first
  Time earliest_ = kNoDeadline;  // not later than any deadline of theirs
};

}  // namespace starbus::bus
