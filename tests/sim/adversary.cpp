#include "tests/sim/adversary.hpp"

#include <algorithm>

namespace starbus::sim {
namespace {

constexpr double kFaultRate = 0.013;  // per step: of 1,500 steps about 6 are crashes

/// What may be lost although its session lives: requests and answers are repeated, replies to data
/// may be lost, and queues may drop. Tables, deltas of tables and watches may not.
bool is_answer(Kind kind) {
  switch (kind) {
    case Kind::attached:
    case Kind::refused:
    case Kind::active_ok:
    case Kind::unbound:
    case Kind::freed_ok:
    case Kind::move_ok:
    case Kind::no_move:
    case Kind::reclaimed:
      return true;
    default:
      return false;
  }
}

bool is_message(Kind kind) {
  return kind == Kind::data || kind == Kind::multicast || kind == Kind::ack || kind == Kind::nack ||
         kind == Kind::probe || kind == Kind::posted || kind == Kind::withdraw;
}

}  // namespace

Adversary::Adversary(World& world, const Profile& profile)
    : world_(world), profile_(profile), calm_(world.now()) {
  Random& random = world_.random;
  if (profile_.deaths) death_rate_ = random.chance(0.5) ? 0.002 : 0.006;
  world_.network.set_delay(std::chrono::microseconds(50),
                           std::chrono::microseconds(random.chance(0.5) ? 400 : 4'000),
                           random.chance(0.5) ? 0.002 : 0.0);
  begin_losses();
}

void Adversary::begin_losses() {
  Random& random = world_.random;
  const double moved = random.chance(0.33) ? 0.9 : 0;
  const double answers = random.chance(0.33) ? 0.1 : 0;
  const double messages = random.chance(0.33) ? 0.02 : 0;
  if (moved + answers + messages == 0) return;
  world_.network.set_loss(
      [this, moved, answers, messages](const Node& sender, Kind kind, ByteView) {
        // What has passed a busd stands in its table: from there on it is lost with a session only.
        const bool from_root = &sender == &world_.root();
        if (kind == Kind::moved) return from_root && moved > 0 && world_.random.chance(moved);
        if (is_answer(kind)) return from_root && answers > 0 && world_.random.chance(answers);
        return messages > 0 && is_message(kind) && world_.random.chance(messages);
      });
}

bool Adversary::may_go_on() {
  bool together = world_.root().up();
  for (const auto& host : world_.hosts()) {
    together = together && host->up() && !host->paused() && host->router()->uplink().greeted;
  }
  for (const ProcessNode* process : world_.living()) {
    together = together && !process->paused() && process->core().greeted();
  }
  if (together) calm_ = world_.now();
  return profile_.deaths || world_.now() - calm_ < from_ms(10'000);
}

void Adversary::step() {
  if (!active_ || !may_go_on()) return;
  if (world_.random.chance(kFaultRate)) fault();
  if (death_rate_ > 0 && world_.random.chance(death_rate_)) {
    const auto living = world_.programs();
    if (!living.empty()) kill(*world_.random.pick(living));
  }
}

void Adversary::fault() {
  Random& random = world_.random;
  if (profile_.broken_disks && random.chance(0.1)) return break_a_disk();
  if (profile_.mail && random.chance(0.1)) return fill_the_disk();
  if (profile_.mail && random.chance(0.1))
    return crash_host(world_.random.pick(world_.stores())->host());
  const std::uint64_t kind = random.below(100);
  if (kind < 20 || (profile_.liars && kind < 38)) {
    crash_host(*random.pick(world_.hosts()));
  } else if (kind < 38) {
    crash_root();
  } else if (kind < 90) {
    disturb_a_link();
  } else if (kind < 97 || !profile_.deaths) {
    pause_somebody();
  } else {
    isolate_a_host();
  }
}

// --- daemons -------------------------------------------------------------------------------------

void Adversary::restart_later(Node& node, std::uint64_t most_ms) {
  world_.timeline.after(world_.random.millis(5, most_ms), [&node] { node.start(); });
}

void Adversary::crash_host(HostNode& host) {
  if (!host.up()) return;
  host.crash();
  restart_later(host, world_.random.chance(0.8) ? 300 : 3'000);
}

void Adversary::fill_the_disk() {
  SimDisk& disk = world_.random.pick(world_.stores())->disk();
  if (disk.room != SimDisk::Room::plenty) return;
  ++world_.counts[Event::full_disks];
  disk.room = world_.random.chance(0.7) ? SimDisk::Room::little : SimDisk::Room::none;
  world_.note("the disk", disk.room == SimDisk::Room::little ? "is nearly full" : "is full");
  world_.timeline.after(world_.random.millis(5, 3'000),
                        [&disk] { disk.room = SimDisk::Room::plenty; });
}

void Adversary::break_a_disk() {
  ++world_.counts[Event::failed_disks];
  SimDisk& disk = world_.random.pick(world_.stores())->disk();
  disk.fails = true;
  // One that nobody writes to is changed before it shows.
  world_.timeline.after(world_.random.millis(5, 3'000), [&disk] { disk.fails = false; });
}

void Adversary::crash_root() {
  if (!world_.root().up()) return;
  world_.root().crash();
  restart_later(world_.root(), world_.random.chance(0.8) ? 300 : 3'000);
}

/// Longer than a lease, as a broken switch does it; only where names may be lost.
void Adversary::isolate_a_host() {
  HostNode& host = *world_.random.pick(world_.hosts());
  const LinkId link = world_.network.link_between(host, world_.root());
  if (!host.up() || link == 0) return;
  ++world_.counts[Event::isolations];
  const Time duration = world_.random.millis(5'000, 60'000);
  world_.oracle.disturbed();  // a lease may run out before anybody says so
  world_.note(host.name(), "is cut off from busroot for " +
                               std::to_string(duration / std::chrono::seconds(1)) + " s");
  world_.isolate(host, world_.now() + duration);
  if (world_.random.chance(0.5)) {
    world_.network.swallow(link, true, true);
  } else {
    world_.network.cut(link, learns(), learns());
  }
}

// --- links ---------------------------------------------------------------------------------------

Time Adversary::learns() {
  return world_.random.chance(0.7) ? world_.random.millis(0, 20) : world_.random.millis(0, 2'000);
}

void Adversary::disturb_a_link() {
  Random& random = world_.random;
  const std::vector<LinkId> links = world_.network.open_links();
  if (links.empty()) return;
  const LinkId link = random.pick(links);
  const auto toward = random.chance(0.5) ? Toward::listener : Toward::connector;
  const std::string which = "link " + std::to_string(link);
  const std::uint64_t kind = random.below(100);
  if (kind < 42) {
    ++world_.counts[Event::cuts];
    world_.note(which, "is cut");
    world_.network.cut(link, learns(), learns());
  } else if (kind < 50) {
    // One after the other on the same link would cut a process off for the length of its lease.
    if (!profile_.deaths && world_.now() < half_open_until_) return;
    half_open_until_ = world_.now() + from_ms(25'000);
    ++world_.counts[Event::half_open];
    const bool both = random.chance(0.5);
    world_.note(which, both ? "falls silent" : "is half open");
    world_.network.swallow(link, both || toward == Toward::listener,
                           both || toward == Toward::connector);
  } else if (kind < 72) {
    ++world_.counts[Event::abandoned_links];
    world_.note(which, "is abandoned");
    world_.network.abandon(link, random.millis(0, random.chance(0.5) ? 50 : 3'000));
  } else if (kind < 88 || !profile_.extended) {
    ++world_.counts[Event::stalls];
    world_.note(which, "stalls");
    world_.network.stall(link, toward,
                         world_.now() + random.millis(1, random.chance(0.7) ? 300 : 5'000));
  } else {
    // Not for long: who cannot keep up with its messages for the length of a lease loses it.
    ++world_.counts[Event::slow_readers];
    world_.note(which, "is read slowly");
    world_.network.slow_down(link, toward, random.millis(1, 40));
    world_.timeline.after(random.millis(100, 5'000),
                          [this, link, toward] { world_.network.slow_down(link, toward, {}); });
  }
}

// --- processes -----------------------------------------------------------------------------------

void Adversary::pause_somebody() {
  Random& random = world_.random;
  std::vector<Node*> nodes = world_.programs();
  for (const auto& host : world_.hosts()) nodes.push_back(host.get());
  nodes.push_back(&world_.root());
  Node& node = *random.pick(nodes);
  if (!node.up() || node.paused()) return;
  ++world_.counts[Event::pauses];
  node.pause();
  const bool long_pause = profile_.deaths && random.chance(0.2);
  if (long_pause) world_.oracle.disturbed();
  world_.timeline.after(random.millis(1, long_pause           ? 50'000
                                         : random.chance(0.6) ? 400
                                                              : 6'000),
                        [&node] { node.resume(); });
}

void Adversary::kill(Node& process) {
  ++world_.counts[Event::process_deaths];
  world_.oracle.disturbed();
  process.crash();
  restart_later(process, world_.random.chance(0.7) ? 500 : 5'000);
}

}  // namespace starbus::sim
