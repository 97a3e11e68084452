/// Where the timers of a wheel lie: a table of nodes that never move.
///
/// Owned by one wheel, used by its thread. A node is two cache lines: what the wheel compares and
/// the beginning of the callable, then the rest of that. The caller sees to lifetimes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <typeinfo>

#include "entity/timers/timer_pool.hpp"

namespace starbus::entity {

class TimerOwner;
struct TimerFiring;

/// How a callable of some type that lies in a node is called and destroyed, and what it is.
struct TimerCallable {
  void (*call)(void* callable, const TimerFiring& firing);
  void (*destroy)(void* callable);  // null: nothing to do, and the callable is not touched
  const std::type_info* type;
};

/// A node that is never used: nodes without a neighbour write to it, which saves a branch.
inline constexpr std::uint32_t kNoTimer = 0;

/// A place in the list of an owner. Apart from the nodes, because leaving the list changes
/// its neighbours: of a million timers these are 8 MB and not 128.
struct TimerLinks {
  std::uint32_t previous;  // kNoTimer at the ends
  std::uint32_t next;
};

/// One timer and its callable.
struct alignas(64) TimerNode {
  std::uint64_t serial;   // of its TimerId; 0: fired or cancelled, no handle fits any more
  std::int64_t due;       // nanoseconds since the wheel's origin
  std::uint64_t tick;     // in which it fires: of `due`, or of the present if that is in the past
  std::int64_t interval;  // nanoseconds; 0: fires once
  TimerOwner* owner;
  const TimerCallable* callable;
  std::uint32_t place;  // in the slots
  bool running;         // its callback is being called: in no slot
  bool catch_up_once;
  bool paused;  // with its owner: in the slot of these, or running

  // From here, so that a callable that is one pointer costs no second line.
  alignas(8) std::byte storage[72];
};
static_assert(sizeof(TimerNode) == 128 && offsetof(TimerNode, storage) == 56);

class TimerSlab {
 public:
  TimerNode& operator[](std::uint32_t index) { return nodes_[index]; }
  const TimerNode& operator[](std::uint32_t index) const { return nodes_[index]; }
  TimerLinks& links(std::uint32_t index) { return links_[index]; }
  const TimerLinks& links(std::uint32_t index) const { return links_[index]; }
  /// Is there memory for this node? Its serial is 0 if it is not taken.
  bool has(std::uint32_t index) const { return pool_.has(index); }

  /// The index of a node whose content is undefined; kNoTimer if kMaxTimers are taken.
  std::uint32_t take() { return pool_.take(); }
  /// Its serial must be 0.
  void give_back(std::uint32_t index) { pool_.give_back(index); }

  std::size_t regions() const { return pool_.regions(); }
  std::size_t bytes() const { return pool_.bytes(); }

 private:
  TimerPool pool_{sizeof(TimerNode), sizeof(TimerLinks)};
  TimerNode* nodes_ = pool_.table<TimerNode>(0);
  TimerLinks* links_ = pool_.table<TimerLinks>(1);
};

}  // namespace starbus::entity
