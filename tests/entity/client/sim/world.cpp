// The oracle of the simulated world, its faults, and its peace.
#include "tests/entity/client/sim/world.hpp"

#include <algorithm>

namespace starbus::entity::sessions::sim {
namespace {

std::string text_of(const GatePart& part) {
  return part.at.subject + " bind " + std::to_string(part.at.bind.epoch) + '.' +
         std::to_string(part.at.bind.counter) + " run " + std::to_string(part.at.run.epoch) + '.' +
         std::to_string(part.at.run.counter) + " n " + std::to_string(part.n) + ' ' +
         std::string(name_of(part.part.kind));
}

}  // namespace

World::World(std::uint64_t seed, std::string broken, bool with_deaths)
    : deaths(with_deaths), broken_(std::move(broken)), random_(seed) {
  if (!deaths) hole = stub = away = 1 << 29;
  for (std::uint32_t slot = 1; slot <= 3; ++slot) {
    start(1, slot);
    start(2, slot);
  }
  start(3, 1);
  start(3, 2);
  for (const auto& [name, account] :
       {std::pair("c1", "account/a"), std::pair("c2", "account/a"), std::pair("c3", "account/b")}) {
    clients.push_back(std::make_unique<Client>(*this, name, account));
  }
}
World::~World() {
  accounts_.clear();  // they say so to those who wait for them
}

// --- the oracle ----------------------------------------------------------------------------------

void World::said(const std::string& subject, const Introduction& at, const Section& section) {
  std::vector<Part>& parts = said_[{at.session, subject, at.bind, at.run}];
  if (parts.size() + 1 != section.first) bad("P1 a home has drawn a number twice: " + subject);
  parts.insert(parts.end(), section.parts.begin(), section.parts.end());
  if (section.first == 1) died_at[{at.session, at.bind}] = died["account/" + subject.substr(7, 1)];
}

void World::show(Client& client, const GatePart& part) {
  if (part.at.session != client.session) bad("P2 a part of another session: " + text_of(part));
  const auto key = std::pair(part.at.bind, part.at.run);
  const auto have = std::pair(client.bind, client.run);
  if (part.n == 1) {
    if (key <= have) bad("P1 a stretch that is not later: " + text_of(part));
  } else if (key != have || part.at.subject != client.subject) {
    bad("P2 a part of another stretch or subject: " + text_of(part));
  } else if (part.n != client.n + 1) {
    bad("P1 a hole or a double: " + text_of(part));
  }
  const auto& parts = said_[{part.at.session, part.at.subject, part.at.bind, part.at.run}];
  if (parts.size() < part.n || parts[part.n - 1].kind != part.part.kind ||
      *parts[part.n - 1].body != *part.part.body) {
    bad("P1 not what was said: " + text_of(part));
  }
  ++count["shown"];
}

void World::begin(const std::string& subject, std::uint64_t id) {
  Asked& asked = requests[id];
  ++count["begun"];
  if (++asked.begun > 1) bad("P3 begun twice: " + std::to_string(id));
  if (!asked.fate.empty() && asked.fate != "unknown" && asked.fate != "lost") {
    bad("P3 begun after its client was told " + asked.fate);
  }
  if (asked.subject != subject) bad("P3 begun by " + subject + ", meant for " + asked.subject);
  if (id < last_begun_[asked.client]) bad("P3 begun out of order by " + subject);
  last_begun_[asked.client] = id;
}

void World::fate(std::uint64_t id, const std::string& what) {
  Asked& asked = requests[id];
  asked.fate = what;
  ++count["fate: " + what];
  if ((what == "reply" || what == "gone") && asked.begun == 0) {
    bad("P3 said to be begun, and it was not: " + std::to_string(id));
  }
  if (what == "not begun" && asked.begun != 0) {
    bad("P3 said to be not begun, and it was: " + std::to_string(id));
  }
  if (what == "unknown" && died["account/" + asked.subject.substr(7, 1)] == asked.deaths) {
    bad("P3 unknown, and nobody died: " + std::to_string(id));
  }
}

std::vector<std::string> World::left_over() {
  std::vector<std::string> left;
  std::set<SessionId> used;
  for (const auto& client : clients) {
    if (client->told) continue;
    used.insert(client->session);
    Record* const record = client->record();
    Player* const subject = player(client->subject);
    if (!client->on || record == nullptr || subject == nullptr) {
      left.push_back(client->name + " is not on");
      continue;
    }
    const LinkState& link = subject->link.state();
    if (link.session != client->session || link.bind != client->bind || link.run != client->run ||
        link.next != client->n + 1 || !link.unsent.empty()) {
      left.push_back(client->name + " was not shown all of " + subject->name);
    } else if (client->value != subject->value) {
      left.push_back(client->name + " has an old state");
    }
    if (!client->out.empty()) left.push_back(client->name + " has open requests");
    if (!record->todo.empty() || record->hole_at >= 0 || !record->early.empty()) {
      left.push_back(client->name + "'s gate has work");
    }
  }
  for (const auto& [pid, gate] : gates_) {
    for (const auto& [session, record] : gate->records_) {
      const bool over = record.state == Record::State::ended || record.state == Record::State::stub;
      if (!over && !used.contains(session)) left.push_back("a session that nobody uses");
    }
  }
  for (const auto& [name, owner] : owners_) {
    if (owner.player->link.linked() && !used.contains(owner.player->link.state().session)) {
      left.push_back(name + " has a client that is not there");
    }
  }
  return left;
}

// --- faults --------------------------------------------------------------------------------------

void World::tick() {
  ++now;
  for (auto& [pid, done] : std::exchange(later_, {})) {
    if (alive(pid)) done();
  }
  for (const auto& [pid, gate] : gates_) gate->tick();
  std::vector<std::string> names;
  for (const auto& [name, owner] : owners_) names.push_back(name);
  for (const std::string& name : names) {
    const auto owner = owners_.find(name);
    if (owner != owners_.end() && !owner->second.moving) owner->second.player->tick();
  }
  for (const auto& [name, account] : accounts_) account.second->tick();
  for (const auto& client : clients) {
    for (const std::uint64_t u : [&] {
           std::vector<std::uint64_t> all;
           for (const auto& [each, request] : client->out) all.push_back(each);
           return all;
         }()) {
      client->put(u);
    }
  }
}

void World::act() {
  const double roll = std::uniform_real_distribution<>(0, 1)(random_);
  if (roll < 0.40) {
    for (auto& [name, owner] : owners_) {
      if (!chance(0.4)) continue;
      if (!owner.moving) {
        owner.player->act();
      } else if (broken("frozen_source_speaks") && owner.player->link.linked()) {
        owner.player->flush(true);
      }
    }
  } else if (roll < 0.58) {
    Client& client = *clients[below(clients.size())];
    for (std::size_t times = 1 + below(3); times > 0; --times) {
      const bool go = chance(0.15);
      client.request(go ? "player/" + client.account.substr(8) + '/' + std::to_string(1 + below(2))
                        : std::string());
    }
  } else if (roll < 0.68) {
    Client& client = *clients[below(clients.size())];
    const Pid gate = any(1);
    if (client.gate == Pid{} && gate != Pid{} && (!client.told || chance(0.3))) {
      client.connect(gate);
    }
  } else if (roll < 0.80) {
    std::vector<std::string> names;
    for (const auto& [name, owner] : owners_) names.push_back(name);
    for (const std::string& name : names) {
      Owner& owner = owners_[name];
      if (owner.moving && chance(0.7)) {
        chance(0.2) ? abort(name) : attach(name);
      } else if (owner.source && chance(0.6)) {
        owner.source.reset();
      } else if (!owner.moving && !owner.source && chance(0.7)) {
        const Pid target = any(2);
        if (target != Pid{}) move(name, target);
      }
    }
  } else if (roll < 0.85) {
    const Pid from = any(1);
    const Pid to = any(1);
    if (from == to || from == Pid{}) return;
    std::vector<SessionId> sessions;
    for (const auto& [session, record] : gates_[from]->records_) sessions.push_back(session);
    for (const SessionId& session : sessions) {
      if (chance(0.6)) gates_[from]->give(gates_[from]->records_[session], to);
    }
  } else if (roll < 0.89 && deaths) {
    const std::uint32_t host = static_cast<std::uint32_t>(1 + below(3));
    std::size_t living = 0;
    for (const Pid& pid : pids_) living += pid.host == host ? 1 : 0;
    if (living > 1) kill(any(host));
  } else if (roll < 0.93) {
    for (std::uint32_t host = 1; host <= 3; ++host) {
      for (std::uint32_t slot = 1; slot <= (host == 3 ? 2U : 3U); ++slot) {
        if (pid_of(host, slot) == Pid{} && chance(0.3)) start(host, slot);
      }
    }
  }
}

void World::run(int steps) {
  for (int i = 0; i < steps; ++i) {
    const double roll = std::uniform_real_distribution<>(0, 1)(random_);
    if (roll < 0.10) {
      act();
    } else if (roll < 0.17) {
      tick();
    } else if (!progress()) {
      act();
    }
  }
}

void World::start_missing() {
  for (std::uint32_t host = 1; host <= 3; ++host) {
    for (std::uint32_t slot = 1; slot <= (host == 3 ? 2U : 3U); ++slot) {
      if (pid_of(host, slot) == Pid{}) start(host, slot);
    }
  }
}

void World::heal() {
  hold = nullptr;
  start_missing();
  if (deaths) {
    for (const auto& client : clients) {
      if (!chance(0.25)) continue;  // never seen again
      client->gate_gone();
      client->told = true;
    }
  }
  std::vector<std::string> left;
  for (int round = 0; round < 900; ++round) {
    std::vector<std::string> names;
    for (const auto& [name, owner] : owners_) names.push_back(name);
    for (const std::string& name : names) {
      Owner& owner = owners_[name];
      if (owner.moving) {
        attach(name);
      } else {
        owner.source.reset();
      }
    }
    for (const auto& client : clients) {
      if (client->gate == Pid{} && !client->told && chance(0.5)) client->connect(any(1));
    }
    settle();
    tick();
    settle();
    for (const auto& client :
         clients) {  // a gate that died with a take of it: the other refuses it
      if (client->on && !client->told && client->record() == nullptr) client->gate_gone();
    }
    left = left_over();
    if (left.empty()) return;
  }
  bad("P5 left over: " + left.front());
}

}  // namespace starbus::entity::sessions::sim
