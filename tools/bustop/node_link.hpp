/// Nodes of the whole cluster, asked over the bus: an admin socket reaches its own host only. Uses
/// a link of its own to the busd of this host; one thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "tools/bustop/node_answers.hpp"

namespace starbus::bustop {

class BusLink;

class NodeLink {
 public:
  /// As ManagerLink.
  NodeLink(const std::string& endpoint, const std::string& role, std::chrono::milliseconds timeout);
  ~NodeLink();
  NodeLink(const NodeLink&) = delete;
  NodeLink& operator=(const NodeLink&) = delete;

  /// unreachable: no busd; name_taken and others of bus::Bus::connect.
  bus::Result<> connect();
  /// What follows a prefix in the names that have an owner now, sorted: "HOST.NODE" of "gate/".
  /// denied: this role may not watch it; deadline.
  bus::Result<std::vector<std::string>> names(const std::string& prefix);
  /// Which process owns a name: "HOST.NODE". Errors: no_owner; those of names().
  bus::Result<std::string> owner_of(const std::string& name);
  /// The answer of a node. denied: this role may not ask nodes; no_handler: it has no such path, or
  /// what was asked for is not there; no_owner, deadline and others of the bus.
  bus::Result<nlohmann::json> look(const std::string& process, const std::string& target);
  /// As look(), for functions that take it.
  NodeLook looker();
  /// Runs the link for this time.
  void wait(std::chrono::milliseconds time);

 protected:
  BusLink& link() { return *link_; }
  std::chrono::milliseconds timeout() const { return timeout_; }

 private:
  bus::Result<std::vector<bus::WatchRow>> rows(const std::string& prefix);

  std::unique_ptr<BusLink> link_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace starbus::bustop
