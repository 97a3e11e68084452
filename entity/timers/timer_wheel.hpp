/// The timers of a node: a hierarchical timing wheel (Varghese and Lauck, "Hashed and Hierarchical
/// Timing Wheels", 1987; here scheme 7), with 6 levels of 256 slots and a lowest slot of 1 ms.
///
/// No clock: the main loop passes the time in. Owned and used by the loop's thread (checked). The
/// wheel owns callbacks; a TimerOwner decides how long. Failures are values; asserts catch misuse:
/// advance() or the end of the wheel within a callback. docs/guide/timers.md has the promises.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/timers/error.hpp"
#include "entity/timers/timer_slab.hpp"
#include "entity/timers/timer_slots.hpp"

namespace starbus::entity {

/// The reading of a monotonic clock, and a span of it.
using Time = std::chrono::nanoseconds;

/// Bounds of delays and intervals.
inline constexpr Time kLongestDelay = kMaxDelay;
inline constexpr Time kShortestInterval = std::chrono::milliseconds(1);  // and the lowest slot

/// Names one timer of one wheel; never reused. The default names none.
struct TimerId {
  std::uint64_t serial = 0;  // grows with each timer that is set
  std::uint32_t index = 0;

  explicit operator bool() const { return serial != 0; }
  friend auto operator<=>(const TimerId&, const TimerId&) = default;
};

/// The argument of a callback, which may also take none.
struct TimerFiring {
  TimerId id;
  Time due;                  // when it should have fired
  Time now;                  // of this pass
  std::uint64_t missed = 0;  // CatchUp::once: due times after `due` that this firing stands for
};

/// Behaviour of a repeating timer when several of its due times have passed.
enum class CatchUp : std::uint8_t {
  all,   // fires for each
  once,  // fires for the earliest, with the number of the others
};

/// The loop that drives a wheel: gives it the time between passes, and hears of earlier timers.
/// Called on the wheel's thread; must not call the wheel.
class TimerDriver {
 public:
  /// The present, for timers that are set outside a pass.
  virtual Time now() = 0;
  /// A timer was set that is due before the result of sleep_until(); once per call of that.
  virtual void due_sooner() = 0;
  /// Around each callback; ended() also after one that throws.
  virtual void began(const std::type_info& callback) = 0;
  virtual void ended() = 0;

 protected:
  ~TimerDriver() = default;
};

class TimerWheel;

/// Whatever timers act on has one, as its last member: its end cancels them. Not to be moved, since
/// timers point to it. Two words.
class TimerOwner {
 public:
  TimerOwner() = default;
  ~TimerOwner() { cancel_all(); }
  TimerOwner(const TimerOwner&) = delete;
  TimerOwner& operator=(const TimerOwner&) = delete;

  /// Cancels all its timers and returns how many. Takes time for each of them.
  std::size_t cancel_all();
  /// Timers that are pending. Takes time for each of them.
  std::size_t size() const;

  /// Its timers do not fire until resume(), nor do those that are set meanwhile; due times stay as
  /// they are. Takes time for each of them; idempotent.
  void pause();
  /// What became due meanwhile fires in the next pass, in the order of the due times; a repeating
  /// timer then catches up as it was told (CatchUp). Idempotent.
  void resume();
  bool paused() const { return paused_; }

 private:
  friend class TimerWheel;
  friend void resume_timers(std::span<TimerOwner* const> owners);
  TimerWheel* wheel_ = nullptr;  // where its timers are, if it has any
  std::uint32_t first_ = kNoTimer;
  bool paused_ = false;
};

/// TimerOwner::resume of several at once: what is overdue fires in the order of the due times,
/// whichever of them has it.
void resume_timers(std::span<TimerOwner* const> owners);

class TimerWheel {
 public:
  /// The result of a pass, in timers.
  struct Pass {
    std::size_t fired = 0;
    std::size_t moved = 0;  // to a lower level
    bool more = false;      // the next pass has work, without any time having to pass
  };

