#include "entity/timers/timer_wheel.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace starbus::entity {

std::size_t TimerOwner::cancel_all() {
  std::size_t count = 0;
  // From the front each time: destroying a callback may cancel or set timers.
  for (; first_ != kNoTimer; ++count) wheel_->end(first_);
  return count;
}

void TimerOwner::pause() {
  if (std::exchange(paused_, true) || first_ == kNoTimer) return;
  wheel_->pause(first_);
}

void TimerOwner::resume() {
  TimerOwner* const self = this;
  resume_timers({&self, 1});
}

void resume_timers(std::span<TimerOwner* const> owners) {
  TimerWheel* wheel = nullptr;
  std::vector<std::uint32_t> all;
  std::vector<TimerOwner*> elsewhere;  // on another wheel than the first
  for (TimerOwner* const owner : owners) {
    if (!owner->paused_) continue;
    if (owner->first_ != kNoTimer && wheel != nullptr && owner->wheel_ != wheel) {
      elsewhere.push_back(owner);
      continue;
    }
    owner->paused_ = false;
    if (owner->first_ == kNoTimer) continue;
    wheel = owner->wheel_;
    std::uint32_t at = owner->first_;
    for (; at != kNoTimer; at = wheel->slab_.links(at).next) all.push_back(at);
  }
  if (wheel != nullptr) wheel->resume(std::move(all));
  if (!elsewhere.empty()) resume_timers(elsewhere);
}

std::size_t TimerOwner::size() const {
  std::size_t count = 0;
  for (std::uint32_t at = first_; at != kNoTimer; ++count) at = wheel_->slab_.links(at).next;
  return count;
}

TimerWheel::~TimerWheel() {
  assert(!in_pass_);
  closing_ = true;
  for (std::size_t slot = 0; slot <= TimerSlots::kPaused; ++slot) {
    while (!slots_.empty(slot)) end(slots_.first(slot));
  }
  assert(size_ == 0);
}

void TimerWheel::look(Time now) {
  assert(now - origin_ < Time::max() / 2);
  if (now <= now_) return;
  now_ = now;
  now_tick_ = static_cast<Tick>((now_ - origin_) / kTick);
}

Time TimerWheel::due_after(Time delay) {
  if (driver_ != nullptr && !in_pass_) look(driver_->now());
  return now_ + std::clamp(delay, -kLongestDelay, kLongestDelay + kTick);
}

TimerResult<std::uint32_t> TimerWheel::prepare(TimerOwner& owner, Time when, Time interval,
                                               CatchUp catch_up) {
  thread_.check();
  if (closing_) return TimerErrc::closed;
  // Written so that no sum can overflow, whatever `when` is.
  if (when > now_ + kLongestDelay || interval > kLongestDelay) return TimerErrc::too_far;
  assert(owner.first_ == kNoTimer || owner.wheel_ == this);
  // One region ahead of the nodes: each node then has a place in the slots, and nothing fails after
  // this.
  slots_.reserve(slab_.regions() + 1);
  const std::uint32_t index = slab_.take();
  if (index == kNoTimer) return TimerErrc::too_many_timers;
  TimerNode& node = slab_[index];
  node.serial = next_serial_++;
  node.due = (std::max(when, now_ - kLongestDelay) - origin_).count();
  // A time that is not in the future counts as the present millisecond: the next pass fires it even
  // if the clock does not move.
  node.tick = when > now_ ? tick_of(node.due) : now_tick_;
  node.interval = interval.count();
  node.owner = &owner;
  node.running = false;
  node.catch_up_once = catch_up == CatchUp::once;
  node.paused = owner.paused_;
  return index;
}

TimerId TimerWheel::start(std::uint32_t index) {
  link(index);
  link_owner(index);
  ++size_;
  const TimerNode& node = slab_[index];
  if (!node.paused) tell_driver(node);
  return {node.serial, index};
}

