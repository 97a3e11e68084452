/// Machines that start, stop and report together, and their reports without their
/// types.
///
/// Used by the loop's thread (checked). A group owns no machine: machines join and leave by
/// themselves and may end before it, not after it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/archive/decoder.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/machines/limits.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

/// One machine, as people see it.
struct MachineReport {
  std::string machine;
  std::string_view state;        // kName of the active one; empty if it does not run
  Time in_state{};               // how long
  std::optional<Time> deadline;  // by the wheel's clock
  std::uint64_t changes = 0;     // since it was made
  std::uint64_t ignored = 0;     // events that the state of then has no handler for
  std::uint64_t dropped = 0;     // steps beyond kMaxMachineSteps
};

class MachineGroup;

/// The base of all machines.
class MachineBase {
 public:
  MachineBase(const MachineBase&) = delete;
  MachineBase& operator=(const MachineBase&) = delete;

  /// Enters the initial state. Error: already_running, and those of change_to.
  virtual MachineResult<> start() = 0;
  /// Leaves the active state: at once, or when the handler that runs has returned. Nothing if it
  /// does not run.
  virtual void stop() = 0;
  virtual bool running() const = 0;
  virtual MachineReport report() const = 0;

  // For its group, which moves with an entity.

  /// By which it is known where it arrives.
  virtual std::string_view name() const = 0;
  /// A handler of it is on the stack.
  virtual bool busy() const = 0;
  /// What holds its deadline.
  virtual TimerOwner& timers() = 0;
  /// Nothing of it runs until resume(): events and changes are refused as `frozen`, and a deadline
  /// that passes waits. Idempotent.
  virtual void pause() = 0;
  virtual void resume() = 0;
  /// Appends its active state, with the state's data and the rest of its deadline. Errors: busy,
  /// not_packable.
  virtual MachineResult<> pack(Encoder& out) const = 0;
  /// Takes the state of pack() instead of its own, while it is paused; no handler is called. The
  /// deadline goes on with resume(). Errors: unknown_state; bad_state is left to its group.
  virtual MachineResult<> unpack(Decoder& in) = 0;

 protected:
  explicit MachineBase(MachineGroup* group);
  virtual ~MachineBase();
  bool group_paused() const;
  /// To be called when it has stopped.
  void stopped();

 private:
  friend class MachineGroup;
  MachineGroup* group_;
  bool placed_ = false;  // by unpack
};

class MachineGroup {
 public:
  MachineGroup() = default;
  ~MachineGroup();
  MachineGroup(const MachineGroup&) = delete;
  MachineGroup& operator=(const MachineGroup&) = delete;

  /// Starts those that do not run, in the order in which they joined. If one fails, those that this
  /// call started are stopped again.
  MachineResult<> start();
  /// Stops those that run, in the opposite order.
  void stop();
  /// Called each time when the last machine that ran has stopped by its own will or by stop(). It
  /// may end machines, and the group with all of them.
  void on_all_stopped(std::function<void()> callback) { all_stopped_ = std::move(callback); }

  // With an entity that moves. Times do not count on the way.

  /// Pauses all, also those that join meanwhile.
  void pause();
  /// They go on: a deadline that has passed meanwhile passes in the next pass of the wheel.
  void resume();
  /// Appends what holds their deadlines, for resume_timers().
  void collect_timers(std::vector<TimerOwner*>& all) const;
  bool paused() const { return paused_; }
  /// Appends all machines, by their names, which have to differ. Errors: busy, not_packable, which
  /// name the machine.
  MachineResult<> pack(Encoder& out) const;
  /// Bytes of pack(), into machines that are paused. Errors: unknown_state, bad_state: the group is
  /// of no use then.
  MachineResult<> unpack(Decoder& in);
  /// As start(), for those that unpack() has not placed in a state, or in none.
  MachineResult<> start_new();

  std::size_t size() const { return machines_.size(); }
  /// Machines that have started and not stopped.
  std::size_t running() const;
  /// In the order in which they joined.
  std::vector<MachineReport> report() const;

 private:
  friend class MachineBase;
  class Stopping;
  MachineResult<> start_each(bool placed);

  std::vector<MachineBase*> machines_;
  std::function<void()> all_stopped_;
  Stopping* stopping_ = nullptr;  // the innermost that is under way
  bool paused_ = false;
  LoopThread thread_;
};

}  // namespace starbus::entity
