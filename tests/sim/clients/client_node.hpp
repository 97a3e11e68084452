/// A simulated process of a game that runs the client library itself, with a ClientUser on top. One
/// thread.
#pragma once

#include <memory>

#include "bus/client/bus_core.hpp"
#include "tests/sim/clients/client_user.hpp"
#include "tests/sim/clients/program_node.hpp"

namespace starbus::sim {

class ClientNode final : public ProgramNode {
 public:
  using ProgramNode::ProgramNode;
  ~ClientNode() override;

  // While it is up:
  bus::BusCore& bus() { return *bus_; }
  bus::BusParts& parts() { return bus_->parts(); }
  ClientUser& user() { return *user_; }

 private:
  void begin(boost::asio::io_context& loop) override;
  void end(std::unique_ptr<boost::asio::io_context> loop) override;

  std::unique_ptr<ClientUser> user_;
  std::shared_ptr<bus::BusCore> bus_;
};

}  // namespace starbus::sim
