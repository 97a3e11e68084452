// The bus of the simulated world: queues, deaths, moves.
#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

std::string World::channel_of(const Pid& process) {
  return (process.host == 1   ? "gate/"
          : process.host == 2 ? "home/"
                              : "desk/") +
         std::to_string(process.slot) + '.' + std::to_string(process.incarnation);
}

Pid World::start(std::uint32_t host, std::uint32_t slot) {
  Pid pid{host, slot, 0};
  pid.incarnation = ++lives_[pid];
  pids_.insert(pid);
  told_[pid] = {dead_.begin(), dead_.end()};
  if (host == 1) gates_[pid] = std::make_unique<Gate>(*this, pid);
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
    if (pid.host == host) found.push_back(pid);
  }
  return found.empty() ? Pid{} : found[below(found.size())];
}

Player* World::player(const std::string& name) {
  const auto found = owners_.find(name);
  return found == owners_.end() ? nullptr : found->second.player.get();
}
Account* World::account(const std::string& name) {
  const auto found = accounts_.find(name);
  return found == accounts_.end() ? nullptr : found->second.second.get();
}
Gate* World::gate(const Pid& pid) {
  const auto found = gates_.find(pid);
  return found == gates_.end() ? nullptr : found->second.get();
}
bool World::owned(const std::string& name) const {
  return owners_.contains(name) || accounts_.contains(name);
}
bool World::told(const Pid& reader, const Pid& dead) const {
  const auto found = told_.find(reader);
  return found != told_.end() && found->second.contains(dead);
}

Pid World::owner_pid(const std::string& to) const {
  if (const auto found = owners_.find(to); found != owners_.end()) return found->second.pid;
  if (const auto found = accounts_.find(to); found != accounts_.end()) return found->second.first;
  for (const Pid& pid : pids_) {
    if (channel_of(pid) == to) return pid;
  }
  return {};
}

void World::send(const Pid& from, const std::string& to, Lane lane, std::string what,
                 Handler handler, Done done) {
  if (!alive(from)) return;
  queues_[{from, to, lane}].push_back({from, std::move(handler), std::move(done), std::move(what)});
}

bool World::may_deliver(const Key3& key, const Queue& queue) const {
  if (queue.empty() || (hold && hold(queue.front(), key.to))) return false;
  const auto owner = owners_.find(key.to);
  return owner == owners_.end() || !owner->second.moving;
}

void World::deliver(const Key3& key) {
  Queue& queue = queues_[key];
  Message message = std::move(queue.front());
  queue.pop_front();
  if (queue.empty()) queues_.erase(key);
  const Pid owner = owner_pid(key.to);
  const auto note = [&](Outcome outcome, std::any value) {
    if (message.done && alive(message.from)) {
      notes_[message.from].push_back({message.done, outcome, std::move(value), owner});
    }
  };
  if (owner == Pid{}) return note(Outcome::no_owner, {});
  if (told(owner, message.from)) return;  // nothing of a dead process after its death was told
  ++count["delivered"];
  std::any value = message.handler(*this, message.from);
  const auto* const answer = std::any_cast<Account::BindAnswer>(&value);
  if (answer == nullptr || !answer->later) return note(Outcome::ok, std::move(value));
  answer->later->done = [this, owner, from = message.from, done = message.done](Outcome outcome,
                                                                                std::any later) {
    if (done && alive(from)) notes_[from].push_back({done, outcome, std::move(later), owner});
  };
}

