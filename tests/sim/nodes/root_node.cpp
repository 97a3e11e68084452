#include "tests/sim/nodes/root_node.hpp"

#include <sstream>

#include "tests/sim/world.hpp"

namespace starbus::sim {

void RootNode::on_start() {
  bus::RootRouter::Config config;
  config.term = disk_.read_number("term") + 1;
  disk_.write_number("term", config.term, true);
  std::istringstream hosts(disk_.read("hosts"));
  for (std::string host; std::getline(hosts, host);) config.journaled.push_back(host);
  std::istringstream granted(disk_.read("granted"));
  for (bus::GrantBound bound; granted >> bound.term >> bound.most;) config.bounds.push_back(bound);
  config.software = "simulated";
  config.minor = world_.draw_minor();
  if (!config.journaled.empty()) ++world_.counts[Event::grace_periods];
  bus::RootShell& shell = *this;
  router_ = std::make_unique<bus::RootRouter>(shell, std::move(config), world_.now());
}

void RootNode::on_crash() {
  ++world_.counts[Event::busroot_crashes];
  world_.counts += router_counts(*router_);
  router_.reset();
  world_.counts[Event::lost_writes] += static_cast<std::uint64_t>(disk_.crash(world_.random));
}

void RootNode::on_accepted(LinkId id, Node& peer) {
  bus::PeerFacts facts;
  const auto* const host = dynamic_cast<const HostNode*>(&peer);  // or a liar
  facts.address = (host != nullptr ? host->machine() : peer.name()) + ":1";
  router_->link_opened(id, std::move(facts), world_.now());
  router_->flush();
}

void RootNode::on_bundle(LinkId id, ByteView bundle) {
  while (!router_->on_bundle(id, bundle, world_.now())) router_->flush();
  go_on();
}

/// What takes longer than a turn goes on with every other event, and so beside what these change.
void RootNode::go_on() {
  if (router_->unfinished()) router_->go_on();
  router_->flush();
}

void RootNode::on_ended(LinkId id) {
  router_->link_closed(id, {bus::Errc::io_error, "the link ended"}, world_.now());
  router_->flush();
}

void RootNode::on_tick() {
  router_->tick(world_.now());
  router_->flush();
}

void RootNode::send(LinkId link, bus::Bytes bundle) {
  world_.network.send(link, *this, std::move(bundle));
}

void RootNode::close(LinkId link) {
  world_.network.close(link, *this);
}

void RootNode::log(Level, const std::string& text) {
  world_.note(name(), text);
}

bus::Result<> RootNode::remember_bounds(const std::vector<bus::GrantBound>& bounds) {
  std::string lines;
  for (const bus::GrantBound& bound : bounds) {
    lines += std::to_string(bound.term) + " " + std::to_string(bound.most) + "\n";
  }
  disk_.write("granted", lines, true);
  return {};
}

/// A new host must be on disk; that one has gone may be learnt again.
bus::Result<> RootNode::remember_hosts(const std::vector<std::string>& hosts) {
  std::string lines;
  for (const std::string& host : hosts) lines += host + "\n";
  const bool grown = lines.size() > disk_.read("hosts").size();
  disk_.write("hosts", lines, grown);
  return {};
}

}  // namespace starbus::sim
