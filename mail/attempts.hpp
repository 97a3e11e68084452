#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <utility>

#include "mail/limits.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// Counts how many readers of a mailbox received a message and ended without acknowledging it, for
/// the first message of each session: so a message that kills its readers shows. Counts processes
/// that died and those that another reader replaced. A reader that closes its mailbox has returned
/// its messages, and a process that begins another session goes on.
///
/// Keeps the mailboxes whose readers ended last, in two generations (see BoxCache), in memory only:
/// after a restart of the store, or a move of the shard, counts begin at 1 again. One thread.
class Attempts {
 public:
  explicit Attempts(std::size_t most = kAttemptBoxes) : most_(most) {}

  struct Session {
    Process process;
    std::uint64_t first = 0;  // the first number that it was sent
    std::uint64_t sent = 0;   // the last number that it was sent
    std::uint32_t attempts = 1;
    bool closed = false;  // by its reader, in order
  };
  /// Call when a session ends with messages that were sent and not acknowledged.
  void ended(const ChannelId& box, const Session& session);
  /// Call when a session ends after it acknowledged all that it was sent.
  void settled(const ChannelId& box);
  /// The count for the first message of a new session, including this session: 1 or more.
  std::uint32_t of(const ChannelId& box, const Process& process, std::uint64_t number) const;

  std::size_t count() const { return young_.size() + old_.size(); }

 private:
  using Generation = boost::unordered_flat_map<ChannelId, Session>;
  const Session* find(const ChannelId& box) const;

  const std::size_t most_;
  Generation young_;
  Generation old_;  // disjoint from young_
};

}  // namespace starbus::mail
