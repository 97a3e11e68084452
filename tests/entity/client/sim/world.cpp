#include "tests/entity/client/sim/world.hpp"

#include <algorithm>

namespace starbus::entity::sessions::sim {

World::World(std::unique_ptr<SessionBus> bus, std::uint64_t seed, std::string broken,
             bool with_deaths)
    : chance(seed), deaths(with_deaths), broken_(std::move(broken)), bus_(std::move(bus)) {
  if (!deaths) hole = stub = away = 1 << 29;
  bus_->begin(*this);
  start_missing(1);
  bus_->wait_until_ready();
  for (const auto& [name, account] :
       {std::pair("c1", "account/a"), std::pair("c2", "account/a"), std::pair("c3", "account/b")}) {
    clients.push_back(std::make_unique<Client>(*this, name, account));
  }
}

World::~World() {
  for (const auto& [place, account] : accounts_) account->forget_questions();
  bus_.reset();  // before what it calls
}

// --- who is where --------------------------------------------------------------------------------

Player* World::player_at(const std::string& name, const Pid& at) {
  const auto found = players_.find({name, at});
  return found == players_.end() ? nullptr : found->second.get();
}
Account* World::account_at(const std::string& name, const Pid& at) {
  const auto found = accounts_.find({name, at});
  return found == accounts_.end() ? nullptr : found->second.get();
}
Player* World::player(const std::string& name) {
  const auto owner = owners_.find(name);
  return owner == owners_.end() ? nullptr : player_at(name, owner->second.pid);
}
Account* World::account(const std::string& name) {
  const auto owner = owners_.find(name);
  return owner == owners_.end() ? nullptr : account_at(name, owner->second.pid);
}
Gate* World::gate(const Pid& pid) {
  const auto found = gates_.find(pid);
  return found == gates_.end() ? nullptr : found->second.get();
}

Pid World::heir(Pid pid) const {
  for (auto next = heirs_.find(pid); next != heirs_.end(); next = heirs_.find(pid)) {
    pid = next->second;
  }
  return pid;
}

Pid World::pid_of(std::uint32_t host, std::uint32_t slot) const {
  for (const Pid& pid : pids_) {
    if (pid.host == host && pid.slot == slot) return pid;
  }
  return {};
}

Pid World::any(std::uint32_t host) {
  std::vector<Pid> found;
  for (const Pid& pid : pids_) {
    if (pid.host == host && bus_->ready(pid)) found.push_back(pid);
  }
  return found.empty() ? Pid{} : found[chance.below(found.size())];
}

/// Those that do not move.
std::vector<World::Place> World::players() {
  std::vector<Place> found;
  for (const auto& [place, player] : players_) {
    if (!player->link.frozen() && !bus_->stopped(place.second)) found.push_back(place);
  }
  return found;
}

// --- processes -----------------------------------------------------------------------------------

Pid World::start(std::uint32_t host, std::uint32_t slot) {
  const Pid pid = bus_->start(host, slot);
  pids_.insert(pid);
  if (host == kGates) gates_[pid] = std::make_unique<Gate>(*this, pid);
  return pid;
}

void World::start_missing(double part) {
  for (const std::uint32_t host : {kGates, kHomes, kDesks}) {
    for (std::uint32_t slot = 1; slot <= slots_of(host); ++slot) {
      if (pid_of(host, slot) == Pid{} && chance.likely(part)) start(host, slot);
    }
  }
}

void World::kill(Pid pid) {
  ++oracle.count["kills"];
  const Accounts ending = retire(pid);
  bus_->kill(pid);
}

/// What ran there is no more. The accounts end when nothing of the process can answer any more.
World::Accounts World::retire(Pid pid) {
  pids_.erase(pid);
  for (auto at = owners_.begin(); at != owners_.end();) {
    if (at->second.pid != pid) {
      ++at;
      continue;
    }
    const std::string name = (at++)->first;
    lost(name);
  }
  std::erase_if(players_, [&](const auto& each) { return each.first.second == pid; });
  Accounts ending;
  for (auto at = accounts_.begin(); at != accounts_.end();) {
    const bool here = at->first.second == pid;
    if (here) ending.push_back(std::move(at->second));
    at = here ? accounts_.erase(at) : std::next(at);
  }
  gates_.erase(pid);
  for (const auto& wire : wires_) {
    if (wire->gate == pid) cut(wire);
  }
  return ending;
}

void World::fenced(const Pid& before, const Pid& now) {
  ++oracle.count["leases lost"];
  heirs_[before] = now;
  pids_.insert(now);
  std::uint64_t last_question = 0;
  if (Gate* const there = gate(before)) {
    if (!broken("gate_fence_forgotten")) there->fence();
    last_question = broken("questions_begin_again") ? 0 : there->core.last_question();
  }
  const bool goes_on = (now.host == kHomes && broken("home_fence_forgotten")) ||
                       (now.host == kGates && broken("gate_fence_forgotten"));
  if (goes_on) haunt(before, now);
  const Accounts ending = retire(before);
  if (now.host == kGates && !goes_on) {
    gates_[now] = std::make_unique<Gate>(*this, now, last_question);
  }
}

void World::linked(const Pid& at, bool there) {
  if (Gate* const gate_there = gate(at)) gate_there->linked(there);
}

/// A broken rule: what ran there goes on as if nothing had happened.
void World::haunt(const Pid& before, const Pid& now) {
  if (auto node = gates_.extract(before); !node.empty()) {
    node.key() = now;
    node.mapped()->become(now);
    gates_.insert(std::move(node));
  }
  for (const auto& wire : wires_) {
    if (wire->gate == before) wire->gate = now;
  }
  std::vector<Place> here;
  for (const auto& [place, player] : players_) {
    if (place.second == before) here.push_back(place);
  }
  for (const Place& place : here) {
    auto node = players_.extract(place);
    node.key().second = now;
    node.mapped()->pid = now;
    players_.insert(std::move(node));
  }
}

void World::died(const Pid& reader, const Pid& dead) {
  if (Gate* there = gate(reader)) there->death(dead);
  for (const Place& place : players()) {
    if (place.second != reader) continue;
    if (Player* const player = player_at(place.first, place.second)) player->gate_died(dead);
  }
}

// --- names ---------------------------------------------------------------------------------------

/// Its owner is no more: what it knew of its client is gone.
void World::lost(const std::string& name) {
  if (owners_.erase(name) == 0) return;
  ++oracle.died[name.starts_with("player/") ? account_of(name) : name];
}

void World::own(const Place& place, std::uint64_t epoch) {
  Owner& owner = owners_[place.first];
  if (epoch > owner.epoch) owner = {place.second, epoch};
}

void World::bound(const Pid& at, const std::string& name, std::uint64_t epoch) {
  const Place place{name, at};
  lost(name);  // if it had another owner, that one has not heard yet
  if (name.starts_with("account/")) {
    // The owner must be there before it tells anybody.
    // Broken: without the part that grows with each start of busroot.
    const bool part = broken("account_epoch_without_term");
    const auto account =
        std::make_shared<Account>(*this, name, at, part ? bus::Epoch{epoch}.n() : epoch);
    accounts_[place] = account;
    own(place, epoch);
    return account->start();
  }
  const auto player = std::make_shared<Player>(*this, name, at);
  players_[place] = player;
  own(place, epoch);
  player->owned(epoch);
}

bus::Bytes World::freeze(const Pid& at, const std::string& name) {
  Player* const player = player_at(name, at);
  return player == nullptr ? bus::Bytes() : player->freeze();
}

void World::arrived(const Pid& at, const std::string& name, std::uint64_t epoch,
                    const bus::Bytes& state) {
  ++oracle.count["arrivals"];
  const Place place{name, at};
  const auto player = std::make_shared<Player>(*this, name, at);
  player->adopt(state);
  players_[place] = player;
  own(place, epoch);
  player->owned(epoch);
}

void World::moved(const Pid& at, const std::string& name) {
  players_.erase({name, at});
}

void World::goes_on(const Pid& at, const std::string& name, std::uint64_t epoch, bool rolled_back) {
  Player* const player = player_at(name, at);
  if (player == nullptr) return;
  ++oracle.count[rolled_back ? "rollbacks" : "moves undone"];
  own({name, at}, epoch);
  if (!rolled_back) return player->link.frozen() ? player->thaw(epoch) : player->owned(epoch);
  ++oracle.died[account_of(name)];
  player->rolled_back(epoch);
}

void World::move(const std::string& name, const Pid& target) {
  const auto owner = owners_.find(name);
  if (owner == owners_.end()) return;
  if (bus_->move(name, owner->second.pid, target)) ++oracle.count["moves"];
}

bool World::send(Letter letter) {
  return !alive(letter.from) || bus_->send(std::move(letter));
}

void World::load(const Pid& from, const std::string& name, const std::function<void()>& done) {
  const Pid at = any(name.starts_with("account") ? kDesks : kHomes);
  if (at == Pid{}) {
    if (done) bus_->later(from, done);
    return;
  }
  Letter letter{from, channel_of(at), Lane::up, "load",
                [this, name](const Pid&, const Pid& here) -> std::any {
                  if (bus_->owned(name)) return {};
                  auto later = std::make_shared<Later>();
                  bus_->bind(here, name, [later] { later->end(Outcome::ok, {}); });
                  return later;
                }};
  letter.deadline = LinkTime(10'000);
  if (done) {
    letter.done = [done](Outcome, const std::any&) { done(); };
  }
  send(std::move(letter));
}

void World::load_at(const Pid& at, const std::string& name) {
  bus_->bind(at, name, [] {});
}

// --- what happens next ---------------------------------------------------------------------------

bool World::progress() {
  const Carried wires = carried();
  const std::size_t bus = bus_->weight();
  const std::size_t sum = bus + (wires.empty() ? 0U : 4U);
  if (sum == 0) return false;
  if (chance.below(sum) < bus) {
    bus_->pass();
  } else {
    const auto [wire, up] = wires[chance.below(wires.size())];
    carry(wire, up);
  }
  return true;
}

void World::settle() {
  for (int i = 0; i < 200'000; ++i) {
    if (!progress()) return;
  }
  Oracle::bad("P5 it never grows quiet");
}

void World::tick() {
  bus_->second();
  end_drained();
  std::vector<Pid> gates;
  for (const auto& [pid, gate] : gates_) gates.push_back(pid);
  for (const Pid& pid : gates) {
    if (bus_->stopped(pid)) continue;
    bus_->within(pid, [&] {
      if (Gate* const there = gate(pid)) there->tick();
    });
  }
  for (const Place& place : players()) {
    bus_->within(place.second, [&] {
      if (Player* const there = player_at(place.first, place.second)) there->tick();
    });
  }
  std::vector<Place> accounts;
  for (const auto& [place, account] : accounts_) accounts.push_back(place);
  for (const Place& place : accounts) {
    if (bus_->stopped(place.second)) continue;
    bus_->within(place.second, [&] {
      const auto found = accounts_.find(place);
      if (found == accounts_.end()) return;
      const std::shared_ptr<Account> there = found->second;  // it may end itself
      there->tick();
    });
  }
  for (const auto& client : clients) client->tick();
}

}  // namespace starbus::entity::sessions::sim