  explicit TimerWheel(Time start = Time{0}) : origin_(start), now_(start) {}
  /// Cancels everything. Owners may live longer.
  ~TimerWheel();
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  /// `callback` is called once, as `callback()` or `callback(const TimerFiring&)`, in the first
  /// pass at or after `when`. Errors: too_many_timers, too_far, closed.
  template <class Callback>
  TimerResult<TimerId> at(TimerOwner& owner, Time when, Callback callback) {
    return set(owner, when, Time{0}, CatchUp::all, std::move(callback));
  }
  /// As above, `delay` after the time of the present pass; outside of one, after the driver's
  /// now(), or that of the latest pass if there is no driver.
  template <class Callback>
  TimerResult<TimerId> after(TimerOwner& owner, Time delay, Callback callback) {
    return set(owner, due_after(delay), Time{0}, CatchUp::all, std::move(callback));
  }
  /// The first time as above, then every `interval`, which is a millisecond or more. A negative
  /// `first` is a rhythm that began so long ago: what it missed is caught up with. Also:
  /// bad_interval.
  template <class Callback>
  TimerResult<TimerId> every(TimerOwner& owner, Time first, Time interval, CatchUp catch_up,
                             Callback callback) {
    if (interval < kShortestInterval) return TimerErrc::bad_interval;
    return set(owner, due_after(first), interval, catch_up, std::move(callback));
  }

  /// Was it pending? Destroys the callback, or, if that is running, once it has returned.
  bool cancel(TimerId id);
  bool contains(TimerId id) const { return find(id) != kNoTimer; }
  /// When it fires next; within the callback of a repeating timer that is the next time.
  std::optional<Time> due(TimerId id) const;

  /// One pass: fires what is due at `now`, until `work` timers were moved or fired.
  Pass advance(Time now, std::size_t work = kPassWork);

  /// The latest time that was passed in.
  Time now() const { return now_; }
  /// The time that after() counts from: between passes the driver's now().
  Time present() { return due_after(Time{0}); }
  /// How long the loop may sleep: no timer fires before this time, and a pass at this time has
  /// something to do. Not after now() if there is work at once; nullopt if there are no timers.
  std::optional<Time> next_due() const;
  std::size_t size() const { return size_; }
  /// Memory held for timers, callables of more than 72 bytes not counted.
  std::size_t bytes() const { return slab_.bytes() + slots_.bytes(); }

  /// Null: no driver. It outlives the wheel, or is taken away before it ends.
  void drive(TimerDriver* driver) { driver_ = driver; }
  /// The loop sleeps until then, or, without a time, until something else happens.
  void sleep_until(std::optional<Time> when) { sleeps_until_ = when.value_or(Time::max()); }

  /// For tests of far timers: changes the time, and that of all timers alike, so that they keep the
  /// time that they have left. The times passed to advance() must follow.
  void shift(Time by) {
    origin_ += by;
    now_ += by;
  }

 private:
  friend class TimerOwner;
  friend void resume_timers(std::span<TimerOwner* const> owners);
  using Tick = std::uint64_t;  // milliseconds since the origin, rounded up for due times
  static constexpr Time kTick = kShortestInterval;
  static constexpr std::size_t kLevels = TimerSlots::kLevels;
  static constexpr std::size_t kSlots = TimerSlots::kSlots;

  struct Event {
    Tick tick;
    std::size_t level;
  };
  class RunningGuard;

  template <class Callback>
  TimerResult<TimerId> set(TimerOwner& owner, Time when, Time interval, CatchUp catch_up,
                           Callback&& callback);
  /// A node with all but its callable; in no list yet.
  TimerResult<std::uint32_t> prepare(TimerOwner& owner, Time when, Time interval, CatchUp catch_up);
  TimerId start(std::uint32_t index);
  Time due_after(Time delay);
  /// The clock moves, and nothing fires.
  void look(Time now);

