/// Hands the packets of sessions to their connections, within the budgets of clients and of the
/// gate. A role of GateCore; belongs to the loop's thread.
///
/// A packet that must wait stays in the window of its session, which has it anyway until the client
/// acknowledges it: nothing is copied, and kWindowBytes bounds it. A session within its equal share
/// of the gate's rate never waits for others. Those beyond it take turns for what the others leave
/// (deficit round robin), kTurnBytes each or more. Whatever waits keeps its order.
#pragma once

#include <deque>

#include "nodes/gate/core/desk.hpp"

namespace starbus::nodes::gate {

class Egress {
 public:
  explicit Egress(Desk& desk) : desk_(desk) {}

  /// Its window has a packet more.
  void more(Session& session);
  /// Its connection is a new one, whose client has seen all up to `c`.
  void begin(Session& session, std::uint64_t c);
  /// All that waits, whatever the budgets are: its last packet follows.
  void all(Session& session);
  /// Packets that wait for a budget.
  static std::size_t waiting(const Session& session);

  /// Turns of those that wait, at most so many. Returns how many.
  std::size_t turns(std::size_t most);

  void set(const Budget& budget) { budget_ = budget; }
  const Budget& budget() const { return budget_; }
  /// Sessions in the ring.
  std::size_t ring() const { return ring_.size() + unserved_.size(); }

 private:
  bool may(Session& session);
  void hand_out(Session& session, bool in_turn);
  std::uint64_t share() const;
  std::int64_t turn_bytes() const;

  Desk& desk_;
  Budget budget_{};
  ByteBucket gate_{};
  struct Place {
    SessionId session;
    std::uint64_t ticket;
  };
  std::deque<Place> ring_;      // one of each that waits, and of some that do not any more
  std::deque<Place> unserved_;  // in this round
  std::uint64_t last_ticket_ = 0;
  std::size_t round_ = 0;  // turns that are left of this one
  GateTime round_at_{};
};

}  // namespace starbus::nodes::gate
