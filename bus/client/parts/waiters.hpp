/// Operations that wait for the process: connect, flush and room. Each completes once, when its
/// condition holds or at its deadline. One thread.
#pragma once

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

  /// See Bus::room.
  void room(const ChannelId& channel, Lane lane, Done<> done);
  void on_room();

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
  struct Room {
    ChannelId channel;
    Lane lane;
    Done<> done;
  };
  std::size_t held() const { return watchers_.held_messages() + replies_.kept(); }
  std::string describe_unacknowledged() const;

  BusContext& context_;
  const PrefixWatchers& watchers_;
  const ReplyQueue& replies_;
  std::vector<Done<>> connects_;
  std::vector<Flush> flushes_;
  std::vector<Room> rooms_;
};

}  // namespace starbus::bus