  std::uint32_t find(TimerId id) const;
  void link(std::uint32_t index);
  void unlink(std::uint32_t index);
  void link_owner(std::uint32_t index);
  void unlink_owner(std::uint32_t index);
  void end(std::uint32_t index);
  void destroy(std::uint32_t index);
  void pause(std::uint32_t first);
  /// Timers of paused owners, in any order.
  void resume(std::vector<std::uint32_t> all);
  void tell_driver(const TimerNode& node);

  void move_one();
  void fire(std::uint32_t index);
  std::uint64_t set_next(TimerNode& node) const;
  std::optional<Event> next_event() const;
  bool has_work() const;
  static Tick tick_of(std::int64_t due);
  static std::size_t slot_of(Tick tick, std::size_t level) {
    return level * kSlots + (tick >> (8 * level)) % kSlots;
  }
  std::size_t present_slot() const { return slot_of(position_, 0); }

  // Invariants. A paused timer is in the slot of these, whatever its tick, and counts as pending.
  // Every other pending timer but the one that runs has a tick >= position_ and is in the
  // slot (level, digit) where level is that of the highest of the base-256 digits in which its tick
  // differs from position_ (0 if none), and digit is the tick's digit there; but while `moving_`, a
  // timer of that slot may already be where it belongs once position_ is `target_`. Each slot is in
  // the order in which its timers were set, so timers of one tick always are.
  Time origin_;  // time of tick 0
  Time now_;
  Tick now_tick_ = 0;  // of now_, rounded down
  Time sleeps_until_ = Time::min();
  Tick position_ = 0;       // all before it have fired
  bool moving_ = false;     // the slot that begins at target_ is being moved to lower levels
  Tick target_ = 0;         // position_ + 1
  std::size_t source_ = 0;  // that slot
  bool in_pass_ = false;
  bool closing_ = false;
  TimerDriver* driver_ = nullptr;
  std::uint64_t next_serial_ = 1;
  std::size_t size_ = 0;
  TimerSlab slab_;
  TimerSlots slots_;
  LoopThread thread_;
};

namespace timers_detail {

template <class Callback>
void call(Callback& callback, const TimerFiring& firing) {
  if constexpr (std::invocable<Callback&, const TimerFiring&>) {
    callback(firing);
  } else {
    static_assert(std::invocable<Callback&>, "called as () or as (const TimerFiring&)");
    callback();
  }
}

/// A callable that does not fit a node.
template <class Callback>
struct Boxed {
  std::unique_ptr<Callback> callback;
  void operator()(const TimerFiring& firing) { call(*callback, firing); }
};
template <class Callback>
inline constexpr const std::type_info* kTypeOf = &typeid(Callback);
template <class Callback>
inline constexpr const std::type_info* kTypeOf<Boxed<Callback>> = &typeid(Callback);

template <class Callback>
inline constexpr TimerCallable kCallable = {
    [](void* callable, const TimerFiring& firing) {
      call(*std::launder(static_cast<Callback*>(callable)), firing);
    },
    std::is_trivially_destructible_v<Callback>
        ? nullptr
        : +[](void* callable) { std::destroy_at(std::launder(static_cast<Callback*>(callable))); },
    kTypeOf<Callback>};

}  // namespace timers_detail

template <class Callback>
TimerResult<TimerId> TimerWheel::set(TimerOwner& owner, Time when, Time interval, CatchUp catch_up,
                                     Callback&& callback) {
  using Stored = std::remove_cvref_t<Callback>;
  if constexpr (sizeof(Stored) > sizeof(TimerNode::storage) || alignof(Stored) > alignof(void*) ||
                !std::is_nothrow_move_constructible_v<Stored>) {
    return set(owner, when, interval, catch_up,
               timers_detail::Boxed<Stored>{std::make_unique<Stored>(std::move(callback))});
  } else {
    const TimerResult<std::uint32_t> index = prepare(owner, when, interval, catch_up);
    if (!index) return index.error();
    TimerNode& node = slab_[*index];
    node.callable = &timers_detail::kCallable<Stored>;
    ::new (static_cast<void*>(node.storage)) Stored(std::move(callback));
    return start(*index);
  }
}

}  // namespace starbus::entity
