// The part of TimerWheel that runs when time passes.
#include <algorithm>
#include <bit>
#include <cassert>

#include "base/unit_guard.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {
namespace {

/// True while it lives, however the pass ends.
class Flag {
 public:
  explicit Flag(bool& flag) : flag_(flag) { flag_ = true; }
  ~Flag() { flag_ = false; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  bool& flag_;
};

}  // namespace

/// Keeps a node while its callback runs, then sets it again or frees it, also after an exception.
class TimerWheel::RunningGuard {
 public:
  RunningGuard(TimerWheel& wheel, std::uint32_t index) : wheel_(wheel), index_(index) {
    TimerNode& node = wheel_.slab_[index_];
    node.running = true;
    if (wheel_.driver_ != nullptr) wheel_.driver_->began(*node.callable->type);
  }
  ~RunningGuard() {
    if (wheel_.driver_ != nullptr) wheel_.driver_->ended();
    TimerNode& node = wheel_.slab_[index_];
    node.running = false;
    if (node.serial == 0) {
      wheel_.destroy(index_);
    } else {
      wheel_.link(index_);
    }
  }
  RunningGuard(const RunningGuard&) = delete;
  RunningGuard& operator=(const RunningGuard&) = delete;

 private:
  TimerWheel& wheel_;
  std::uint32_t index_;
};

TimerWheel::Pass TimerWheel::advance(Time now, std::size_t work) {
  thread_.check();
  assert(!in_pass_ && "advance() within a callback");
  const Flag in_pass(in_pass_);
  look(now);
  sleeps_until_ = Time::min();                   // awake
  const std::uint64_t first_new = next_serial_;  // timers from here on are of the next pass
  Pass pass;
  while (pass.fired + pass.moved < work) {
    if (moving_) {
      if (slots_.empty(source_)) {
        moving_ = false;
        position_ = target_;
        continue;
      }
      move_one();
      ++pass.moved;
      continue;
    }
    const std::uint32_t first = slots_.first(present_slot());
    if (first != kNoTimer) {
      if (slab_[first].serial >= first_new) break;  // so are all after it
      ++pass.fired;
      fire(first);
      continue;
    }
    const std::optional<Event> next = next_event();
    if (!next || next->tick > now_tick_) {
      position_ = now_tick_;
      break;
    }
    if (next->level == 0) {
      position_ = next->tick;
      continue;
    }
    // Until the whole slot has been moved, position_ stays before it: timers set meanwhile go to
    // the end of the same slot, which keeps the order.
    position_ = next->tick - 1;
    target_ = next->tick;
    source_ = slot_of(target_, next->level);
    moving_ = true;
  }
  pass.more = has_work();
  return pass;
}

void TimerWheel::move_one() {
  const std::uint32_t index = slots_.first(source_);
  __builtin_prefetch(&slab_[slots_.ahead(source_)], 1);
  unlink(index);
  const Tick before = position_;
  position_ = target_;
  link(index);
  position_ = before;
}

void TimerWheel::fire(std::uint32_t index) {
  TimerNode& node = slab_[index];
  const std::uint32_t next = slots_.ahead(present_slot());
  __builtin_prefetch(&slab_[next], 1);
  __builtin_prefetch(&slab_.links(next), 1);
  unlink(index);
  TimerFiring firing{{node.serial, index}, origin_ + Time{node.due}, now_, 0};
  const RunningGuard guard(*this, index);
  if (node.interval == 0) {
    unlink_owner(index);
    node.serial = 0;
    --size_;
  } else {
    firing.missed = set_next(node);
  }
  // Within the guard of the node: the callback is there, and the driver knows its name.
  guarded(UnitKind::timer, *node.callable->type,
          [&] { node.callable->call(node.storage, firing); });
}

/// The next due time of a repeating timer that fires now; the result is how many it skips.
std::uint64_t TimerWheel::set_next(TimerNode& node) const {
  std::int64_t missed = 0;
  const std::int64_t late = (now_ - origin_).count() - node.due;
  if (node.catch_up_once && late > 0) missed = late / node.interval;
  node.due += (missed + 1) * node.interval;
  // Behind the present if it was set for the past: then it is still catching up.
  node.tick = node.due > 0 ? std::max(tick_of(node.due), position_) : position_;
  return static_cast<std::uint64_t>(missed);
}

/// The occupied slot that begins earliest after position_.
std::optional<TimerWheel::Event> TimerWheel::next_event() const {
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t digit = (position_ >> (8 * level)) % kSlots;
    const std::optional<std::size_t> found = slots_.occupied_above(level, digit);
    if (!found) continue;
    const Tick above = position_ >> (8 * (level + 1)) << (8 * (level + 1));
    return Event{above | Tick{*found} << (8 * level), level};
  }
  return std::nullopt;
}

bool TimerWheel::has_work() const {
  if (moving_ || !slots_.empty(present_slot())) return true;
  const std::optional<Event> next = next_event();
  return next && next->tick <= now_tick_;
}

std::optional<Time> TimerWheel::next_due() const {
  if (size_ == 0) return std::nullopt;
  if (moving_ || !slots_.empty(present_slot())) return now_;
  const std::optional<Event> next = next_event();
  if (!next) return std::nullopt;
  return origin_ + static_cast<std::int64_t>(next->tick) * kTick;
}

}  // namespace starbus::entity
