#include "tests/bus/core/ends/delivery_simulation.hpp"

#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kQueueLimit = 6;
constexpr int kMessagesPerProcess = 150;
constexpr int kHealingSteps = 60'000;

ChannelId channel_of(std::uint64_t number) {
  return {1, number};
}

}  // namespace

/// One process: an origin, an owner, and an application that sends at random.
class DeliverySimulation::Node final : public OriginEvents {
 public:
  Node(DeliverySimulation& sim, int slot, std::uint64_t incarnation)
      : self{1, static_cast<std::uint32_t>(slot), incarnation},
        life(incarnation * kProcesses + static_cast<std::uint64_t>(slot)),
        owner(
            [&sim](std::uint64_t channel, const Delivery& delivery) {
              const auto number = load<std::uint64_t>(delivery.body.data());
              sim.oracle_.handled(sim.resolve(number, channel));
            },
            [this](ByteView record) {
              replies.insert(replies.end(), record.begin(), record.end());
            }),
        sim_(sim) {}

  Process self;
  std::uint64_t life;
  Origin origin{*this};
  Owner owner;
  Bytes replies;
  int budget = kMessagesPerProcess;

 private:
  void on_acknowledged(Token token) override { sim_.oracle_.acknowledged(token); }
  void on_failed(Token token, const ChannelId&, Lane, std::uint64_t, Errc reason,
                 bool sent) override {
    const bool definite = reason == Errc::no_owner || (reason == Errc::expired && !sent);
    sim_.oracle_.failed(token, definite);
  }
  void on_room() override {}

  DeliverySimulation& sim_;
};

DeliverySimulation::DeliverySimulation(std::uint64_t seed, Sabotage sabotage)
    : random_(seed), sabotage_(sabotage) {
  for (int slot = 0; slot < kProcesses; ++slot) {
    nodes_[static_cast<std::size_t>(slot)] =
        std::make_unique<Node>(*this, slot, ++incarnations_[static_cast<std::size_t>(slot)]);
  }
  for (std::uint64_t channel = 0; channel < kChannels; ++channel) {
    give(channel, static_cast<int>(below(kProcesses)));
  }
}

DeliverySimulation::~DeliverySimulation() = default;

bool DeliverySimulation::chance(double probability) {
  return static_cast<double>(random_() >> 11) * 0x1.0p-53 < probability;
}

/// The body of an announcement is one for all: it names the first of its messages, which lie in the
/// order of its recipients.
DeliveryOracle::MessageId DeliverySimulation::resolve(std::uint64_t number,
                                                      std::uint64_t channel) const {
  while (oracle_.channel_of(number) != channel) ++number;
  return number;
}

// --- faults --------------------------------------------------------------------------------------

void DeliverySimulation::give(std::uint64_t channel, int node) {
  Place& place = places_[channel];
  if (place.owner >= 0) {
    nodes_[static_cast<std::size_t>(place.owner)]->owner.deactivate(channel_of(channel));
  }
  place.owner = node;
  if (node < 0) return;
  place.lineage = Epoch::of(1, ++epochs_);
  nodes_[static_cast<std::size_t>(node)]->owner.activate(channel_of(channel), place.lineage,
                                                         place.lineage, channel);
}

/// The session of a process ends: its queues are gone, on both sides.
void DeliverySimulation::cut(int node) {
  const auto index = static_cast<std::size_t>(node);
  up_[index] = {};
  down_[index] = {};
  nodes_[index]->replies.clear();
  nodes_[index]->origin.on_session();
}

void DeliverySimulation::kill(int node) {
  const auto index = static_cast<std::size_t>(node);
  for (std::uint64_t channel = 0; channel < kChannels; ++channel) {
    if (places_[channel].owner == node) give(channel, -1);
  }
  up_[index] = {};
  down_[index] = {};
  oracle_.sender_died(nodes_[index]->life);
  nodes_[index] = std::make_unique<Node>(*this, node, ++incarnations_[index]);
  nodes_[index]->budget = kMessagesPerProcess / 4;
}

void DeliverySimulation::inject() {
  const int node = static_cast<int>(below(kProcesses));
  const std::uint64_t channel = below(kChannels);
  if (chance(0.02)) cut(node);
  if (chance(0.004)) give(channel, chance(0.3) ? -1 : node);
  if (chance(0.002)) kill(node);
  if (sabotage_ == Sabotage::filter_forgotten && chance(0.02) && places_[channel].owner >= 0) {
    const Place& place = places_[channel];
    nodes_[static_cast<std::size_t>(place.owner)]->owner.activate(
        channel_of(channel), place.lineage, place.lineage, channel);
  }
}

// --- applications --------------------------------------------------------------------------------

