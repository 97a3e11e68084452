/// The server's clock, as its messages show it that were the fastest on their way: so the jitter of
/// the network does not come into times. A value, used by one thread; sans-IO; cannot fail.
#pragma once

#include <cstdint>

namespace starbus::game {

/// See above.
class RemoteClock {
 public:
  /// A message with the other's time in ms, which wraps, came at `local`, in ms of a steady clock.
  /// In any order.
  void heard(std::uint32_t remote, std::int64_t local);
  bool has_heard() const { return heard_; }

  /// The other's time at `local`, less what its fastest message took. 0 before the first message.
  double remote_at(std::int64_t local) const;
  /// When that was, in local time, as if its fastest message had taken no time.
  double local_at(std::uint32_t remote) const;

 private:
  double ahead_at(std::int64_t local) const;
  /// The same time without wraps.
  std::int64_t widened(std::uint32_t remote) const;

  bool heard_ = false;
  std::uint32_t remote_ = 0;  // the latest time heard
  std::int64_t wide_ = 0;     // the same, without wraps
  std::int64_t local_ = 0;    // of the latest message
  double ahead_ = 0;          // the other's time less the local one, of the fastest message
};

}  // namespace starbus::game
