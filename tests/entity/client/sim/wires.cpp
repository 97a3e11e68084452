// The connections of clients, and those who lie.
#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

std::shared_ptr<Wire> World::connect(Client* client, const Pid& to) {
  auto wire = std::make_shared<Wire>();
  wire->client = client;
  wire->gate = to;
  wire->number = ++connections_;
  wires_.push_back(wire);
  gates_[to]->opened(wire);
  return wire;
}

void World::cut(const std::shared_ptr<Wire>& wire) {
  if (wire->broken) return;
  wire->broken = true;
  for (std::size_t lost = chance.below(wire->up.size() + 1); lost > 0; --lost) wire->up.pop_back();
  for (std::size_t lost = chance.below(wire->down.size() + 1); lost > 0; --lost) {
    wire->down.pop_back();
  }
  wire->up.emplace_back(Wire::Eof{});
  wire->down.emplace_back(Wire::Eof{});
}

void World::drop(const std::shared_ptr<Wire>& wire) {
  wire->down.clear();
  if (!wire->broken) wire->up.emplace_back(Wire::Eof{});
  wire->broken = true;
}

World::Carried World::carried() {
  std::erase_if(wires_, [](const auto& wire) {
    return wire->broken && wire->up.empty() && wire->down.empty();
  });
  Carried found;
  for (const auto& wire : wires_) {
    for (const bool up : {true, false}) {
      if (up ? wire->up.empty() || bus_->stopped(wire->gate) : wire->down.empty()) continue;
      if (!(hold_wire && hold_wire(*wire, up))) found.emplace_back(wire, up);
    }
  }
  return found;
}

void World::carry(const std::shared_ptr<Wire>& wire, bool up) {
  if (!up) {
    const Wire::Down what = std::move(wire->down.front());
    wire->down.pop_front();
    if (wire->client != nullptr && wire->client->wire == wire) return wire->client->received(what);
    const auto* frame = std::get_if<gates::ToClient>(&what);
    if (wire->client == nullptr && frame != nullptr &&
        std::holds_alternative<gates::Welcome>(*frame)) {
      Oracle::bad("P2 a forged token was taken");
    }
    return;
  }
  const Wire::Up what = std::move(wire->up.front());
  wire->up.pop_front();
  const Pid at = wire->gate;
  if (gate(at) == nullptr) return;
  bus_->within(at, [&] {
    Gate* const there = gate(at);
    if (there == nullptr) return;
    if (const auto* frame = std::get_if<gates::FromClient>(&what)) {
      there->frame(wire, *frame);
    } else {
      there->closed(wire->number);
    }
  });
}

void World::lie() {
  Client& client = *clients[chance.below(clients.size())];
  if (!client.wire || !client.on) return;
  ++oracle.count["lies"];
  switch (chance.below(3)) {
    case 0:
      client.lied = true;
      client.wire->up.emplace_back(gates::Ack{client.position.c + 1'000});
      return;
    case 1:
      client.wire->up.emplace_back(
          gates::Ask{client.next_u + 7, client.bind, bus::Bytes(8, std::byte{0xff})});
      return;
    default:
      const Pid at = any(kGates);
      if (at == Pid{}) return;
      connect(nullptr, at)
          ->up.emplace_back(
              gates::Resume{client.session, {7, 7}, client.gate, client.position, {}});
  }
}

}  // namespace starbus::entity::sessions::sim
