/// Gives the spaces of a host their crowds: in this process, or at nodes of crowds.
///
///   crowds_.emplace(node.tasks(), node.rpc(), crowds::NavPartsOptions{.maps = "/srv/maps"});
///   crowds_->add_to(*spaces_);        // ends after the spaces
///
/// Belongs to the loop's thread; channels of tasks and endpoint outlive it. Owns the crowds of this
/// process.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "entity/rpc/endpoint.hpp"
#include "nodes/nav/crowd_pool.hpp"
#include "nodes/nav/remote_crowds.hpp"
#include "nodes/space/node/space_host.hpp"

namespace starbus::nodes::crowds {

/// What crowds of a host are made with.
struct NavPartsOptions {
  std::string maps = "";  ///< folder of maps; empty: the working folder
};

class NavParts {
 public:
  NavParts(TaskChannels& tasks, entity::rpc::Endpoint& endpoint, NavPartsOptions options)
      : endpoint_(endpoint), pool_(tasks, {.maps = std::move(options.maps)}) {}

  /// Each space that begins there from now on has a crowd, if its type says so. Before join().
  void add_to(space::SpaceHost& host);
  const CrowdPool& pool() const { return pool_; }
  /// As operators see it.
  nlohmann::json shown() const;

 private:
  CrowdPort& port_of(const std::string& service);

  entity::rpc::Endpoint& endpoint_;
  CrowdPool pool_;
  std::map<std::string, std::unique_ptr<RemoteCrowds>> remote_;  // by service
};

}  // namespace starbus::nodes::crowds
