/// Gates and logins of the whole cluster, asked over the bus: an admin socket reaches its own host
/// only. Uses a link of its own to the busd of this host; one thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "tools/bustop/gates/gate_report.hpp"

namespace starbus::bustop {

class BusLink;

/// The gates that an announcement has reached.
struct Announced {
  std::size_t taken = 0;
  std::vector<std::string> failed;  // "NAME: why"
  std::string number;               // for heard_by()
};

class GateLink {
 public:
  /// As ManagerLink.
  GateLink(const std::string& endpoint, const std::string& role, std::chrono::milliseconds timeout);
  ~GateLink();
  GateLink(const GateLink&) = delete;
  GateLink& operator=(const GateLink&) = delete;

  /// unreachable: no busd; name_taken and others of bus::Bus::connect.
  bus::Result<> connect();
  /// What follows a prefix in the names that have an owner now, sorted: "HOST.NODE" of "gate/".
  /// denied: this role may not watch it; deadline.
  bus::Result<std::vector<std::string>> names(const std::string& prefix);
  /// The answer of a node. denied: this role may not ask nodes; no_handler: it has no such path, or
  /// what was asked for is not there; no_owner, deadline and others of the bus.
  bus::Result<nlohmann::json> look(const std::string& process, const std::string& target);
  /// As look(), for functions that take it.
  NodeLook looker();
  /// Says an encoded call to all gates, once. denied: this role may not.
  bus::Result<Announced> announce(const std::string& group, const std::string& by,
                                  const std::string& call);
  /// Runs the link for this time.
  void wait(std::chrono::milliseconds time);

 private:
  std::unique_ptr<BusLink> link_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace starbus::bustop