/// The owner died: what was sent ends as owner_lost; a suffix that never left may stay.
void World::lose(const std::function<bool(const std::string&)>& whom, const Pid& owner) {
  for (auto at = queues_.begin(); at != queues_.end();) {
    auto& [key, queue] = *at;
    if (whom(key.to)) {
      const bool channel = key.to.starts_with("player") || key.to.starts_with("account");
      const std::size_t keep = channel && chance(0.3) ? below(queue.size() + 1) : 0;
      while (queue.size() > keep) {
        if (queue.front().done && alive(queue.front().from)) {
          notes_[queue.front().from].push_back(
              {queue.front().done, Outcome::owner_lost, {}, owner});
        }
        queue.pop_front();
      }
    }
    at = queue.empty() ? queues_.erase(at) : std::next(at);
  }
  for (auto& [reader, notes] : notes_) {  // handled, and the acknowledgement is lost
    bool lost = false;
    for (Note& note : notes) {
      lost = lost || chance(0.5);
      if (note.by == owner && note.outcome == Outcome::ok && lost) {
        note.outcome = Outcome::owner_lost;
        note.value.reset();
      }
    }
  }
}

void World::kill(Pid pid) {
  ++count["kills"];
  pids_.erase(pid);
  dead_.push_back(pid);
  notes_.erase(pid);
  deaths_of_.erase(pid);
  std::erase_if(later_, [&](const auto& each) { return each.first == pid; });
  for (auto at = queues_.begin(); at != queues_.end();) {
    auto& [key, queue] = *at;
    if (key.from == pid) {
      for (std::size_t cut = below(queue.size() + 1); cut > 0; --cut) queue.pop_back();
    }
    at = queue.empty() ? queues_.erase(at) : std::next(at);
  }
  std::set<std::string> lost{channel_of(pid)};
  std::vector<std::string> names;
  for (const auto& [name, owner] : owners_) names.push_back(name);
  for (const std::string& name : names) {
    Owner& owner = owners_[name];
    if (owner.source && owner.source->pid == pid) owner.source.reset();
    if (owner.pid != pid) {
      if (owner.moving && owner.target == pid) abort(name);
      continue;
    }
    ++died["account/" + name.substr(7, 1)];
    lost.insert(name);
    if (owner.source && !owner.moving) {
      ++count["rollbacks"];
      const std::shared_ptr<Player> back = owner.source;
      owners_.erase(name);
      own(name, back->pid, back);
      back->rolled_back();
    } else {
      owners_.erase(name);
    }
  }
  for (auto at = accounts_.begin(); at != accounts_.end();) {
    if (at->second.first == pid) {
      ++died[at->first];
      lost.insert(at->first);
      at = accounts_.erase(at);
    } else {
      ++at;
    }
  }
  lose([&](const std::string& to) { return lost.contains(to); }, pid);
  gates_.erase(pid);
  for (const auto& wire : wires_) {
    if (wire->gate == pid) cut(wire);
  }
  for (const Pid& other : pids_) deaths_of_[other].push_back(pid);
}

bool World::death_ready(const Pid& reader) const {
  const Pid& dead = deaths_of_.at(reader).front();
  for (const auto& [key, queue] : queues_) {
    if (key.from == dead && !queue.empty() && owner_pid(key.to) == reader) return false;
  }
  return true;
}

void World::tell_death(const Pid& reader) {
  auto& deaths_to_tell = deaths_of_[reader];
  const Pid dead = deaths_to_tell.front();
  deaths_to_tell.pop_front();
  if (deaths_to_tell.empty()) deaths_of_.erase(reader);
  told_[reader].insert(dead);
  if (Gate* there = gate(reader)) there->death(dead);
  for (auto& [name, owner] : owners_) {
    if (owner.pid == reader && !owner.moving) owner.player->gate_died(dead);
  }
}

