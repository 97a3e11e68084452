#include "nodes/gate/node/gate_app.hpp"

#include <utility>

#include "nodes/gate/node/gate_admin.hpp"

namespace starbus::nodes::gate {

GateApp::GateApp(MakePorts make_ports, std::uint64_t schema)
    : make_ports_(std::move(make_ports)), schema_(schema) {}

GateApp::~GateApp() = default;

void GateApp::configure(daemon::ConfigReader& reader) {
  fresh_ = read_gate_settings(reader);
}

bus::Result<> GateApp::start(Node& node) {
  Ports ports = make_ports_(node);
  gate_ =
      std::make_unique<Gate>(GatePlace{node.loop(), node.bus(), node.rpc(), node.timers(),
                                       [&node] { return node.process(); }},
                             fresh_, std::move(ports.accounts), std::move(ports.login), schema_);
  node.before_ready("clients", [this](Done done) { gate_->open(std::move(done)); });
  node.offer("group/gates", gate_->group_handlers());
  node.on_drain("sessions", [this](Done done) { gate_->drain(std::move(done)); });
  node.on_state([this](NodeState state) {
    if (state == NodeState::starting) gate_->lost();
  });
  node.on_link([this](bool there) { gate_->linked(there); });
  add_gate_admin(node, *gate_);
  return {};
}

bus::Result<> GateApp::reload() {
  return gate_->reload(fresh_);
}

std::string GateApp::status() const {
  if (!gate_) return "not started";
  return std::to_string(gate_->sessions()) + " sessions, " +
         std::to_string(gate_->clients().size()) + " connections";
}

}  // namespace starbus::nodes::gate
