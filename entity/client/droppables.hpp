/// The updates that a link may drop: of each slot the newest one, until there is room for it or it
/// is too old to be of use.
///
/// In the order of priority, then of the time for which their slots have waited. An update that
/// replaces another keeps its place, so that slots which change all the time do not go first or
/// last. Bounded by kDroppableSlots and kDroppableBytes. A plain value; belongs to its link.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "entity/client/parts.hpp"

namespace starbus::entity::sessions {

/// How an update may be dropped.
struct DropRule {
  /// It is of use for so long. kNeverOld: until a newer one of its slot.
  LinkTime max_age{1'000};
  /// A higher one goes first.
  std::uint8_t priority = 0;
};
inline constexpr LinkTime kNeverOld = LinkTime::max();

/// One that waits, as it travels.
struct WaitingUpdate {
  std::uint64_t slot = 0;
  std::uint8_t priority = 0;
  LinkTime left = kNeverOld;  // until it is too old
  Body body{};
};

/// What has become of updates.
struct DropCounters {
  std::uint64_t said = 0;      // with a number
  std::uint64_t replaced = 0;  // by a newer one of the slot
  std::uint64_t aged = 0;      // dropped: too old
  std::uint64_t crowded = 0;   // dropped: kDroppableSlots, kDroppableBytes
  DropCounters& operator+=(const DropCounters& other);
  friend bool operator==(const DropCounters&, const DropCounters&) = default;
};

class Droppables {
 public:
  /// The newest update of this slot. The body has at most kDroppableBytes.
  void put(std::uint64_t slot, const DropRule& rule, Body body, LinkTime now);
  /// There is nothing of the slot to say any more.
  void erase(std::uint64_t slot);
  /// Drops what is too old.
  void expire(LinkTime now);
  void clear();

  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  std::size_t bytes() const { return bytes_; }
  /// The bodies in their order, until `visit` returns false.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& [order, row] : rows_) {
      if (!visit(row.body)) return;
    }
  }
  /// The first ones have been said.
  void said(std::size_t count);

  /// All that waits, in its order, as it travels.
  std::vector<WaitingUpdate> pack(LinkTime now) const;
  /// What pack() has returned elsewhere.
  void unpack(std::vector<WaitingUpdate> waiting, LinkTime now);
  const DropCounters& counters() const { return counters_; }

 private:
  struct Order {
    int rank;              // of a lower priority: higher
    std::uint64_t number;  // of the update that came first to the slot
    auto operator<=>(const Order&) const = default;
  };
  struct Row {
    std::uint64_t slot;
    LinkTime until;
    Body body;
  };
  using Rows = std::map<Order, Row>;
  Rows::iterator remove(Rows::iterator at);

  Rows rows_;
  std::unordered_map<std::uint64_t, Order> slots_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  DropCounters counters_;
};

}  // namespace starbus::entity::sessions
