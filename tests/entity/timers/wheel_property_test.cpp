/// The wheel against a sorted map, over random scripts whose callbacks set, cancel and end owners.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {
namespace {

using namespace std::chrono_literals;

struct Step {
  std::uint8_t kind = 0;
  std::uint8_t owner = 0;
  std::uint8_t action = 0;  // of the callback
  std::uint8_t scale = 0;   // of the time: 2^(scale % 34) ms
  std::uint32_t number = 0;
};

[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << '{' << step.kind % 11 << ", owner " << step.owner % 4 << ", action "
             << step.action % 8 << ", scale " << step.scale % 25 << ", " << step.number << '}';
}

/// Wheel and model in step: each firing must be what the model has first.
class WheelWorld {
 public:
  WheelWorld() {
    for (auto& owner : owners_) owner = std::make_unique<TimerOwner>();
  }

  void take(const Step& step) {
    switch (step.kind % 11) {
      case 0:
      case 1:
        set(step, Time{0});
        break;
      case 2:
        set(step, 1ms + Time{step.number % 3'000'000'000});
        break;
      case 3:
        cancel(step.number);
        break;
      case 4:
        end_owner(step.owner);
        break;
      case 5:
        wheel_.shift(span(step));
        now_ += span(step);
        shifted_ += span(step);
        break;
      case 6:
        set_many(step);
        break;
      case 7:
        thin_out(step);
        break;
      default:
        advance(span(step), 1 + step.action % 16);
        break;
    }
    check();
  }
  void finish() {
    advance_to(now_ - 1h, 1);
    for (int i = 0; i < 100'000 && !model_.empty(); ++i) {
      quiet_ = true;  // callbacks set nothing any more
      if (repeating_ > 0) cancel_repeating();
      advance_to(model_.empty() ? now_ : due_time(model_.begin()->first.first), kPassWork);
      check();
    }
    RC_ASSERT(model_.empty());
    RC_ASSERT(wheel_.size() == 0u);
  }

 private:
  struct Timer {
    TimerId id;
    Time due{};  // since the wheel's origin
    std::int64_t tick = 0;
    Time interval{};
    CatchUp catch_up{};
    std::size_t owner = 0;
    std::uint8_t action = 0;
    std::uint32_t number = 0;
  };
  using Place = std::pair<std::int64_t, std::uint64_t>;  // tick, order of setting

  static std::int64_t tick(Time due) { return due > 0ms ? (due + 1ms - 1ns) / 1ms : 0; }
  Time due_time(std::int64_t at) const { return at * 1ms + shifted_; }

  Time span(const Step& step) const {
    return Time{static_cast<std::int64_t>(step.number) * (std::int64_t{1} << (step.scale % 25)) /
                8};
  }

  void set(const Step& step, Time interval) {
    const std::size_t owner = step.owner % owners_.size();
    const CatchUp catch_up = step.action % 2 == 0 ? CatchUp::all : CatchUp::once;
    const std::uint64_t key = next_key_++;
    const auto callback = [this, key](const TimerFiring& firing) { fired(key, firing); };
    Time delay = span(step);
    if (step.number % 4 == 0) delay = 0ms;
    if (step.number % 8 == 1) delay = -(delay % 1s);
    const auto id = interval == Time{0}
                        ? wheel_.after(*owners_[owner], delay, callback)
                        : wheel_.every(*owners_[owner], delay, interval, catch_up, callback);
    RC_ASSERT(id.has_value());
    const Time due = now_ + delay - shifted_;
    const std::int64_t at = delay > Time{0} ? tick(due) : (now_ - shifted_) / 1ms;
    const Timer timer{*id, due, at, interval, catch_up, owner, step.action, step.number};
    RC_ASSERT(wheel_.due(*id) == timer.due + shifted_);
    if (interval > Time{0}) ++repeating_;
    timers_[key] = timer;
    model_[{at, next_order_++}] = key;
  }

  /// Several chunks of one slot.
  void set_many(const Step& step) {
    for (std::uint32_t i = 0; i < 5 + step.action % 40U; ++i) set(step, Time{0});
  }
  /// Cancels those that were set last, but for one in so many: chunks with gaps, without an end,
  /// and chunks that go.
  void thin_out(const Step& step) {
    const std::size_t keep = 1 + step.owner % 20U;
    auto at = timers_.end();
    for (std::size_t i = 0; i < step.action % 64U && at != timers_.begin(); ++i) {
      --at;
      if ((i + step.number) % keep == 1) continue;
      const std::uint64_t key = at->first;
      RC_ASSERT(wheel_.cancel(at->second.id));
      RC_ASSERT(!wheel_.contains(at->second.id));
      ++at;
      forget(key);
    }
  }

  void forget(std::uint64_t key) {
    std::erase_if(model_, [&](const auto& entry) { return entry.second == key; });
    if (timers_[key].interval > Time{0}) --repeating_;
    timers_.erase(key);
  }
  void cancel(std::uint32_t number) {
    if (timers_.empty()) return;
    auto at = timers_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(number % timers_.size()));
    const TimerId id = at->second.id;
    RC_ASSERT(wheel_.cancel(id));
    RC_ASSERT(!wheel_.cancel(id));
    forget(at->first);
  }
  void cancel_repeating() {
    for (auto at = timers_.begin(); at != timers_.end();) {
      const auto next = std::next(at);
      if (at->second.interval > Time{0}) {
        RC_ASSERT(wheel_.cancel(at->second.id));
        forget(at->first);
      }
      at = next;
    }
  }
  void end_owner(std::size_t number) {
    number %= owners_.size();
    owners_[number] = std::make_unique<TimerOwner>();
    for (auto at = timers_.begin(); at != timers_.end();) {
      const auto next = std::next(at);
      if (at->second.owner == number) forget(at->first);
      at = next;
    }
  }

  void advance(Time by, std::size_t work) { advance_to(now_ + by, work); }
  void advance_to(Time to, std::size_t work) {
    now_ = std::max(now_, to);
    first_new_ = next_key_;
    const std::size_t before = fired_;
    const TimerWheel::Pass pass = wheel_.advance(to, work);
    RC_ASSERT(pass.fired == fired_ - before);
    RC_ASSERT(pass.fired + pass.moved <= work);
    if (!pass.more) RC_ASSERT(!due_in_model());
  }
  bool due_in_model() const {
    return !model_.empty() && model_.begin()->first.first <= (now_ - shifted_) / 1ms;
  }

  void fired(std::uint64_t key, const TimerFiring& firing) {
    ++fired_;
    RC_ASSERT(key < first_new_);  // nothing that was set in this pass
    RC_ASSERT(due_in_model());
    RC_ASSERT(model_.begin()->second == key);
    model_.erase(model_.begin());
    Timer& timer = timers_.at(key);
    RC_ASSERT(firing.due == timer.due + shifted_);
    RC_ASSERT(firing.due <= now_);
    RC_ASSERT(firing.now == now_);
    const Timer copy = timer;
    if (copy.interval == Time{0}) {
      timers_.erase(key);
    } else {
      std::int64_t missed = 0;
      if (copy.catch_up == CatchUp::once) missed = (now_ - firing.due) / copy.interval;
      RC_ASSERT(firing.missed == static_cast<std::uint64_t>(missed));
      timer.due += (missed + 1) * copy.interval;
      timer.tick = std::max(tick(timer.due), copy.tick);
    }
    if (!quiet_) act(key, copy);
    const auto still = timers_.find(key);
    if (still != timers_.end()) model_[{still->second.tick, next_order_++}] = key;
  }
  void act(std::uint64_t key, const Timer& timer) {
    switch (timer.action % 8) {
      case 0:
        set({0, timer.action, 1, 0, 0}, Time{0});  // for now
        break;
      case 1:
        set({0, timer.action, 7, timer.action, timer.number}, Time{0});
        break;
      case 2:
        cancel(timer.number);
        break;
      case 3:
        end_owner(timer.owner);
        break;
      case 4:
        if (timers_.contains(key)) {
          RC_ASSERT(wheel_.cancel(timer.id));
          forget(key);
        }
        RC_ASSERT(!wheel_.cancel(timer.id));
        break;
      default:
        break;
    }
  }

  void check() {
    RC_ASSERT(wheel_.size() == timers_.size());
    RC_ASSERT(wheel_.now() == now_);
    std::array<std::size_t, 4> owned{};
    for (const auto& [key, timer] : timers_) {
      ++owned[timer.owner];
      RC_ASSERT(wheel_.due(timer.id) == timer.due + shifted_);
    }
    for (std::size_t i = 0; i < owned.size(); ++i) RC_ASSERT(owners_[i]->size() == owned[i]);
    const std::optional<Time> next = wheel_.next_due();
    RC_ASSERT(next.has_value() == !model_.empty());
    if (next) {
      RC_ASSERT(*next <= std::max(due_time(model_.begin()->first.first), now_));
    }
  }

  TimerWheel wheel_;
  std::array<std::unique_ptr<TimerOwner>, 4> owners_;
  Time now_{};
  Time shifted_{};
  std::map<Place, std::uint64_t> model_;
  std::map<std::uint64_t, Timer> timers_;
  std::uint64_t next_key_ = 1;
  std::uint64_t next_order_ = 1;
  std::uint64_t first_new_ = 0;
  std::size_t fired_ = 0;
  std::size_t repeating_ = 0;
  bool quiet_ = false;
};

}  // namespace
}  // namespace starbus::entity

namespace rc {
template <>
struct Arbitrary<starbus::entity::Step> {
  static Gen<starbus::entity::Step> arbitrary() {
    using starbus::entity::Step;
    return gen::build<Step>(gen::set(&Step::kind), gen::set(&Step::owner), gen::set(&Step::action),
                            gen::set(&Step::scale),
                            gen::set(&Step::number, gen::inRange<std::uint32_t>(0, 1U << 31)));
  }
};
}  // namespace rc

namespace starbus::entity {
namespace {

RC_GTEST_PROP(TimerWheelProperty, BehavesLikeASortedMap, (const std::vector<Step>& script)) {
  WheelWorld world;
  for (const Step& step : script) world.take(step);
  world.finish();
}

}  // namespace
}  // namespace starbus::entity
