/// The parts of a node: the loop, the bus, the states, and their observers.
///
/// Created, used and destroyed on the loop's thread, except post() and what the stall detector
/// reads. Owns its members, and no objects of the program. The daemon's context outlives it.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "bus/client/lasting_watch.hpp"
#include "daemon/main_loop.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/runtime/lifecycle.hpp"
#include "nodes/runtime/load/busy_meter.hpp"
#include "nodes/runtime/load/rpc_load.hpp"
#include "nodes/runtime/load/stall_detector.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/runtime/near_names.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/runtime/node_control.hpp"
#include "nodes/runtime/node_settings.hpp"
#include "nodes/runtime/offers.hpp"
#include "nodes/runtime/requirements.hpp"
#include "nodes/runtime/steps.hpp"
#include "nodes/runtime/tasks/task_channels.hpp"
#include "nodes/runtime/thrown_units.hpp"
#include "nodes/runtime/ticker.hpp"

namespace starbus::nodes {

class NodeCore final : private Lifecycle::Shell {
 public:
  NodeCore(daemon::DaemonContext& context, std::string role, NodeSettings settings);
  ~NodeCore();
  NodeCore(const NodeCore&) = delete;
  NodeCore& operator=(const NodeCore&) = delete;

  Node& node() { return node_; }

  // --- what the program says in its start ---
  void require(Requirement requirement) { note(requirements_.add(std::move(requirement))); }
  void offer(std::string name, entity::rpc::CallableBase& host) {
    note(offers_.add(std::move(name), host));
  }
  void offer(std::string name, bus::Handlers handlers);
  void before_ready(std::string name, Step step) {
    note(prepare_.add(name, measured(name, std::move(step))));
  }
  void on_drain(std::string name, Step step) {
    note(drain_.add(name, measured(name, std::move(step))));
  }
  void on_state(std::function<void(NodeState)> callback) {
    on_state_.push_back(std::move(callback));
  }
  void on_link(std::function<void(bool)> callback) { on_link_.push_back(std::move(callback)); }

  // --- the daemon's part ---
  /// Starts the node, or returns the first mistake of the program.
  bus::Result<> begin();
  /// Drains; calls `done` when the node has left the bus.
  void stop(std::function<void()> done);
  /// Drains, as the whole cluster does.
  void end_with_cluster();
  bool cluster_ends() const { return cluster_ends_; }
  std::string status() const;

  // --- parts ---
  const std::string& name() const { return settings_.node; }
  const std::string& role() const { return role_; }
  std::string process() const { return bus_.host() + "." + settings_.node; }
  const NodeSettings& settings() const { return settings_; }
  const Lifecycle& lifecycle() const { return lifecycle_; }
  const Requirements& requirements() const { return requirements_; }
  const Offers& offers() const { return offers_; }
  const BusyMeter& busy() const { return busy_; }
  const RpcLoad& rpc_load() const { return rpc_load_; }
  std::uint64_t stalls() const { return stalls_.stalls(); }
  const ThrownUnits& thrown() const { return thrown_; }
  double nanoseconds_per_tick() const { return endpoint_.work().nanoseconds_per_tick(); }
  MainLoop& main_loop() { return main_loop_; }
  bus::Bus& bus() { return bus_; }
  entity::rpc::Endpoint& rpc() { return endpoint_; }
  TaskChannels& tasks() { return tasks_; }
  Ticker& ticks() { return ticks_; }
  daemon::DaemonContext& context() { return context_; }
  bus::Handlers measured(std::string_view what, bus::Handlers handlers);

 private:
  // Lifecycle::Shell
  void announce(Lifecycle::Attempt attempt) override;
  void prepare(Lifecycle::Attempt attempt) override;
  void open(Lifecycle::Attempt attempt) override;
  void withdraw() override;
  void drain() override;
  void leave() override;
  void entered(NodeState state) override;
  void retry_later(Lifecycle::Attempt attempt) override;
  void failed(const bus::Error& reason) override;

  std::string exceptions() const;
  void note(const bus::Result<>& result);
  void link_changed(bus::LinkState state, const bus::Error& reason);
  Step measured(const std::string& name, Step step);
  void watch_requirements();
  void required(std::size_t index, const bus::WatchUpdate& update);
  void limit_wait();
  void finish_tasks();
  void sample();
  void report_waiting();
  void guessed(const std::string& wanted, const std::string& meant);

  daemon::DaemonContext& context_;
  const std::string role_;
  const NodeSettings settings_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bus::Result<> mistake_;
  bool failed_ = false;  // and the daemon knows
  bool cluster_ends_ = false;
  std::uint64_t retries_ = 0;  // in this state
  std::uint64_t waited_ = 0;   // seconds, for requirements
  bool linked_ = false;        // with busd
  std::uint64_t link_changes_ = 0;

  ThrownUnits thrown_;
  MainLoop main_loop_;
  bus::Bus bus_;
  entity::rpc::Endpoint endpoint_;
  TaskChannels tasks_;
  Ticker ticks_;
  Requirements requirements_;
  NearNames near_names_{bus_, [this](const std::string& wanted, const std::string& meant) {
                          guessed(wanted, meant);
                        }};
  std::list<bus::LastingWatch> watches_;
  Offers offers_;
  NodeControl control_;
  Steps prepare_;
  Steps drain_;
  std::vector<std::function<void(NodeState)>> on_state_;
  std::vector<std::function<void(bool)>> on_link_;
  Lifecycle lifecycle_;
  std::function<void()> stopped_;  // set while it drains
  BusyMeter busy_;
  RpcLoad rpc_load_;
  double sampled_ = 0;           // seconds, of the latest sample
  entity::TimerId ready_limit_;  // runs while it is not ready, if there is a limit
  entity::TimerOwner timers_;
  Node node_;
  StallDetector stalls_;  // last: its thread looks at the others
};

}  // namespace starbus::nodes
