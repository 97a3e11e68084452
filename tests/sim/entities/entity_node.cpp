#include "tests/sim/entities/entity_node.hpp"

namespace starbus::sim {
namespace {

bus::Options options_of(const EntityNode& node) {
  bus::Options options;
  options.node = node.node();
  options.endpoint = "simulated";
  return options;
}

}  // namespace

EntityNode::Program::Program(EntityNode& node, boost::asio::io_context& loop)
    : bus(loop, options_of(node)),
      wheel(node.machine_time()),
      host(endpoint, wheel, node.node(),
           {.draw = [&node]() -> entity::IdentityResult<entity::OnlineId> {
              return entity::OnlineId{++node.next_id_};
            },
            .cluster_clock = [&node] { return node.machine_time(); }}) {
  node.drive(wheel);
  host.world().add<EntityOracle>(node.oracle_);
  host.declare<Miner>(
      [this](const entity::ConstructKey& key) { return Miner::construct(key, wheel); });
}

EntityNode::~EntityNode() {
  if (up()) on_crash();
}

void EntityNode::begin(boost::asio::io_context& loop) {
  program_ = std::make_unique<Program>(*this, loop);
  program_->endpoint.on_lease_lost([this] {
    oracle_.demand(false, name() + " has lost its lease");
    program_->host.lose_all();
  });
  program_->bus.connect([](const bus::Result<>&) {});
  program_->endpoint.bind("service/market", program_->market,
                          [this](const bus::Result<bus::Bound>& bound) {
                            oracle_.demand(bound.has_value(), name() + " has no market");
                            if (bound && program_ != nullptr) program_->ready = true;
                          });
}

void EntityNode::end(std::unique_ptr<boost::asio::io_context> loop) {
  wheel_ends();
  program_.reset();
  loop.reset();
}

}  // namespace starbus::sim
