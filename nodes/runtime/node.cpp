// The public face: everything is in NodeCore.
#include "nodes/runtime/node.hpp"

#include "nodes/runtime/node_core.hpp"

namespace starbus::nodes {

const std::string& Node::name() const {
  return core_.name();
}
const std::string& Node::role() const {
  return core_.role();
}
std::string Node::process() const {
  return core_.process();
}
NodeState Node::state() const {
  return core_.lifecycle().state();
}
double Node::busy_ms_per_s() const {
  return core_.busy().rates().busy;
}
bool Node::cluster_ends() const {
  return core_.cluster_ends();
}

void Node::require(std::string name, std::size_t count) {
  core_.require({std::move(name), count});
}
void Node::offer(std::string name, entity::rpc::CallableBase& host) {
  core_.offer(std::move(name), host);
}
void Node::offer(std::string name, bus::Handlers handlers) {
  core_.offer(std::move(name), std::move(handlers));
}
void Node::before_ready(std::string name, Step step) {
  core_.before_ready(std::move(name), std::move(step));
}
void Node::on_drain(std::string name, Step step) {
  core_.on_drain(std::move(name), std::move(step));
}
void Node::on_state(std::function<void(NodeState)> callback) {
  core_.on_state(std::move(callback));
}
void Node::on_link(std::function<void(bool there)> callback) {
  core_.on_link(std::move(callback));
}

bus::Result<> Node::post(WorkName name, std::function<void()> closure) {
  return core_.main_loop().post(name, std::move(closure));
}
void Node::stop(bus::Error reason) {
  core_.context().stop(std::move(reason));
}

bus::Bus& Node::bus() {
  return core_.bus();
}
entity::rpc::Endpoint& Node::rpc() {
  return core_.rpc();
}
entity::TimerWheel& Node::timers() {
  return core_.main_loop().timers();
}
TaskChannels& Node::tasks() {
  return core_.tasks();
}
Ticker& Node::ticks() {
  return core_.ticks();
}
boost::asio::io_context& Node::loop() {
  return core_.context().loop;
}
daemon::DaemonContext& Node::process_context() {
  return core_.context();
}
bus::Handlers Node::measured(std::string_view what, bus::Handlers handlers) {
  return core_.measured(what, std::move(handlers));
}

}  // namespace starbus::nodes
