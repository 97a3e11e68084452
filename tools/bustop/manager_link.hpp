/// Calls to the cluster's manager (docs/guide/manager.md) and to entities, from a program that is
/// not a node. Uses its own link to a busd, since they may be on any host, and an admin socket only
/// reaches its own host.
///
/// Single-threaded: each function runs the link until there is an answer, or `timeout` is over.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "nodes/manager/cluster_report.hpp"
#include "nodes/manager/placement/setback_report.hpp"
#include "nodes/manager/shutdown_report.hpp"

namespace starbus::bustop {

/// The cure that is printed when connect() fails as unreachable.
inline constexpr std::string_view kUnreachableCure =
    "is busd of this host up? Name its endpoint with --busd or $STARBUS_BUSD";

class BusLink;

class ManagerLink {
 public:
  /// `endpoint` of busd; empty: as of bus::Options. `role`: for its access list.
  ManagerLink(const std::string& endpoint, const std::string& role,
              std::chrono::milliseconds timeout);
  ~ManagerLink();
  ManagerLink(const ManagerLink&) = delete;
  ManagerLink& operator=(const ManagerLink&) = delete;

  /// unreachable: no busd; name_taken and others of bus::Bus::connect.
  bus::Result<> connect();
  /// Errors: no_owner (there is no manager now), deadline, those of the bus.
  bus::Result<nodes::manager::ClusterReport> cluster(const std::string& after);
  bus::Result<nodes::manager::SetbackReport> setbacks();
  /// The description of an entity, wherever it is: JSON. no_owner: the name has no owner;
  /// no_handler: the owner is not an entity.
  bus::Result<std::string> entity(const std::string& channel);
  bus::Result<bool> release(const std::string& instance);
  bus::Result<nodes::manager::ShutdownReport> shutdown_report();
  bus::Result<nodes::manager::ShutdownReport> shut_down(const std::string& reason);
  /// Runs the link for this time.
  void wait(std::chrono::milliseconds time);

 private:
  std::unique_ptr<BusLink> link_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace starbus::bustop
