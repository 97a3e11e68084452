/// A simulated process with an EntityHost: bus, RPC, timers and entities of the product, over the
/// simulator's time and network. One thread.
#pragma once

#include <memory>
#include <string>

#include "nodes/hosting/entity_host.hpp"
#include "tests/sim/entities/miner.hpp"
#include "tests/sim/entities/wheel_node.hpp"

namespace starbus::sim {

class EntityNode final : public WheelNode {
 public:
  /// Online ids come from `next_id`, which all nodes share.
  EntityNode(World& world, HostNode& host, std::string node, EntityOracle& oracle,
             std::uint64_t& next_id)
      : WheelNode(world, host, std::move(node)), oracle_(oracle), next_id_(next_id) {}
  ~EntityNode() override;

  /// It can be called, and its market is open.
  bool ready() const { return program_ != nullptr && program_->ready; }
  // Within run():
  nodes::entities::EntityHost& entities() { return program_->host; }
  rpc::Endpoint& endpoint() { return program_->endpoint; }
  entity::TimerWheel& wheel() { return program_->wheel; }
  /// Null: it is not here, or does not act here.
  Miner* find(entity::OnlineId id) {
    return program_ == nullptr ? nullptr : program_->host.entities().find_as<Miner>(id);
  }

 private:
  struct Program {
    Program(EntityNode& node, boost::asio::io_context& loop);
    bus::Bus bus;
    rpc::Endpoint endpoint{bus};
    entity::TimerWheel wheel;
    Market market;
    nodes::entities::EntityHost host;
    bool ready = false;
  };
  void begin(boost::asio::io_context& loop) override;
  void end(std::unique_ptr<boost::asio::io_context> loop) override;
  EntityOracle& oracle_;
  std::uint64_t& next_id_;
  std::unique_ptr<Program> program_;
};

}  // namespace starbus::sim
