#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <utility>

#include "bus/core/wire/ids.hpp"

namespace starbus::bus::busd::mail {

/// How many readers of a mailbox were given a message and ended without settling it, for the first
/// message of each session: what kills its readers shows by that. Counted are processes that went,
/// and those that another reader has replaced; who closes its mailbox has put back what it was
/// given, and one process that begins a session anew goes on.
///
/// Known of the mailboxes whose readers have ended last, in two generations (see BoxCache), and in
/// memory alone: a restart of the store, or a move of its shard, begins at 1 again. One thread.
class Attempts {
 public:
  static constexpr std::size_t kMost = 65'536;  // mailboxes of a generation, some 8 MiB

  explicit Attempts(std::size_t most = kMost) : most_(most) {}

  struct Session {
    Process process;
    std::uint64_t first = 0;  // number that it was sent
    std::uint64_t sent = 0;   // up to this number
    std::uint32_t attempts = 1;
    bool closed = false;  // by its reader, in order
  };
  /// A session has ended with messages that it was sent and has not settled.
  void ended(const ChannelId& box, const Session& session);
  /// One has ended, and has settled all that it was sent.
  void settled(const ChannelId& box);
  /// Of the first message that a new session is sent, this session counted: 1 or more.
  std::uint32_t of(const ChannelId& box, const Process& process, std::uint64_t number) const;

  std::size_t count() const { return young_.size() + old_.size(); }

 private:
  using Generation = boost::unordered_flat_map<ChannelId, Session>;
  const Session* find(const ChannelId& box) const;

  const std::size_t most_;
  Generation young_;
  Generation old_;  // none of them is in young_
};

}  // namespace starbus::bus::busd::mail