/// A burst to one place, or an announcement to some.
void DeliverySimulation::application(Node& node) {
  if (node.budget <= 0 || !chance(0.1)) return;
  const Lane lane = chance(0.6) ? Lane::call : Lane::bulk;
  std::vector<std::uint64_t> members = {below(kChannels)};
  if (chance(0.2)) {
    for (std::uint64_t channel = 0; channel < kChannels; ++channel) {
      if (channel != members[0] && chance(0.6)) members.push_back(channel);
    }
  }
  for (std::uint64_t burst = 1 + below(5); burst > 0; --burst) issue(node, members, lane);
  node.origin.tick(now_);  // a hint may have failed something: tell it before anything moves on
}

void DeliverySimulation::issue(Node& node, const std::vector<std::uint64_t>& members, Lane lane) {
  const Time expires = chance(0.1) ? now_ + from_ms(20 + below(300)) : Time{};
  Bytes body(sizeof(std::uint64_t) + below(40));
  std::vector<Origin::Recipient> recipients;
  for (const std::uint64_t channel : members) {
    const auto id = oracle_.issue({node.life, channel, static_cast<int>(lane)});
    if (recipients.empty()) store(body.data(), id);
    const Lineage hint = chance(0.3) ? places_[channel].lineage : Lineage{};
    recipients.push_back({{channel_of(channel), hint, {}}, id});
  }
  node.budget -= static_cast<int>(members.size());
  if (members.size() > 1) {
    if (!node.origin.multicast(recipients, lane, {}, body, expires)) std::abort();
    return;
  }
  const auto seq = node.origin.send(recipients[0].to, lane, {}, body, recipients[0].token, expires);
  if (!seq) std::abort();
  if (chance(0.03)) {
    oracle_.withdrawn(recipients[0].token);
    node.origin.withdraw(recipients[0].to.channel, lane, *seq);
  }
}

/// What a process has ready enters its paths, as its link allows.
void DeliverySimulation::collect(int node) {
  const auto index = static_cast<std::size_t>(node);
  Node& from = *nodes_[index];
  from.owner.flush_acks();
  for (auto& record : cut_records(from.replies)) {
    up_[index].lanes[0].push_back({record.kind, std::move(record.payload)});
  }
  from.replies.clear();
  for (const Lane lane : kDataLanes) {
    Queue& queue = up_[index].lanes[static_cast<std::size_t>(lane)];
    while (from.origin.ready(lane) && queue.size() < kQueueLimit) {
      Bytes bytes;
      from.origin.pull(lane, 1 + below(400), bytes);
      for (auto& record : cut_records(bytes)) {
        const std::size_t origin_at = record.kind == Kind::probe ? 1 : kOriginOffset;
        stamp_origin(record.payload.data() + origin_at, from.self);
        queue.push_back({record.kind, std::move(record.payload)});
      }
    }
  }
}

// --- the network ---------------------------------------------------------------------------------

void DeliverySimulation::move_one() {
  struct Choice {
    Queue* queue;
    int node;  // -1: into the hub
  };
  std::vector<Choice> ready;
  for (int node = 0; node < kProcesses; ++node) {
    const auto index = static_cast<std::size_t>(node);
    for (auto& queue : up_[index].lanes) {
      if (!queue.empty()) ready.push_back({&queue, -1});
    }
    for (auto& queue : down_[index].lanes) {
      if (!queue.empty()) ready.push_back({&queue, node});
    }
    Queue& copies = up_[index].copies;
    if (!copies.empty() && (healing_ || chance(0.05))) ready.push_back({&copies, -1});
  }
  if (ready.empty()) return;
  const Choice choice = ready[below(ready.size())];
  Packet packet = std::move(choice.queue->front());
  choice.queue->pop_front();
  if (choice.node < 0) {
    from_node(std::move(packet));
  } else {
    arrive(choice.node, packet);
  }
}

void DeliverySimulation::from_node(Packet packet) {
  if (packet.kind == Kind::ack) return reply_ack(*decode<Ack>(packet.payload));
  if (packet.kind == Kind::nack) return reply(*decode<Nack>(packet.payload));
  if (!healing_ && chance(0.05)) {  // a second copy takes a slower road
    const std::size_t origin_at = packet.kind == Kind::probe ? 1 : kOriginOffset;
    const Process origin = load_origin(packet.payload.data() + origin_at);
    up_[origin.slot].copies.push_back(packet);
  }
  route(std::move(packet));
}

