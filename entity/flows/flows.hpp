/// The continuations of an entity that waits for answers, in a form that travels with it.
///
/// A member of one entity, used by the loop's thread. Owns names, arguments and closures. Failures
/// are values; imported bytes are treated as hostile. docs/guide/flows.md has the promises.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/bytes.hpp"
#include "entity/flows/limits.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

/// One question of one entity, for ever. Travels with the question and comes back with the answer.
struct FlowId {
  std::uint64_t epoch = 0;   // of the owner that drew it
  std::uint64_t number = 0;  // grows through all moves; 0: no flow

  friend auto operator<=>(const FlowId&, const FlowId&) = default;
};

/// How the wait of a flow ended.
enum class FlowOutcome : std::uint8_t {
  reply,    // the answer
  failure,  // a definite failure; the bytes say which
  timeout,  // the deadline came first; no bytes
};

/// A flow that goes on: its handler gets this.
struct FlowResume {
  FlowId id;
  std::string_view name;  // all three live until the handler returns
  bus::ByteView args;
  FlowOutcome outcome;
  bus::ByteView result;
};

class Flows {
 public:
  using Handler = std::function<void(const FlowResume&)>;
  using Closure = std::function<void(FlowOutcome, bus::ByteView result)>;

  /// `epoch` is that of the entity's name here; another one after each bind, move and rollback.
  Flows(TimerWheel& wheel, std::uint64_t epoch, Handler handler)
      : wheel_(wheel), epoch_(epoch), handler_(std::move(handler)) {}

  /// Errors: too_many_flows, bad_name, too_large, bad_deadline.
  FlowResult<FlowId> wait(std::string_view name, bus::ByteView args, Time deadline);
  /// With a closure, which does not travel. Errors: too_many_flows, bad_deadline.
  FlowResult<FlowId> wait_here(Time deadline, Closure closure);

  /// Calls the handler, or the closure, if this is still waited for. False: it came late or twice,
  /// or was for a closure that was lost.
  bool resume(FlowId id, FlowOutcome outcome, bus::ByteView result);
  /// Forgets it without a call. Was it waited for?
  bool cancel(FlowId id);
  std::size_t size() const { return entries_.size(); }

  /// Calls visit(name, args) for each named flow (not closures); `visit` may not change them.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_) {
      if (!entry.name.empty()) visit(std::string_view(entry.name), bus::ByteView(entry.args));
    }
  }
  /// Forgets all without a call, and the counter: as new. Also within the handler.
  void reset();

  /// For an entity that goes on here under another epoch, as after a rollback.
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
  /// Appends everything but closures. `cluster_now` is the clock that all processes share.
  void export_all(Time cluster_now, bus::Bytes& out) const;
  /// Into an object that never waited. Errors: bad_bytes, not_empty, too_many_flows.
  FlowResult<> import_all(bus::ByteView bytes, Time cluster_now);

 private:
  struct Entry {
    FlowId id;
    std::string name;  // empty: a closure
    bus::Bytes args;
    Closure closure;
    TimerId timer;
  };
  using Entries = std::vector<Entry>;

  FlowResult<FlowId> add(Entry entry, Time deadline);
  FlowResult<> start(Entry& entry, Time deadline);
  Entries::iterator find(FlowId id);

  TimerWheel& wheel_;
  std::uint64_t epoch_;
  Handler handler_;
  std::uint64_t next_number_ = 1;
  Entries entries_;  // in the order of their numbers
  TimerOwner owner_;
};

}  // namespace starbus::entity
