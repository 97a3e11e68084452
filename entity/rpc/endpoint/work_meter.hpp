/// The work that an endpoint runs, and the time that it takes: by method, by class, by object.
///
/// Belongs to the loop's thread; running() may be called from any. Nothing of it fails.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/client/shown_name.hpp"
#include "entity/rpc/counters.hpp"
#include "entity/rpc/endpoint/binding_table.hpp"
#include "entity/rpc/endpoint/current_work.hpp"
#include "entity/rpc/loop_time.hpp"
#include "entity/rpc/ticks.hpp"

namespace starbus::entity::rpc {

class WorkFrame;

class WorkMeter {
 public:
  /// `methods`: how many the process has (Dictionary).
  WorkMeter(BindingTable& bindings, std::size_t methods) : bindings_(bindings), methods_(methods) {}
  /// Frames that are open end unmeasured.
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  /// Counts and times methods, objects and coroutines; on by default.
  void measure(bool on) { measuring_ = on; }
  bool measuring() const { return measuring_; }

  MethodCounters& of(const MethodInfo& method) { return methods_[method.index]; }
  const MethodCounters& of(const MethodInfo& method) const { return methods_.at(method.index); }
  const std::unordered_map<const ClassInfo*, SpawnedLoad>& spawned() const { return spawned_; }
  /// A coroutine of an object begins: returns what to charge. Null method: it was spawned.
  WorkTicks& began(const ClassInfo& info, const MethodInfo* method);
  /// A method, or a coroutine that an object of the class has spawned, has ended by an exception:
  /// counts it and tells the ThrownSink of the thread. Returns `failed` with its text.
  Error threw(const MethodInfo& method, const std::exception_ptr& thrown);
  Error threw(const ClassInfo& info, const std::exception_ptr& thrown);

  /// All of these together, in ticks: each moment once, and none that another kind of work was
  /// charged with (OwnTime).
  std::uint64_t measured() const { return measured_; }
  double nanoseconds_per_tick() const { return started_.nanoseconds_per_tick(); }

  /// The present activity that is not RPC; its name is set by the code that runs it.
  const std::shared_ptr<bus::ShownName>& activity() const { return activity_; }
  /// The innermost work that runs now: "chat.join", "answer of chat.join", "coroutine of chat"; or
  /// the text of activity(); or empty. From any thread.
  std::string running() const {
    const std::string name = shown_.load(std::memory_order_acquire).name();
    return name.empty() ? activity_->text() : name;
  }

 private:
  friend class WorkFrame;

  BindingTable& bindings_;
  bool measuring_ = true;
  TickMark started_;
  std::atomic<CurrentWork> shown_{};
  WorkFrame* innermost_ = nullptr;
  std::uint64_t measured_ = 0;
  std::vector<MethodCounters> methods_;                        // by MethodInfo::index; never grows
  std::unordered_map<const ClassInfo*, SpawnedLoad> spawned_;  // references stay valid
  const std::shared_ptr<bus::ShownName> activity_ = std::make_shared<bus::ShownName>();
};

/// One piece of work of an endpoint: shows it while it runs, and charges it with its time, without
/// the time of the frames within it. May be nested. The object and the endpoint may end within it.
class WorkFrame {
 public:
  /// When a frame ended and how long it took, in ticks; zeros if nothing is measured or the
  /// endpoint has ended.
  struct Ended {
    std::uint64_t passed = 0;
    std::uint64_t at = 0;
  };

  /// Charges the object at `slot`, too, unless that is kNowhere.
  WorkFrame(WorkMeter& meter, CurrentWork work, WorkTicks& charged, SlotRef slot = kNowhere);
  ~WorkFrame() { end(); }
  WorkFrame(const WorkFrame&) = delete;
  WorkFrame& operator=(const WorkFrame&) = delete;

  /// Ends it. `at` is the time in ticks if it is known, else 0.
  Ended end(std::uint64_t at = 0);
  /// Nothing was run: it does not count.
  void cancel() { charged_ = nullptr; }

 private:
  friend class WorkMeter;

  WorkMeter* meter_;  // null: the endpoint, or this frame, has ended
  WorkFrame* const outer_;
  const CurrentWork shown_before_;
  WorkTicks* charged_;
  const SlotRef slot_;
  const OwnTime time_;
};

}  // namespace starbus::entity::rpc
