// What happens to a simulated world at random, and its peace.
#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

void World::run(int steps) {
  for (int i = 0; i < steps; ++i) {
    bus_->breathe();
    const double roll = chance.roll();
    if (roll < 0.10) {
      act();
    } else if (roll < 0.17) {
      tick();
    } else if (!progress()) {
      act();
    }
  }
}

void World::act() {
  const double roll = chance.roll();
  if (roll < 0.40) {
    act_at_homes();
  } else if (roll < 0.58) {
    ask_something();
  } else if (roll < 0.68) {
    come_back();
  } else if (roll < 0.73) {
    break_a_wire();
  } else if (roll < 0.735) {
    lie();
  } else if (roll < 0.76) {
    announce(chance.likely(0.5) ? "guild" : "");
  } else if (roll < 0.82) {
    move_names();
  } else if (roll < 0.85) {
    move_sessions();
  } else if (roll < 0.89 && deaths) {
    kill_somebody();
  } else if (roll < 0.93) {
    start_missing(0.3);
  }
}

void World::act_at_homes() {
  std::vector<Place> places;
  for (const auto& [place, player] : players_) places.push_back(place);
  for (const Place& place : places) {
    if (!chance.likely(0.4) || bus_->stopped(place.second)) continue;
    bus_->within(place.second, [&] {
      Player* const there = player_at(place.first, place.second);
      if (there == nullptr) return;
      if (!there->link.frozen()) return there->act();
      if (broken("frozen_source_speaks") && there->link.linked()) there->speak_frozen();
    });
  }
}

void World::ask_something() {
  Client& client = *clients[chance.below(clients.size())];
  for (std::size_t times = 1 + chance.below(3); times > 0; --times) {
    const bool go = chance.likely(0.15);
    client.request(go ? "player/" + client.account.substr(8) + '/' +
                            std::to_string(1 + chance.below(2))
                      : std::string());
  }
}

void World::come_back() {
  Client& client = *clients[chance.below(clients.size())];
  const Pid gate = any(kGates);
  if (!client.wire && gate != Pid{} && (!client.told || chance.likely(0.3))) client.connect(gate);
}

void World::break_a_wire() {
  Client& client = *clients[chance.below(clients.size())];
  if (!client.wire) return;
  cut(client.wire);
  if (chance.likely(0.3)) client.unplug();  // it knows before its gate does
}

void World::move_names() {
  std::vector<std::string> names;
  for (const auto& [name, owner] : owners_) {
    if (name.starts_with("player/")) names.push_back(name);
  }
  for (const std::string& name : names) {
    if (bus_->moving(name) && chance.likely(0.7)) {
      chance.likely(0.2) ? bus_->abort(name) : bus_->attach(name);
    } else if (bus_->has_source(name) && chance.likely(0.6)) {
      bus_->free_source(name);
    } else if (chance.likely(0.7)) {
      if (const Pid target = any(kHomes); target != Pid{}) move(name, target);
    }
  }
}

void World::move_sessions() {
  const Pid from = any(kGates);
  const Pid to = any(kGates);
  if (from == to || from == Pid{} || bus_->stopped(from)) return;
  if (deaths && chance.likely(0.05)) return drain_one(from);
  for (const SessionId& session : gates_[from]->sessions()) {
    if (!chance.likely(0.6)) continue;
    bus_->within(from, [&] {
      if (Gate* const there = gate(from)) there->give(session, to);
    });
  }
}

void World::drain_one(const Pid& from) {
  if (alive(draining_)) return;
  draining_ = from;
  ++oracle.count["drains"];
  std::vector<Pid> to;
  for (const Pid& pid : pids_) {
    if (pid.host == kGates && pid != from) to.push_back(pid);
  }
  bus_->within(from, [&] {
    if (Gate* const there = gate(from)) there->drain(to);
  });
}

void World::end_drained() {
  Gate* const there = gate(draining_);
  if (there == nullptr || bus_->stopped(draining_) || !there->core.drained()) return;
  ++oracle.count["gates upgraded"];
  kill(draining_);
}

void World::announce(const std::string& group) {
  const Pid from = pid_of(kDesks, 1);
  if (from == Pid{} || bus_->stopped(from)) return;
  const std::uint64_t number = ++announced_;
  for (const auto& [pid, each] : gates_) {
    send({from, channel_of(pid), Lane::up, "announce",
          [this, from, number, group](const Pid&, const Pid& at) {
            if (Gate* there = gate(at)) there->announced(from, number, group);
            return std::any();
          }});
  }
}

void World::kill_somebody() {
  const auto host = static_cast<std::uint32_t>(1 + chance.below(3));
  std::size_t living = 0;
  for (const Pid& pid : pids_) living += pid.host == host ? 1 : 0;
  if (const Pid pid = any(host); living > 1 && pid != Pid{}) kill(pid);
}

// --- peace ---------------------------------------------------------------------------------------

void World::heal() {
  bus_->hold = nullptr;
  bus_->scripted = false;
  hold_wire = nullptr;
  bus_->heal();
  start_missing(1);
  bus_->wait_until_ready();
  if (deaths && leavers) {
    for (const auto& client : clients) {
      if (!chance.likely(0.25)) continue;  // never seen again
      if (client->wire) cut(client->wire);
      client->unplug();
      client->told = true;
    }
  }
  converge();
}

/// One that was replaced stays away; but where no session is given up, and a login that it had hung
/// up on has replaced it, nobody else would end that.
bool World::comes_again(const Client& client) const {
  if (!client.told) return true;
  return !deaths && std::ranges::none_of(clients, [&](const auto& other) {
    return other->account == client.account && !other->told;
  });
}

void World::converge() {
  std::vector<std::string> left;
  std::vector<std::string> stays;
  for (int round = 0; round < 900; ++round) {
    std::vector<std::string> names;
    for (const auto& [name, owner] : owners_) names.push_back(name);
    for (const std::string& name : names) {
      bus_->moving(name) ? bus_->attach(name) : bus_->free_source(name);
    }
    for (const auto& client : clients) {
      if (client->wire || !comes_again(*client) || !chance.likely(0.5)) continue;
      if (const Pid gate = any(kGates); gate != Pid{}) client->connect(gate);
    }
    settle();
    tick();
    settle();
    left = left_over();
    if (left.empty()) return;
    // Pulses come and go: what stays is told.
    if (round == 800) stays = left;
    std::erase_if(stays,
                  [&](const auto& each) { return std::ranges::find(left, each) == left.end(); });
  }
  Oracle::bad("P5 left over: " + (stays.empty() ? left : stays).front());
}

}  // namespace starbus::entity::sessions::sim
