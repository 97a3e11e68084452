/// A state machine whose states are classes.
///
/// Used by the loop's thread; has the timer of its deadline on that loop's wheel. Owns the object
/// of the active state. Failures are values; an exception of a handler leaves the call. It may not
/// end within one of its handlers. docs/guide/machines.md has the promises.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/unit_guard.hpp"
#include "entity/machines/machine_group.hpp"

namespace starbus::entity {

/// The event that a state gets when its deadline has passed.
struct DeadlinePassed {
  Time due;  // by the wheel's clock
};

/// The result of an event.
enum class Handled : std::uint8_t {
  handled,
  ignored,  // the active state has no handler for it, or the machine does not run
  queued,   // a handler runs: later, and maybe by another state
};

template <class State>
concept MachineState = requires {
  { State::kName } -> std::convertible_to<std::string_view>;
}
&&std::movable<State>;

/// A state that travels: without data, or with pack(Encoder&) const and unpack(Decoder&).
template <class State>
inline constexpr bool kPackable = std::default_initializable<State> &&
                                  (std::is_empty_v<State> ||
                                   requires(State & state, Encoder& out, Decoder& in) {
                                     std::as_const(state).pack(out);
                                     state.unpack(in);
                                   });

template <class Owner, class... States>
class Machine final : public MachineBase {
  static_assert(sizeof...(States) > 0);

 public:
  /// `owner`, `wheel` and `group` must outlive it.
  Machine(std::string name, Owner& owner, TimerWheel& wheel, MachineGroup* group = nullptr)
      : MachineBase(group), name_(std::move(name)), owner_(owner), wheel_(wheel) {
    static_assert((MachineState<States> && ...));
    if (group_paused()) pause();
  }
  ~Machine() override { assert(!busy_ && "a machine may not end within its own handler"); }

  Owner& owner() const { return owner_; }
  TimerWheel& wheel() const { return wheel_; }

  MachineResult<> start() override {
    if (paused()) return MachineErrc::frozen;
    if (running() || next_) return MachineErrc::already_running;
    using Initial = std::variant_alternative_t<1, Active>;
    return request(Active(std::in_place_type<Initial>));
  }
  void stop() override {
    if (!running() && !next_) return;
    next_.emplace();  // no state; also instead of a change that was asked for
    // Only too_many_steps, of events that waited: they are dropped with the machine's end, counted.
    if (!busy_) static_cast<void>(settle());
  }

  /// Leaves the active state for this one: at once, or when the handler that runs has returned.
  /// Errors: not_running, already_changing, too_many_steps, frozen.
  template <class State>
  requires(std::same_as<State, States> || ...) MachineResult<> change_to(State state) {
    if (paused()) return MachineErrc::frozen;
    if (!running()) return MachineErrc::not_running;
    return request(Active(std::move(state)));
  }

  /// Gives the event to the active state. Errors: too_many_events, too_many_steps, frozen.
  template <class Event>
  MachineResult<Handled> handle(const Event& event) {
    if (paused()) return MachineErrc::frozen;
    if (busy_) {
      if (waiting_.size() == kMaxMachineEvents) return MachineErrc::too_many_events;
      waiting_.push_back([this, event] { deliver(event); });
      return Handled::queued;
    }
    bool handled = false;
    const MachineResult<> settled = settle([&] { handled = deliver(event); });
    if (!settled) return settled.error();
    return handled ? Handled::handled : Handled::ignored;
  }

  /// Whether this is the active state, which changes only when a requested change has happened.
  template <class State>
  bool is() const {
    return std::holds_alternative<State>(active_);
  }
  /// The object of the active state; null if it is another.
  template <class State>
  State* state() {
    return std::get_if<State>(&active_);
  }
  bool running() const override { return active_.index() != 0; }

  /// Replaces the deadline of the active state; counts from now. Nothing while it is frozen, as its
  /// state was packed.
  void set_deadline(Time from_now) {
    if (!running() || paused()) return;
    timers_.cancel_all();
    const auto timer = wheel_.after(timers_, from_now, [this](const TimerFiring& firing) {
      deadline_.reset();
      const auto place = [name = std::string(name_)] { return "deadline of " + name; };
      // Too many steps cannot be reported to a caller; they are counted.
      guarded(UnitKind::deadline, place,
              [&] { static_cast<void>(handle(DeadlinePassed{firing.due})); });
    });
    deadline_ = wheel_.now() + from_now;
    if (timer) return;
    waiting_.push_back([this, entry = changes_, due = wheel_.now()] {
      if (entry == changes_) deliver(DeadlinePassed{due});
    });
    if (!busy_) static_cast<void>(settle());
  }
  void clear_deadline() {
    if (paused()) return;
    timers_.cancel_all();
    deadline_.reset();
  }

