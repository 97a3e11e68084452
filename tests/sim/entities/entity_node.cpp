#include "tests/sim/entities/entity_node.hpp"

#include <algorithm>

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
  wheel.drive(&node);
  host.world().add<EntityOracle>(node.oracle_);
  host.declare<Miner>(
      [this](const entity::ConstructKey& key) { return Miner::construct(key, wheel); });
}

EntityNode::~EntityNode() {
  if (up()) on_crash();
}

void EntityNode::begin(boost::asio::io_context& loop) {
  armed_.reset();
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
  program_.reset();
  loop.reset();
}

void EntityNode::turn() {
  entity::TimerWheel::Pass pass;
  do {
    ProgramNode::turn();
    if (program_ == nullptr) return;
    pass = program_->wheel.advance(now());
  } while (pass.fired > 0 || pass.more);
  arm();
}

void EntityNode::arm() {
  const auto next = program_->wheel.next_due();
  if (!next || (armed_ && *armed_ <= *next)) return;
  armed_ = next;
  after(std::max(*next - now(), Time{0}), [this, when = *next] {
    if (armed_ == when) armed_.reset();
    run([] {});
  });
}

}  // namespace starbus::sim
