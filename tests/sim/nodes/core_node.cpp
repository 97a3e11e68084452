#include "tests/sim/nodes/core_node.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

/// Whether the client library gives up: as in bus/client/process_link.cpp.
bool is_final(Code code) {
  if (code == bus::Errc::superseded || code == bus::Errc::closed) return false;
  return retry_of(code) == Retry::never;
}

}  // namespace

CoreNode::CoreNode(World& world, HostNode& host, std::string node)
    : Node(world, host.name() + "." + node),
      host_(host),
      node_(std::move(node)),
      dial_(world, *this, host, [this](LinkId id) { link_up(id); }) {}

void CoreNode::begin(bus::ProcessEvents& events, std::uint8_t minor) {
  pid_ = world_.new_pid();
  host_.process_started(pid_);
  bus::ProcessConfig config;
  config.node = node_;
  config.incarnation = ++starts_ * 1'000'000;
  config.software = "simulated";
  config.minor = minor;
  core_ = std::make_unique<bus::ProcessCore>(std::move(config), events, world_.now());
  dial_.start();
}

void CoreNode::end() {
  dial_.stop();
  link_ = 0;
  pump_posted_ = false;
  world_.counts += process_counts(*core_);
  core_.reset();
  host_.process_ended(pid_);
}

void CoreNode::link_up(LinkId id) {
  link_ = id;
  core_->connected(world_.new_session(), world_.now());
  pump();
}

void CoreNode::link_down(const bus::Error& reason) {
  world_.note(name(), "link down: " + reason.to_string());
  core_->link_lost();
  if (link_ != 0) world_.network.close(link_, *this);
  link_ = 0;
  if (is_final(reason.code)) {
    refused_for_good(reason);
  } else {
    dial_.again();
  }
}

void CoreNode::on_bundle(LinkId id, ByteView bundle) {
  if (id != link_) return;
  const auto result = core_->on_bundle(bundle, world_.now());
  if (!result) return link_down(result.error());
  pump();
}

void CoreNode::on_ended(LinkId id) {
  if (id != link_) return;
  link_ = 0;
  link_down({bus::Errc::io_error, "the link ended"});
}

void CoreNode::on_tick() {
  core_->tick(world_.now());
  tick_program();
  if (link_ != 0 && !core_->has_session()) {
    return link_down({bus::Errc::lease_lost, "cut off from busroot for the length of the lease"});
  }
  if (core_->session() && core_->session()->silence(world_.now()) > bus::kLinkTimeout) {
    return link_down({bus::Errc::silent, "nothing heard from busd for 10 s"});
  }
  pump();
}

void CoreNode::pump() {
  before_pump();
  if (link_ == 0) return;
  core_->send_bundles(
      [] { return bus::Bytes(); },
      [this](bus::Bytes bundle) { world_.network.send(link_, *this, std::move(bundle)); });
}

void CoreNode::pump_soon() {
  if (std::exchange(pump_posted_, true)) return;
  after(Time{}, [this] {
    pump_posted_ = false;
    pump();
  });
}

}  // namespace starbus::sim
