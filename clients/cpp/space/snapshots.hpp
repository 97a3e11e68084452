/// Where a mover is to be shown: its last places with their server times, between which it goes
/// evenly, however irregularly they came.
///
///   clock.heard(header.time, local_ms);                          // RemoteClock, of the server
///   shown[seen.index].add(seen.move);
///   const Locomotion now = shown[index].at(clock.remote_at(local_ms) - delay_ms);
///
/// The delay buys smoothness: at least the time between two updates, and what the network's delays
/// differ by. A value of at most 1.5 KB, used by one thread; sans-IO; cannot fail.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clients/cpp/limits.hpp"
#include "clients/cpp/space/locomotion.hpp"

namespace starbus::game {

/// How a mover is shown.
struct SnapshotOptions {
  float snap = 8;  ///< m: what goes further from one snapshot to the next is not shown on its way
  /// A mover that was not heard of for longer has stood still until then, since those that stand
  /// are not sent. To be longer than the time between two updates of a mover that goes.
  std::chrono::milliseconds longest_step{400};
};

/// See above.
class Snapshots {
 public:
  explicit Snapshots(const SnapshotOptions& options = {}) : options_(options) {}

  /// The newest place. One that is older than the newest is dropped: it came late; one of the same
  /// time replaces it.
  void add(const Locomotion& move);
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  /// The newest place; null: none.
  const Locomotion* newest() const { return all_.empty() ? nullptr : &all_.back(); }

  /// Where to show it at a server time in ms (RemoteClock::remote_at). Its velocity is that of what
  /// is shown. Before the oldest snapshot: there; after the newest: goes on for kExtrapolation,
  /// and stands still then. A default value if there are no snapshots.
  Locomotion at(double server_ms) const;
  /// The snapshot nearest to that time. nullptr if it is before the oldest one: too long ago to
  /// tell. Valid until the next add().
  const Locomotion* nearest(std::uint32_t server_ms) const;

 private:
  /// 0 is the newest.
  const Locomotion& back(std::size_t index) const { return all_[all_.size() - 1 - index]; }
  bool is_jump(const Locomotion& from, const Locomotion& to) const;
  /// ms that the way between two snapshots took.
  double step_between(const Locomotion& from, const Locomotion& to) const;
  Place velocity_between(const Locomotion& from, const Locomotion& to) const;
  Locomotion between(const Locomotion& from, const Locomotion& to, double before_to) const;
  Locomotion beyond(double after) const;

  SnapshotOptions options_;
  std::vector<Locomotion> all_;  // the newest is the last
};

}  // namespace starbus::game
