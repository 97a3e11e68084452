/// Places services: watches their hosts, asks what these have, and orders what is missing.
///
/// Belongs to the loop's thread; made in the manager's start. It acts while this node is ready, so
/// while it owns the manager's name, whose epoch stands in each order: a manager that has lost the
/// name gives none that counts. Nothing of it is on a disk: what hosts say is what there is.
/// PlacementState decides; this is the part that waits and calls. Hosts call its control, which is
/// part of the manager's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nodes/manager/node_table.hpp"
#include "nodes/manager/placement/placement_state.hpp"
#include "nodes/manager/placement/setback_report.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/placer_control.hpp"

namespace starbus::nodes::manager {

class ServicePlacer {
 public:
  /// `held` says that nothing is to be placed any more: a shutdown of the cluster has begun.
  ServicePlacer(Node& node, const NodeTable& table, std::string manager_channel,
                std::function<bool()> held);
  ServicePlacer(const ServicePlacer&) = delete;
  ServicePlacer& operator=(const ServicePlacer&) = delete;

  /// Within App::start.
  bus::Result<> start();
  /// What is to run from now on.
  void want(std::vector<WantedType> wanted) { state_.want(std::move(wanted)); }
  const std::vector<WantedType>& wanted() const { return state_.wanted(); }
  service::PlacerControl& control() { return control_; }

  /// Who is suspected of deaths of hosts: at most kSetbackRows.
  SetbackReport setbacks() const;
  std::size_t quarantined() const { return state_.setbacks().quarantined(); }
  /// An operator's word: "chat/2" may have a place again, as if no host had died. False: nothing
  /// is held against such an instance.
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
  std::vector<bus::WatchHandle> watches_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner tick_;
};

}  // namespace starbus::nodes::manager
