/// Calls of this process, from the request until the reply, an error or the deadline: each ends
/// exactly once. At most kMaxPendingCalls. Callees see a call under a number that cannot be guessed
/// (CallNumbers), since whoever knows it may answer. One thread; the timer keeps no Bus alive.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <unordered_map>

#include "bus/client/parts/message_sender.hpp"
#include "bus/core/ends/call_numbers.hpp"
#include "bus/io/timer.hpp"

namespace starbus::bus {

/// Tokens of requests; those of other messages are lower.
inline constexpr Token kCallToken = Token{1} << 63;

class PendingCalls {
 public:
  using Id = std::uint64_t;  // 1, 2, 3...: within this process
  PendingCalls(BusContext& context, MessageSender& sender);

  bool full() const { return calls_.size() >= kMaxPendingCalls; }
  /// The deadline runs from now on; send follows.
  Id begin(const CallOptions& options, Done<Bytes> done);
  /// Sends the request to an owned channel. Does nothing if the call has ended.
  void send(Id id, const Name& to, Lineage hint, const Trace& trace, ByteView body);
  void end(Id id, Result<Bytes> result);
  /// The lane of a call that has not ended.
  std::optional<Lane> lane_of(Id id) const;
  /// A message to the channel of this process. Counts replies to calls that have ended, and reports
  /// those to calls that this process never made.
  void on_reply(const Delivery& delivery);
  void end_all(const Error& reason);
  void stop_timer() { timer_.cancel(); }

  std::uint64_t started() const { return started_; }
  std::uint64_t timed_out() const { return timed_out_; }
  std::uint64_t late_replies() const { return late_replies_; }
  std::uint64_t unknown_replies() const { return unknown_replies_; }

 private:
  struct Pending {
    Done<Bytes> done;
    std::uint64_t number = 0;  // under which its reply comes
    ChannelId channel{};
    Lane lane = Lane::call;
    std::uint64_t seq = 0;
    std::multimap<Time, Id>::iterator deadline{};
  };

  void on_stray_reply(std::uint64_t number, const Process& speaker);
  void expire();
  void arm_timer();

  BusContext& context_;
  MessageSender& sender_;
  io::Timer timer_;
  std::unordered_map<Id, Pending> calls_;
  boost::unordered_flat_map<std::uint64_t, Id> by_number_;
  std::multimap<Time, Id> deadlines_;
  Time armed_ = Time::max();  // when the timer looks at them: not later than the first
  CallNumbers numbers_;
  std::uint64_t started_ = 0;  // the latest Id
  std::uint64_t timed_out_ = 0;
  std::uint64_t late_replies_ = 0;
  std::uint64_t unknown_replies_ = 0;
};

}  // namespace starbus::bus