void DeliverySimulation::route(Packet packet) {
  if (packet.kind == Kind::multicast) return route_multicast(packet);
  if (packet.kind == Kind::probe) {
    const Probe probe = *decode<Probe>(packet.payload);
    return route_message(Kind::probe, packet.payload, probe.lane, probe.channel, probe.origin,
                         probe.seq);
  }
  const Run run = *decode_run(packet.payload);
  if (sabotage_ == Sabotage::ack_on_the_way && chance(0.05)) {
    reply_ack({run.lane, run.origin, run.channel, run.lineage, run.seq});
  }
  route_message(Kind::data, packet.payload, run.lane, run.channel, run.origin, run.seq);
}

/// Served as single messages: where routes part, each member is on its own.
void DeliverySimulation::route_multicast(const Packet& packet) {
  const Multicast multicast = *decode_multicast(packet.payload);
  for (const Target& target : multicast.targets) {
    Multicast single = multicast;
    single.targets = {target};
    Bytes bytes;
    encode_multicast(single, bytes);
    route_message(Kind::multicast, ByteView(bytes).subspan(kRecordHeader), multicast.lane,
                  target.channel, multicast.origin, target.seq);
  }
}

void DeliverySimulation::route_message(Kind kind, ByteView payload, Lane lane,
                                       const ChannelId& channel, const Process& origin,
                                       std::uint64_t seq) {
  const int owner = places_[channel.low].owner;
  if (owner < 0) return reply({lane, origin, channel, seq, NackReason::no_owner, {}, 0});
  Queue& queue = down_[static_cast<std::size_t>(owner)].lanes[static_cast<std::size_t>(lane)];
  if (queue.size() >= kQueueLimit || (!healing_ && chance(0.01))) {
    return reply({lane, origin, channel, seq, NackReason::overflow, {}, 0});
  }
  queue.push_back(
      {kind, kind == Kind::data ? sabotaged(payload) : Bytes(payload.begin(), payload.end())});
}

void DeliverySimulation::reply(const Nack& nack) {
  Bytes bytes;
  encode(nack, bytes);
  down_[nack.origin.slot].lanes[0].push_back(
      {Kind::nack, {bytes.begin() + kRecordHeader, bytes.end()}});
}

void DeliverySimulation::reply_ack(const Ack& ack) {
  Bytes bytes;
  encode(ack, bytes);
  down_[ack.origin.slot].lanes[0].push_back(
      {Kind::ack, {bytes.begin() + kRecordHeader, bytes.end()}});
}

Bytes DeliverySimulation::sabotaged(ByteView run_payload) {
  Bytes bytes(run_payload.begin(), run_payload.end());
  const Run run = view_run(bytes);
  if (sabotage_ == Sabotage::no_prev) store(bytes.data() + 44, std::uint64_t{0});
  if (sabotage_ == Sabotage::no_lineage) {
    store(bytes.data() + 36, places_[run.channel.low].lineage.value);
  }
  return bytes;
}

void DeliverySimulation::arrive(int node, const Packet& packet) {
  Node& to = *nodes_[static_cast<std::size_t>(node)];
  switch (packet.kind) {
    case Kind::data:
      return to.owner.on_run(*decode_run(packet.payload));
    case Kind::probe:
      return to.owner.on_probe(*decode<Probe>(packet.payload));
    case Kind::multicast:
      return to.owner.on_multicast(*decode_multicast(packet.payload));
    case Kind::ack: {
      const Ack ack = *decode<Ack>(packet.payload);
      if (ack.origin == to.self) to.origin.on_ack(ack);
      return;
    }
    case Kind::nack: {
      const Nack nack = *decode<Nack>(packet.payload);
      if (nack.origin == to.self) to.origin.on_nack(nack);
      return;
    }
    default:
      std::abort();
  }
}

// --- time ----------------------------------------------------------------------------------------

bool DeliverySimulation::settled() const {
  for (const auto& node : nodes_) {
    if (node->budget > 0 || !node->origin.idle() || node->origin.unacknowledged_bytes() != 0) {
      return false;
    }
  }
  return true;
}

void DeliverySimulation::run() {
  for (int step = 0; step < kChaosSteps + kHealingSteps; ++step) {
    healing_ = step >= kChaosSteps;
    now_ += from_ms(2);
    if (!healing_) inject();
    for (std::uint64_t channel = 0; channel < kChannels; ++channel) {
      if (places_[channel].owner < 0 && chance(0.01)) {
        give(channel, static_cast<int>(below(kProcesses)));
      }
    }
    for (int node = 0; node < kProcesses; ++node) {
      Node& present = *nodes_[static_cast<std::size_t>(node)];
      present.origin.set_now(now_);
      present.owner.set_now(now_);
      application(present);
      if (step % 5 == 0) present.origin.tick(now_);
      collect(node);
    }
    for (int i = 0; i < 8; ++i) move_one();
    if (healing_ && settled()) {
      oracle_.check_end();
      return;
    }
  }
  throw BrokenPromise("no convergence");
}

}  // namespace starbus::bus