void TimerWheel::tell_driver(const TimerNode& node) {
  if (driver_ == nullptr || origin_ + Time{node.due} >= sleeps_until_) return;
  sleeps_until_ = Time::min();
  driver_->due_sooner();
}

TimerWheel::Tick TimerWheel::tick_of(std::int64_t due) {
  return static_cast<Tick>((due + kTick.count() - 1) / kTick.count());
}

std::uint32_t TimerWheel::find(TimerId id) const {
  if (id.serial == 0 || !slab_.has(id.index)) return kNoTimer;
  return slab_[id.index].serial == id.serial ? id.index : kNoTimer;
}

std::optional<Time> TimerWheel::due(TimerId id) const {
  const std::uint32_t index = find(id);
  if (index == kNoTimer) return std::nullopt;
  return origin_ + Time{slab_[index].due};
}

bool TimerWheel::cancel(TimerId id) {
  thread_.check();
  const std::uint32_t index = find(id);
  if (index == kNoTimer) return false;
  end(index);
  return true;
}

/// Makes every handle stale, then destroys the callback: its end may come back here.
void TimerWheel::end(std::uint32_t index) {
  TimerNode& node = slab_[index];
  unlink_owner(index);
  node.serial = 0;
  --size_;
  if (node.running) return;  // RunningGuard destroys it
  unlink(index);
  destroy(index);
}

/// All timers of an owner; one that repeats and runs is put aside when its callback has returned.
void TimerWheel::pause(std::uint32_t first) {
  thread_.check();
  for (std::uint32_t at = first; at != kNoTimer; at = slab_.links(at).next) {
    TimerNode& node = slab_[at];
    if (!node.running) unlink(at);
    node.paused = true;
    if (!node.running) link(at);
  }
}

/// Timers that are overdue come into the present slot, one after the other.
void TimerWheel::resume(std::vector<std::uint32_t> all) {
  thread_.check();
  static_cast<void>(present());
  std::ranges::sort(all, [this](std::uint32_t a, std::uint32_t b) {
    return std::pair(slab_[a].due, slab_[a].serial) < std::pair(slab_[b].due, slab_[b].serial);
  });
  for (const std::uint32_t index : all) {
    TimerNode& node = slab_[index];
    if (!node.running) unlink(index);
    node.paused = false;
    node.tick =
        origin_ + Time{node.due} > now_ ? tick_of(node.due) : std::max(now_tick_, position_);
    if (!node.running) link(index);
    tell_driver(node);
  }
}

void TimerWheel::destroy(std::uint32_t index) {
  TimerNode& node = slab_[index];
  if (node.callable->destroy != nullptr) node.callable->destroy(node.storage);
  slab_.give_back(index);
}

void TimerWheel::link(std::uint32_t index) {
  TimerNode& node = slab_[index];
  if (node.paused) {
    node.place = slots_.append(TimerSlots::kPaused, index);
    return;
  }
  assert(node.tick >= position_);
  const Tick difference = node.tick ^ position_;
  const auto level =
      difference == 0 ? 0U : static_cast<unsigned>(std::bit_width(difference) - 1) / 8;
  node.place = slots_.append(slot_of(node.tick, level), index);
}

void TimerWheel::unlink(std::uint32_t index) {
  slots_.remove(slab_[index].place);
}

void TimerWheel::link_owner(std::uint32_t index) {
  TimerOwner& owner = *slab_[index].owner;
  TimerLinks& links = slab_.links(index);
  owner.wheel_ = this;
  links.previous = kNoTimer;
  links.next = owner.first_;
  slab_.links(owner.first_).previous = index;  // may be the unused node
  owner.first_ = index;
}

void TimerWheel::unlink_owner(std::uint32_t index) {
  const TimerLinks links = slab_.links(index);
  TimerLinks& before = slab_.links(links.previous);
  // The owner is cold memory, too: it is touched only by the end of its first.
  *(links.previous == kNoTimer ? &slab_[index].owner->first_ : &before.next) = links.next;
  slab_.links(links.next).previous = links.previous;  // may be the unused node
}

}  // namespace starbus::entity
