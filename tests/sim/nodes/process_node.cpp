#include "tests/sim/nodes/process_node.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {

ProcessNode::ProcessNode(World& world, HostNode& host, std::string node, NameIndex entity,
                         NameIndex process_name)
    : CoreNode(world, host, std::move(node)), entity_(entity), process_name_(process_name) {}

void ProcessNode::on_start() {
  application_ = std::make_unique<Application>(world_, *this, world_.new_life());
  if (world_.on_application) world_.on_application(*application_);
  begin(*application_, world_.draw_minor());
  if (when_started) when_started();
}

void ProcessNode::on_crash() {
  end();
  application_.reset();
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

void ProcessNode::before_pump() {
  application_->note_outbox_progress();
  if (application_->take_hinted()) core().tick(world_.now());
}

void ProcessNode::refused_for_good(const bus::Error& reason) {
  world_.process_gave_up(*this, reason);
}

}  // namespace starbus::sim
