/// Places services: watches their hosts, asks for their instances, and orders missing ones.
///
/// Belongs to the loop's thread; created in the start of the manager. It acts while this node is
/// ready, that is while it owns the manager's name. The epoch of the name is in each order, so
/// hosts ignore a manager that has lost the name. Stores nothing on disk: hosts report what exists.
/// PlacementState decides; this part waits and calls. Hosts call its control, which is
/// part of the manager's.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "bus/client/lasting_watch.hpp"
#include "nodes/manager/node_table.hpp"
#include "nodes/manager/placement/placement_state.hpp"
#include "nodes/manager/placement/setback_report.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/placer_control.hpp"

namespace starbus::nodes::manager {

class ServicePlacer {
 public:
  /// `held` returns true when nothing may be placed any more: a cluster shutdown has begun.
  ServicePlacer(Node& node, const NodeTable& table, std::string manager_channel,
                std::function<bool()> held);
  ServicePlacer(const ServicePlacer&) = delete;
  ServicePlacer& operator=(const ServicePlacer&) = delete;

  /// Within App::start.
  bus::Result<> start();
  /// Sets the wanted services.
  void want(std::vector<WantedType> wanted) { state_.want(std::move(wanted)); }
  const std::vector<WantedType>& wanted() const { return state_.wanted(); }
  service::PlacerControl& control() { return control_; }

  /// Instances suspected of host deaths: at most kSetbackRows.
  SetbackReport setbacks() const;
  std::size_t quarantined() const { return state_.setbacks().quarantined(); }
  /// An operator releases "chat/2": it is placed again as if no host had died. False if it has no
  /// setbacks.
  bool release(const std::string& instance);

 private:
  void state(NodeState state);
  void act();
  void call(const PlacementState::Call& call);
  void log_waiting();
  void add_admin();

  Node& node_;
  const std::string manager_channel_;
  const std::function<bool()> held_;
  PlacementState state_;
  service::PlacerControl control_{[this](const bus::Process& host) { state_.leaving(host); }};
  std::uint64_t manager_ = 0;  // the epoch of our name; 0: we have not got it
  std::uint64_t refused_ = 0;  // orders, by hosts that have a later manager
  std::vector<WaitingType> logged_;
  std::list<bus::LastingWatch> watches_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner tick_;
};

}  // namespace starbus::nodes::manager
