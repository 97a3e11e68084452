#include "tests/sim/clients/client_node.hpp"

#include "bus/client/parts/bus_parts.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

ClientNode::ClientNode(World& world, HostNode& host, std::string node)
    : Node(world, host.name() + "." + node),
      host_(host),
      node_(std::move(node)),
      random_(world.random.next()),
      dial_(world, *this, host, [this](LinkId id) { link_up(id); }) {}

ClientNode::~ClientNode() {
  if (up()) on_crash();
}

void ClientNode::run(const std::function<void()>& action) {
  const Scope scope(*this);
  action();
  loop_->restart();
  loop_->poll();
}

void ClientNode::on_start() {
  pid_ = world_.new_pid();
  host_.process_started(pid_);
  ++starts_;
  loop_ = std::make_unique<boost::asio::io_context>(1);
  user_ = std::make_unique<ClientUser>(world_, *this);
  run([this] {
    bus::Options options;
    options.node = node_;
    options.endpoint = "simulated";
    bus_ = bus::BusCore::make(*loop_, std::move(options));
    user_->begin();
  });
}

void ClientNode::on_crash() {
  const Scope scope(*this);
  dial_.stop();
  if (link_) link_->forget();
  link_.reset();
  user_->killed();
  world_.counts += client_counts(*this);
  bus_.reset();
  loop_.reset();  // what it had still to do keeps parts of the library
  user_.reset();
  host_.process_ended(pid_);
}

void ClientNode::on_tick() {
  ticked_ = world_.now();
}

bool ClientNode::stands_still() const {
  return world_.now() - ticked_ > 2 * kTick;
}

void ClientNode::dial(OnLink on_link) {
  on_link_ = std::move(on_link);
  dial_.start();
}

void ClientNode::link_up(LinkId id) {
  link_ = std::make_shared<ClientLink>(world_.network, *this, id);
  run([this] { on_link_(link_); });
}

void ClientNode::on_bundle(LinkId id, ByteView bundle) {
  if (!link_ || link_->id() != id) return;
  run([&, link = link_] { link->deliver(bundle); });
}

void ClientNode::on_ended(LinkId id) {
  if (!link_ || link_->id() != id) return;
  run([link = std::exchange(link_, nullptr)] { link->ended(); });
}

Time ClientNode::machine_time() const {
  return world_.now();
}

void ClientNode::later(Time delay, std::function<void()> action) {
  after(delay, [this, action = std::move(action)] { run(action); });
}

}  // namespace starbus::sim
