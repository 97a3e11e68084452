#include "tests/sim/process_node.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

/// What will not mend by trying again: the client library gives up.
bool is_final(bus::Errc code) {
  using bus::Errc;
  return code == Errc::name_taken || code == Errc::unauthorized || code == Errc::version_mismatch ||
         code == Errc::bad_config || code == Errc::bad_name || code == Errc::denied;
}

}  // namespace

ProcessNode::ProcessNode(World& world, HostNode& host, std::string node, NameIndex entity,
                         NameIndex process_name)
    : Node(world, host.name() + "." + node),
      host_(host),
      node_(std::move(node)),
      entity_(entity),
      process_name_(process_name),
      dial_(world, *this, host, [this](LinkId id) { link_up(id); }) {}

void ProcessNode::on_start() {
  pid_ = world_.new_pid();
  host_.process_started(pid_);
  bus::ProcessConfig config;
  config.node = node_;
  config.incarnation = ++starts_ * 1'000'000;
  config.software = "simulated";
  config.minor = world_.draw_minor();
  application_ = std::make_unique<Application>(world_, *this, world_.new_life());
  if (world_.on_application) world_.on_application(*application_);
  core_ = std::make_unique<bus::ProcessCore>(std::move(config), *application_, world_.now());
  if (when_started) when_started();
  dial_.start();
}

void ProcessNode::on_crash() {
  dial_.stop();
  link_ = 0;
  pump_posted_ = false;
  world_.counts += process_counts(*core_);
  core_.reset();
  application_.reset();
  host_.process_ended(pid_);
}

void ProcessNode::on_first_welcome() {
  bind_later(entity_);
  after(Time{}, [this] { application_->watch(""); });
}

void ProcessNode::bind_later(NameIndex name) {
  after(world_.random.micros(100, 100'000), [this, name] {
    if (!application_->owns(name) && !application_->binding(name)) application_->bind(name);
  });
}

void ProcessNode::link_up(LinkId id) {
  link_ = id;
  core_->connected(world_.new_session(), world_.now());
  pump();
}

void ProcessNode::link_down(const bus::Error& reason) {
  world_.note(name(), "link down: " + reason.to_string());
  core_->link_lost();
  if (link_ != 0) world_.network.close(link_, *this);
  link_ = 0;
  if (is_final(reason.code)) {
    world_.process_gave_up(*this, reason);
  } else {
    dial_.again();
  }
}

void ProcessNode::on_bundle(LinkId id, ByteView bundle) {
  if (id != link_) return;
  const auto result = core_->on_bundle(bundle, world_.now());
  if (!result) return link_down(result.error());
  pump();
}

void ProcessNode::on_ended(LinkId id) {
  if (id != link_) return;
  link_ = 0;
  link_down({bus::Errc::io_error, "the link ended"});
}

void ProcessNode::on_tick() {
  core_->tick(world_.now());
  application_->tick();
  if (link_ != 0 && !core_->has_session()) {
    return link_down({bus::Errc::lease_lost, "cut off from busroot for the length of the lease"});
  }
  if (core_->session() && core_->session()->silence(world_.now()) > from_ms(bus::kLinkTimeout)) {
    return link_down({bus::Errc::silent, "nothing heard from busd for 10 s"});
  }
  pump();
}

void ProcessNode::pump() {
  if (application_->take_hinted()) core_->tick(world_.now());
  if (link_ == 0) return;
  core_->pump([] { return bus::Bytes(); },
              [this](bus::Bytes bundle) { world_.network.send(link_, *this, std::move(bundle)); });
}

void ProcessNode::pump_soon() {
  if (std::exchange(pump_posted_, true)) return;
  after(Time{}, [this] {
    pump_posted_ = false;
    pump();
  });
}

}  // namespace starbus::sim