/// One event, at random. False: nothing can happen.
bool World::progress() {
  std::vector<Key3> ready;
  for (const auto& [key, queue] : queues_) {
    if (may_deliver(key, queue)) ready.push_back(key);
  }
  std::vector<Pid> noted;
  for (const auto& [pid, notes] : notes_) {
    if (!notes.empty()) noted.push_back(pid);
  }
  std::vector<Pid> dying;
  for (const auto& [pid, list] : deaths_of_) {
    if (death_ready(pid)) dying.push_back(pid);
  }
  std::erase_if(wires_, [](const auto& wire) {
    return wire->broken && wire->up.empty() && wire->down.empty();
  });
  std::vector<std::pair<std::shared_ptr<Wire>, bool>> carried;
  for (const auto& wire : wires_) {
    for (const bool up : {true, false}) {
      const bool empty = up ? wire->up.empty() : wire->down.empty();
      if (!empty && !(hold_wire && hold_wire(*wire, up))) carried.emplace_back(wire, up);
    }
  }
  const std::size_t weights[] = {ready.empty() ? 0U : 5U, noted.empty() ? 0U : 2U,
                                 dying.empty() ? 0U : 1U, carried.empty() ? 0U : 4U};
  const std::size_t sum = weights[0] + weights[1] + weights[2] + weights[3];
  if (sum == 0) return false;
  const std::size_t pick = below(sum);
  if (pick < weights[0]) {
    deliver(ready[below(ready.size())]);
  } else if (pick < weights[0] + weights[1]) {
    const Pid pid = noted[below(noted.size())];
    const Note note = std::move(notes_[pid].front());
    notes_[pid].pop_front();
    note.done(note.outcome, note.value);
  } else if (pick < weights[0] + weights[1] + weights[2]) {
    tell_death(dying[below(dying.size())]);
  } else {
    const auto [wire, up] = carried[below(carried.size())];
    carry(wire, up);
  }
  return true;
}

void World::settle() {
  for (int i = 0; i < 200'000; ++i) {
    if (!progress()) return;
  }
  bad("P5 it never grows quiet");
}

// --- names ---------------------------------------------------------------------------------------

void World::own(const std::string& name, const Pid& pid, std::shared_ptr<Player> player) {
  Player& there = *player;
  owners_[name] = Owner{pid, std::move(player), false, {}, {}, nullptr};
  there.pid = pid;
  there.owned(++epochs_);
}

void World::load(const Pid& from, const std::string& name, std::function<void()> done) {
  const bool account = name.starts_with("account");
  const Pid at = any(account ? 3 : 2);
  if (at == Pid{}) {
    if (done) later_.emplace_back(from, std::move(done));
    return;
  }
  send(
      from, channel_of(at), Lane::up, "load",
      [name, at, account](World& world, const Pid&) -> std::any {
        if (world.owned(name)) return {};
        if (account) {
          // The owner must be there before it tells anybody.
          auto made = std::make_unique<Account>(world, name, at, ++world.epochs_);
          world.accounts_[name] = {at, std::move(made)};
          world.accounts_[name].second->start();
        } else {
          world.own(name, at, std::make_shared<Player>(world, name, at));
        }
        return {};
      },
      [this, from, done](Outcome, const std::any&) {
        if (done) later_.emplace_back(from, done);
      });
}

void World::move(const std::string& name, const Pid& target) {
  Owner& owner = owners_[name];
  if (owner.moving || owner.source || owner.pid == target) return;
  owner.moving = true;
  owner.target = target;
  owner.frozen = owner.player->freeze();
  ++count["moves"];
}

void World::attach(const std::string& name) {
  Owner& owner = owners_[name];
  const std::shared_ptr<Player> source = owner.player;
  const Pid target = owner.target;
  auto arrived = std::make_shared<Player>(*this, name, target);
  arrived->adopt(owner.frozen);
  arrived->value = source->value;
  arrived->dirty = source->dirty;
  arrived->late = source->late;
  arrived->arrived(owner.pid);
  own(name, target, arrived);
  owners_[name].source = source;
}

void World::abort(const std::string& name) {
  Owner& owner = owners_[name];
  owner.moving = false;
  ++count["moves undone"];
  owner.player->thaw(++epochs_);
}

void World::free_source(const std::string& name) {
  owners_[name].source.reset();
}

}  // namespace starbus::entity::sessions::sim
