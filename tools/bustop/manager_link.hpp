/// Calls of the cluster's manager (docs/guide/manager.md), and of entities, from a program that is
/// no node: over a link of its own to a busd, since they may be on any host, and an admin port is
/// its host's alone.
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

/// What to do when connect() says unreachable.
inline constexpr std::string_view kUnreachableCure =
    "is busd of this host up? Name its endpoint with --busd or $STARBUS_BUSD";

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
  /// Errors: no_owner, nobody is the manager now; deadline; the bus' own.
  bus::Result<nodes::manager::ClusterReport> cluster(const std::string& after);
  bus::Result<nodes::manager::SetbackReport> setbacks();
  /// What an entity says of itself, wherever it is: JSON. no_owner: nobody has the name;
  /// no_handler: it is no entity.
  bus::Result<std::string> entity(const std::string& channel);
  bus::Result<bool> release(const std::string& instance);
  bus::Result<nodes::manager::ShutdownReport> shutdown_report();
  bus::Result<nodes::manager::ShutdownReport> shut_down(const std::string& reason);
  /// Lets the link live for so long.
  void wait(std::chrono::milliseconds time);

 private:
  struct Link;
  std::unique_ptr<Link> link_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace starbus::bustop
