#include "tests/sim/nodes/network.hpp"

#include <algorithm>

#include "tests/sim/world.hpp"

namespace starbus::sim {

Network::Link* Network::find(LinkId id) {
  const auto found = links_.find(id);
  return found == links_.end() ? nullptr : found->second.get();
}

Time Network::draw_delay() {
  Random& random = world_.random;
  const auto least = static_cast<std::uint64_t>(delay_least_ / std::chrono::microseconds(1));
  const auto most = static_cast<std::uint64_t>(delay_most_ / std::chrono::microseconds(1));
  if (spikes_ > 0 && random.chance(spikes_)) return random.micros(most, most * 300);
  return random.micros(least, most);
}

LinkId Network::connect(Node& connector, Node& listener) {
  auto link = std::make_unique<Link>();
  link->id = next_++;
  link->ends[index(Toward::listener)] = &listener;
  link->ends[index(Toward::connector)] = &connector;
  link->open[0] = link->open[1] = true;
  Link& added = *link;
  links_.emplace(added.id, std::move(link));
  push(added, Toward::listener, {Packet::What::accept});
  return added.id;
}

void Network::push(Link& link, Toward toward, Packet packet) {
  Way& way = link.ways[index(toward)];
  way.last_due = packet.due = std::max({way.last_due, packet.due, world_.now() + draw_delay()});
  way.packets.push_back(std::move(packet));
  arm(link, toward);
}

void Network::send(LinkId id, const Node& from, Bytes bundle) {
  Link* const link = find(id);
  if (!link) return;
  const Toward toward =
      link->ends[index(Toward::listener)] == &from ? Toward::connector : Toward::listener;
  const Way& way = link->ways[index(toward)];
  if (!link->open[index(opposite(toward))]) return;
  if (way.half_open) keep_stray(*link, toward, bundle);
  if (way.swallows) return;
  push(*link, toward, {Packet::What::bundle, std::move(bundle)});
}

void Network::close(LinkId id, const Node& by) {
  Link* const link = find(id);
  if (!link) return;
  const Toward own =
      link->ends[index(Toward::listener)] == &by ? Toward::listener : Toward::connector;
  if (!link->open[index(own)]) return;
  link->open[index(own)] = false;
  link->ways[index(own)].packets.clear();
  const Toward other = opposite(own);
  if (!link->ways[index(other)].swallows) push(*link, other, {Packet::What::end});
  forget_if_closed(id);
}

void Network::forget_if_closed(LinkId id) {
  const Link* const link = find(id);
  if (link && !link->open[0] && !link->open[1]) links_.erase(id);
}

void Network::lose_tail(Way& way) {
  const std::size_t kept = lose_all_in_flight_ ? 0 : world_.random.below(way.packets.size() + 1);
  way.packets.resize(kept);
}

void Network::crashed(const Node& node) {
  std::vector<LinkId> ids;
  for (const auto& [id, link] : links_) ids.push_back(id);
  for (const LinkId id : ids) {
    Link& link = *find(id);
    for (const Toward own : {Toward::listener, Toward::connector}) {
      if (link.ends[index(own)] != &node || !link.open[index(own)]) continue;
      lose_tail(link.ways[index(opposite(own))]);
      close(id, node);
      break;
    }
  }
}

void Network::resumed(const Node& node) {
  for (auto& [id, link] : links_) {
    for (const Toward toward : {Toward::listener, Toward::connector}) {
      if (link->ends[index(toward)] == &node) arm(*link, toward);
    }
  }
}

// --- reading -------------------------------------------------------------------------------------

void Network::arm(Link& link, Toward toward) {
  Way& way = link.ways[index(toward)];
  if (way.armed || way.packets.empty()) return;
  way.armed = true;
  const Time due =
      std::max({way.packets.front().due, way.stalled_until, way.last_read + way.read_gap});
  world_.timeline.at(due, [this, id = link.id, toward] { deliver(id, toward); });
}

void Network::deliver(LinkId id, Toward toward) {
  Link* link = find(id);
  if (!link) return;
  Way& way = link->ways[index(toward)];
  way.armed = false;
  Node& reader = *link->ends[index(toward)];
  if (!link->open[index(toward)]) way.packets.clear();
  if (way.packets.empty() || reader.paused()) return;
  if (world_.now() < way.stalled_until) return arm(*link, toward);
  Packet packet = std::move(way.packets.front());
  if (packet.what == Packet::What::bundle && gate_) {
    const Node& sender = *link->ends[index(opposite(toward))];
    if (gate_({sender, reader, toward, packet.bytes}) == Verdict::hold) {
      way.packets.front() = std::move(packet);
      return;
    }
  }
  way.packets.pop_front();
  way.last_read = world_.now();
  switch (packet.what) {
    case Packet::What::accept:
      reader.on_accepted(id, *link->ends[index(Toward::connector)]);
      break;
    case Packet::What::end:
      link->open[index(toward)] = false;
      reader.on_ended(id);
      forget_if_closed(id);
      break;
    case Packet::What::bundle:
      ++way.read;
      maybe_stray(*link, toward);
      if (find(id) && link->open[index(toward)])
        read_bundle(*link, toward, std::move(packet.bytes));
      break;
  }
  if ((link = find(id)) != nullptr) arm(*link, toward);
}

void Network::read_bundle(Link& link, Toward toward, Bytes bundle) {
  Node& reader = *link.ends[index(toward)];
  const Node& sender = *link.ends[index(opposite(toward))];
  if (loss_) {
    const int lost = lose_records(
        bundle, toward, [&](Kind kind, ByteView payload) { return loss_(sender, kind, payload); });
    world_.counts[Event::lost_records] += static_cast<std::uint64_t>(lost);
  }
  ++world_.counts[Event::bundles];
  world_.trace.mix(fingerprint(bundle, static_cast<std::uint64_t>(world_.now().count()) + link.id));
  world_.note_bundle(sender, reader, link.id, bundle);
  reader.on_bundle(link.id, bundle);
}

/// As ZeroMQ can do it: bytes of the half-open connection are read after the new one's first.
void Network::maybe_stray(Link& link, Toward toward) {
  const Node* const connector = link.ends[index(Toward::connector)];
  if (strays_.empty() || link.ways[index(toward)].read < 2) return;
  const auto found = std::ranges::find_if(strays_, [&](const Stray& stray) {
    return stray.connector == connector && stray.toward == toward;
  });
  if (found == strays_.end() || !world_.random.chance(stray_chance_)) return;
  Bytes bytes = std::move(found->bytes);
  strays_.erase(found);
  ++world_.counts[Event::stray_bundles];
  read_bundle(link, toward, std::move(bytes));
}

// --- faults --------------------------------------------------------------------------------------

std::vector<LinkId> Network::open_links() const {
  std::vector<LinkId> ids;
  for (const auto& [id, link] : links_) {
    if (link->open[0] && link->open[1]) ids.push_back(id);
  }
  return ids;
}

LinkId Network::link_between(const Node& connector, const Node& listener) const {
  LinkId latest = 0;
  for (const auto& [id, link] : links_) {
    if (link->ends[index(Toward::connector)] == &connector &&
        link->ends[index(Toward::listener)] == &listener && link->open[index(Toward::connector)]) {
      latest = id;
    }
  }
  return latest;
}

void Network::cut(LinkId id, Time connector_learns, Time listener_learns) {
  Link* const link = find(id);
  if (!link) return;
  for (const Toward toward : {Toward::listener, Toward::connector}) {
    Way& way = link->ways[index(toward)];
    if (way.swallows) continue;
    lose_tail(way);
    way.swallows = true;
    const Time learns = toward == Toward::listener ? listener_learns : connector_learns;
    push(*link, toward, {Packet::What::end, {}, world_.now() + learns});
  }
}

void Network::swallow(LinkId id, bool to_listener, bool to_connector) {
  Link* const link = find(id);
  if (!link) return;
  for (const Toward toward : {Toward::listener, Toward::connector}) {
    if (!(toward == Toward::listener ? to_listener : to_connector)) continue;
    Way& way = link->ways[index(toward)];
    way.half_open = way.half_open || !way.swallows;
    way.swallows = true;
  }
}

void Network::keep_stray(const Link& link, Toward toward, const Bytes& bytes) {
  constexpr std::size_t kKept = 40;
  if (strays_.size() == kKept) strays_.erase(strays_.begin());
  strays_.push_back({link.ends[index(Toward::connector)], toward, bytes});
}

void Network::stall(LinkId id, Toward toward, Time until) {
  if (Link* const link = find(id)) {
    Way& way = link->ways[index(toward)];
    way.stalled_until = std::max(way.stalled_until, until);
  }
}

void Network::slow_down(LinkId id, Toward toward, Time gap) {
  if (Link* const link = find(id)) link->ways[index(toward)].read_gap = gap;
}

void Network::abandon(LinkId id, Time late) {
  Link* const link = find(id);
  if (!link) return;
  Node& connector = *link->ends[index(Toward::connector)];
  if (!link->open[index(Toward::connector)]) return;
  stall(id, Toward::listener, world_.now() + late);
  for (const Toward toward : {Toward::listener, Toward::connector}) {
    std::deque<Packet>& packets = link->ways[index(toward)].packets;
    for (const Packet& packet : packets) {
      if (packet.what == Packet::What::bundle) keep_stray(*link, toward, packet.bytes);
    }
  }
  link->open[index(Toward::connector)] = false;
  link->ways[index(Toward::connector)].packets.clear();
  push(*link, Toward::listener, {Packet::What::end});
  connector.on_ended(id);
}

void Network::heal() {
  strays_.clear();
  loss_ = nullptr;
  gate_ = nullptr;
  spikes_ = 0;
  for (auto& [id, link] : links_) {
    for (Way& way : link->ways) way.read_gap = Time{};
  }
}

void Network::release() {
  for (auto& [id, link] : links_) {
    for (const Toward toward : {Toward::listener, Toward::connector}) arm(*link, toward);
  }
}

}  // namespace starbus::sim
