#include "tests/sim/nodes/host_node.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {

HostNode::HostNode(World& world, std::string host)
    : Node(world, std::move(host)),
      machine_(name()),
      uplink_(world, *this, world.root(), [this](LinkId id) {
        bus::PeerFacts facts;
        facts.address = "busroot:1";
        router_->uplink_opened(id, std::move(facts), world_.new_session(), world_.now());
        router_->flush();
      }) {}

void HostNode::on_start() {
  bus::HostConfig config;
  config.host = name();
  config.software = "simulated";
  config.minor = world_.draw_minor();
  config.incarnation = disk_.read_number("incarnation") + 1;
  disk_.write_number("incarnation", config.incarnation, true);
  config.highest_term = bus::Epoch::of(disk_.read_number("term"), 0);
  for (auto at = journal_.begin(); at != journal_.end();) {
    const auto entry = at++;
    if (living_.contains(entry->second.pid)) {
      config.journaled.push_back(entry->second);
    } else {
      journal_.erase(entry);
    }
  }
  bus::HostShell& shell = *this;
  router_ = std::make_unique<bus::HostRouter>(shell, std::move(config), world_.now());
  uplink_.start();
  if (when_started) when_started();
}

void HostNode::on_crash() {
  if (when_crashed) when_crashed();
  ++world_.counts[Event::busd_crashes];
  world_.counts += router_counts(*router_);
  router_.reset();
  watched_.clear();
  uplink_.stop();
  world_.counts[Event::lost_writes] += static_cast<std::uint64_t>(disk_.crash(world_.random));
}

void HostNode::on_accepted(LinkId id, Node& peer) {
  router_->link_opened(id, world_.facts_of(peer), world_.now());
  router_->flush();
}

void HostNode::on_bundle(LinkId id, ByteView bundle) {
  while (!router_->on_bundle(id, bundle, world_.now())) router_->flush();
  go_on();
}

/// What takes longer than a turn goes on with every other event, and so beside what these change.
void HostNode::go_on() {
  if (router_->unfinished()) router_->go_on();
  router_->flush();
}

void HostNode::on_ended(LinkId id) {
  router_->link_closed(id, {bus::Errc::io_error, "the link ended"}, world_.now());
  router_->flush();
}

void HostNode::on_tick() {
  router_->tick(world_.now());
  router_->flush();
}

void HostNode::send(LinkId link, bus::Bytes bundle) {
  world_.network.send(link, *this, std::move(bundle));
}

void HostNode::close(LinkId link) {
  world_.network.close(link, *this);
}

void HostNode::log(Level, const std::string& text) {
  world_.note(name(), text);
}

// --- processes -----------------------------------------------------------------------------------

void HostNode::process_ended(std::int64_t pid) {
  living_.erase(pid);
  if (up() && watched_.contains(pid)) report(pid);
}

/// By pidfd, beside the links: it may come before or after the last bytes of the process.
void HostNode::report(std::int64_t pid) {
  after(world_.random.micros(20, 5'000), [this, pid] {
    if (watched_.erase(pid) == 0) return;
    router_->pid_ended(pid);
    router_->flush();
  });
}

void HostNode::watch_pid(std::int64_t pid) {
  watched_.insert(pid);
  if (!living_.contains(pid)) report(pid);
}

void HostNode::journal(const bus::JournaledProcess& process, bool lives) {
  const std::pair key(process.node, process.incarnation);
  if (lives) {
    journal_[key] = process;
  } else {
    journal_.erase(key);
  }
}

void HostNode::remember_term(bus::Epoch term) {
  disk_.write_number("term", term.term(), true);
}

void HostNode::uplink_ended(const bus::Error&) {
  after(Time{}, [this] {
    if (!router_->uplink().connected) uplink_.again();
  });
}

}  // namespace starbus::sim
