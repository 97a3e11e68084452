/// A process with entities that others move to, on the loop of the test.
#pragma once

#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

struct Town {
  Town(boost::asio::io_context& loop, const bus::Options& options, std::uint64_t first,
       HostOptions how)
      : drawn(first),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with(std::move(how))) {
    endpoint.on_lease_lost([this] { host.lose_all(); });
  }
  Town(boost::asio::io_context& loop, const bus::Options& options, std::uint64_t first,
       AudienceSink* watchers = nullptr)
      : Town(loop, options, first, HostOptions{.sink = watchers}) {}
  HostOptions with(HostOptions how) {
    how.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    how.tick = std::chrono::milliseconds(5);
    return how;
  }
  std::uint64_t drawn;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

}  // namespace starbus::nodes::entities