  std::string_view name() const override { return name_; }
  bool busy() const override { return busy_; }
  TimerOwner& timers() override { return timers_; }
  void pause() override { timers_.pause(); }
  void resume() override {
    timers_.resume();
    if (const auto rest = std::exchange(rest_, std::nullopt)) set_deadline(*rest);
  }
  MachineResult<> pack(Encoder& out) const override {
    if (busy_) return Error(MachineErrc::busy, name_);
    const Time now = wheel_.present();
    out.text(state_name());
    out.number(static_cast<std::int64_t>((now - entered_).count()));
    out.varint(changes_);
    const std::optional<Time> rest = deadline_ ? std::optional(*deadline_ - now) : rest_;
    out.number(rest.has_value());
    if (rest) out.number(static_cast<std::int64_t>(rest->count()));
    const bool packable =
        std::visit([&out](const auto& state) { return pack_data(state, out); }, active_);
    if (!packable)
      return Error(MachineErrc::not_packable, name_ + ": " + std::string(state_name()));
    return {};
  }
  MachineResult<> unpack(Decoder& in) override {
    const std::string_view state = in.text();
    const Time entered = wheel_.present() - Time(in.number<std::int64_t>());
    const std::uint64_t changes = in.varint();
    const bool limited = in.number<bool>();
    const Time rest(limited ? in.number<std::int64_t>() : 0);
    if (!in.ok()) return {};  // its group sees it
    timers_.cancel_all();
    deadline_.reset();
    active_ = Active();
    if (!state.empty() && !(unpack_as<States>(state, in) || ...)) {
      return Error(MachineErrc::unknown_state, name_ + ": " + std::string(state));
    }
    entered_ = entered;
    changes_ = changes;
    if (limited) rest_ = std::max(rest, Time{0});
    return {};
  }

  MachineReport report() const override {
    MachineReport report{name_, state_name(), Time{0}, deadline_, changes_, ignored_, dropped_};
    if (running()) report.in_state = wheel_.now() - entered_;
    return report;
  }
  /// kName of the active state; empty if it does not run.
  std::string_view state_name() const {
    return std::visit(
        [](const auto& state) -> std::string_view {
          using State = std::remove_cvref_t<decltype(state)>;
          if constexpr (std::same_as<State, std::monostate>)
            return {};
          else
            return State::kName;
        },
        active_);
  }

 private:
  using Active = std::variant<std::monostate, States...>;  // monostate: does not run

  bool paused() const { return timers_.paused(); }
  /// False: its data cannot travel.
  template <class State>
  static bool pack_data(const State& state, Encoder& out) {
    if constexpr (requires { state.pack(out); }) state.pack(out);
    return std::same_as<State, std::monostate> || kPackable<State>;
  }
  template <class State>
  bool unpack_as(std::string_view wanted, Decoder& in) {
    if constexpr (kPackable<State>) {
      if (State::kName != wanted) return false;
      State& state = active_.template emplace<State>();
      if constexpr (!std::is_empty_v<State>) state.unpack(in);
      return true;
    }
    return false;
  }

  /// While a handler runs; drops the requested changes if it throws.
  class Busy {
   public:
    explicit Busy(Machine& machine) : machine_(machine) { machine_.busy_ = true; }
    ~Busy() {
      machine_.busy_ = false;
      machine_.next_.reset();
      machine_.waiting_.clear();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Machine& machine_;
  };

  class Exiting {
   public:
    explicit Exiting(bool& flag) : flag_(flag) { flag_ = true; }
    ~Exiting() { flag_ = false; }
    Exiting(const Exiting&) = delete;
    Exiting& operator=(const Exiting&) = delete;

   private:
    bool& flag_;
  };

  MachineResult<> request(Active state) {
    if (next_ || exiting_) return MachineErrc::already_changing;
    next_ = std::move(state);
    if (busy_) return {};
    return settle();
  }

  template <class Work>
  MachineResult<> settle(Work&& work) {
    const bool was_running = running();
    MachineResult<> result;
    {
      const Busy busy(*this);
      work();
      std::size_t steps = 0;
      while (next_ || !waiting_.empty()) {
        if (steps++ == kMaxMachineSteps) {
          dropped_ += waiting_.size() + (next_ ? 1 : 0);
          result = MachineErrc::too_many_steps;
          break;
        }
        step();
      }
    }
    if (was_running && !running()) stopped();
    return result;
  }
  MachineResult<> settle() {
    return settle([] {});
  }

  void step() {
    if (next_) {
      change();
      return;
    }
    const std::function<void()> event = std::move(waiting_.front());
    waiting_.pop_front();
    event();
  }

  void change() {
    {
      const Exiting exiting(exiting_);
      std::visit([this](auto& state) { this->exit(state); }, active_);
    }
    clear_deadline();  // only now: if on_exit throws, the state still has it
    active_ = std::move(*next_);
    next_.reset();
    ++changes_;
    entered_ = wheel_.now();
    std::visit([this](auto& state) { this->enter(state); }, active_);
  }

  template <class State>
  void exit(State& state) {
    if constexpr (requires { state.on_exit(*this); }) state.on_exit(*this);
  }
  template <class State>
  void enter(State& state) {
    if constexpr (requires { State::kDeadline; }) {
      static_assert(
          requires { state.on(DeadlinePassed{}, *this); }, "kDeadline without on(DeadlinePassed)");
      set_deadline(State::kDeadline);
    }
    if constexpr (requires { state.on_enter(*this); }) state.on_enter(*this);
  }
  template <class Event>
  bool deliver(const Event& event) {
    return std::visit(
        [&](auto& state) {
          if constexpr (requires { state.on(event, *this); }) {
            state.on(event, *this);
            return true;
          } else {
            ++ignored_;
            return false;
          }
        },
        active_);
  }

  std::string name_;
  Owner& owner_;
  TimerWheel& wheel_;
  Active active_;
  std::optional<Active> next_;  // asked for
  std::deque<std::function<void()>> waiting_;
  Time entered_{};
  std::optional<Time> deadline_;
  std::optional<Time> rest_;  // of the deadline that came with it, until it goes on
  std::uint64_t changes_ = 0;
  std::uint64_t ignored_ = 0;
  std::uint64_t dropped_ = 0;
  bool busy_ = false;
  bool exiting_ = false;
  TimerOwner timers_;
};

}  // namespace starbus::entity
