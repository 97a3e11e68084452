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

 protected:
  explicit MachineBase(MachineGroup* group);
  virtual ~MachineBase();
  /// To be called when it has stopped.
  void stopped();

 private:
  friend class MachineGroup;
  MachineGroup* group_;
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

  std::size_t size() const { return machines_.size(); }
  /// Machines that have started and not stopped.
  std::size_t running() const;
  /// In the order in which they joined.
  std::vector<MachineReport> report() const;

 private:
  friend class MachineBase;
  class Stopping;

  std::vector<MachineBase*> machines_;
  std::function<void()> all_stopped_;
  Stopping* stopping_ = nullptr;  // the innermost that is under way
  LoopThread thread_;
};

}  // namespace starbus::entity
