#include "tests/sim/clients/client_node.hpp"

namespace starbus::sim {

ClientNode::~ClientNode() {
  if (up()) on_crash();
}

void ClientNode::begin(boost::asio::io_context& loop) {
  user_ = std::make_unique<ClientUser>(world_, *this);
  bus::Options options;
  options.node = node();
  options.endpoint = "simulated";
  bus_ = bus::BusCore::make(loop, std::move(options));
  user_->begin();
}

void ClientNode::end(std::unique_ptr<boost::asio::io_context> loop) {
  user_->killed();
  world_.counts += client_counts(*this);
  bus_.reset();
  loop.reset();
  user_.reset();
}

}  // namespace starbus::sim
