// The oracle of the simulated world, its faults, and its peace.
#include "tests/entity/client/sim/world.hpp"

#include <algorithm>

namespace starbus::entity::sessions::sim {
namespace {

bool silent(PartKind kind) {
  return kind == PartKind::idle || kind == PartKind::join || kind == PartKind::leave;
}

std::string text_of(const Parcel& parcel) {
  const gates::Mark& at = parcel.mark;
  return "bind " + std::to_string(at.bind.epoch) + '.' + std::to_string(at.bind.counter) + " run " +
         std::to_string(at.run.epoch) + '.' + std::to_string(at.run.counter) + " n " +
         std::to_string(at.n) + " c " + std::to_string(parcel.c) + " kind " +
         std::to_string(static_cast<int>(parcel.kind));
}

std::string text_of(const LinkState& link, const gates::Session& record, const Client& client) {
  const auto pair = [](const auto& value) {
    return std::to_string(value.epoch) + '.' + std::to_string(value.counter);
  };
  return "link bind " + pair(link.bind) + " run " + pair(link.run) + " next " +
         std::to_string(link.next) + " turn " + std::to_string(link.turn) + " unsent " +
         std::to_string(link.unsent.size()) + " at " + link.gate.channel + ", record bind " +
         pair(record.order.bind()) + " run " + pair(record.order.run()) + " next " +
         std::to_string(record.order.next()) + " turn " + std::to_string(record.hand.turn) +
         " subject " + record.subject + (record.locating ? " locating" : "") +
         (record.pulsing ? " pulsing" : "") + ", client bind " + pair(client.bind) + " run " +
         pair(client.run) + " n " + std::to_string(client.n) +
         (link.session == client.session ? "" : ", another session");
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
  for (const Part& part : section.parts) {
    if (part.kind == PartKind::call) check_update(subject, part.body);
  }
  if (section.first == 1) died_at[{at.session, at.bind}] = died["account/" + subject.substr(7, 1)];
}

/// Of each slot the versions grow, and what is too old gets no number.
void World::check_update(const std::string& subject, const Body& body) {
  const auto update = Update::read(body);
  if (!update) return;
  ++count["updates said"];
  std::uint64_t& last = updated_[{subject, update->slot}];
  if (update->version <= last) bad("D1 an older update of its slot was said: " + subject);
  last = update->version;
  const int age = now - static_cast<int>(update->born);
  if (update->slot != Update::kStays && age >= Update::kMaxAge) {
    bad("D2 an update that is too old was said: " + subject);
  }
}

void World::show(Client& client, const Parcel& parcel) {
  if (parcel.c != client.position.c + 1) bad("P1 a packet of another number: " + text_of(parcel));
  ++count["shown"];
  if (parcel.kind == gates::PacketKind::spoken) return check_spoken(client, parcel);
  if (parcel.kind != gates::PacketKind::ended) check_part(client, parcel);
}

/// Parts that the gate consumes have a number, and are not shown.
void World::check_part(Client& client, const Parcel& parcel) {
  const Body& body = std::get<Body>(parcel.body);
  const gates::Mark& at = parcel.mark;
  const auto key = std::pair(at.bind, at.run);
  const auto have = std::pair(client.bind, client.run);
  std::string subject = client.subject;
  std::uint64_t before = client.n;
  if (at.n == 1) {
    client.seen.clear();
    if (key <= have) bad("P1 a stretch that is not later: " + text_of(parcel));
    subject = decode_full(*body)->subject;
    before = 0;
  } else if (key != have) {
    bad("P2 a part of another stretch: " + text_of(parcel));
  }
  const auto& parts = said_[{client.session, subject, at.bind, at.run}];
  if (parts.size() < at.n || *parts[at.n - 1].body != *body ||
      static_cast<int>(parts[at.n - 1].kind) != static_cast<int>(parcel.kind)) {
    bad("P1 not what was said to " + client.name + " by " + subject + " (" +
        std::to_string(parts.size()) + " parts): " + text_of(parcel));
  }
  if (const auto update = Update::read(body); update && parcel.kind == gates::PacketKind::call) {
    ++count["updates shown"];
    std::uint64_t& last = client.seen[update->slot];
    if (update->version <= last) bad("D1 an older update of its slot is shown: " + client.name);
    last = update->version;
  }
  if (at.n <= before) bad("P1 a double: " + text_of(parcel));
  for (std::uint64_t n = before + 1; n < at.n; ++n) {
    if (!silent(parts[n - 1].kind)) bad("P1 a hole: " + text_of(parcel));
  }
}

/// Once in a session, and only in a group that its subject has named in this stretch.
void World::check_spoken(Client& client, const Parcel& parcel) {
  const std::string said(bus::as_text(*std::get<Body>(parcel.body)));
  ++count["announcements shown"];
  if (!client.heard.insert(said).second) bad("P1 an announcement twice: " + said);
  const std::string group = said.substr(0, said.find(':'));
  if (group.empty()) return;
  for (const Part& part : said_[{client.session, client.subject, client.bind, client.run}]) {
    const std::string_view body = bus::as_text(*part.body);
    if (part.kind == PartKind::join && body == group) return;
    if (part.kind != PartKind::full) continue;
    const auto groups = decode_full(*part.body)->groups;
    if (std::ranges::find(groups, group) != groups.end()) return;
  }
  bad("P2 an announcement to a group of another: " + said);
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

std::optional<nodes::players::AccountRow> World::row_of(const std::string& account) const {
  const auto found = disk.find(account);
  if (found == disk.end()) return {};
  return nodes::players::decode_row(std::any_cast<bus::Bytes>(found->second)).value();
}

bool World::came_back(const Client& client) const {
  const auto row = row_of(client.account);
  return row && row->session != client.session && row->login == client.login;
}

void World::check_replaced(const Client& client) const {
  const auto row = row_of(client.account);
  if (!client.session || !row) return;
  const auto bound = logins.find(client.account);
  const std::uint64_t latest = std::max(row->login, bound == logins.end() ? 0 : bound->second);
  if (latest <= client.login) bad("P4 told to be replaced, and it was not: " + client.name);
}

std::vector<std::string> World::left_over() {
  std::vector<std::string> left;
  std::set<SessionId> used;
  for (const auto& client : clients) {
    if (client->told) continue;
    used.insert(client->session);
    Gate* const there = gate(client->at());
    const gates::Session* const record = there == nullptr ? nullptr : there->find(client->session);
    Player* const subject = player(client->subject);
    if (!client->on || record == nullptr || subject == nullptr ||
        record->connection != client->wire->number) {
      left.push_back(client->name + " is not on");
      continue;
    }
    const LinkState& link = subject->link.state();
    bool whole = link.session == client->session && link.bind == client->bind &&
                 link.run == client->run && link.unsent.empty() &&
                 subject->link.droppables().empty();
    const auto& parts = said_[{client->session, client->subject, client->bind, client->run}];
    for (std::size_t i = client->n; i < parts.size(); ++i) whole = whole && silent(parts[i].kind);
    if (!whole) {
      left.push_back(client->name + " was not shown all of " + subject->name + ": " +
                     text_of(link, *record, *client));
    } else if (client->value != subject->value) {
      left.push_back(client->name + " has an old state");
    }
    if (!client->out.empty()) left.push_back(client->name + " has open requests");
    const bool calm = !record->locating && !record->locate_due && !record->relink_due &&
                      !record->relinking && !record->hole &&
                      record->requests.state().pending.empty();
    if (!calm) left.push_back(client->name + "'s gate has work");
    if (deaths && !record->hand.givers.empty()) left.push_back(client->name + " has stubs");
  }
  for (const auto& [pid, gate] : gates_) {
    for (const auto* each = gate->core.after({}); each != nullptr;
         each = gate->core.after(each->id)) {
      const bool over = each->stage == gates::Stage::ended || each->stage == gates::Stage::stub;
      if (!over && !used.contains(each->id)) left.push_back("a session that nobody uses");
    }
  }
  for (const auto& [name, owner] : owners_) {
    if (owner.player->link.state().lost) left.push_back(name + " asks its account for ever");
    if (owner.player->link.linked() && !used.contains(owner.player->link.state().session)) {
      const LinkState& link = owner.player->link.state();
      left.push_back(name + " has a client that is not there: " + link.gate.channel + " turn " +
                     std::to_string(link.turn) + " bind " + std::to_string(link.bind.epoch) + '.' +
                     std::to_string(link.bind.counter) +
                     (alive(link.gate.process) ? " alive" : "") +
                     (owner.player->link.away() ? " away" : ""));
    }
  }
  for (const auto& [name, owner] : accounts_) {
    const SessionId& session = owner.second->row().session;
    if (session && !used.contains(session)) left.push_back(name + " has a session that is over");
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
  for (const auto& client : clients) client->tick();
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
    if (!client.wire && gate != Pid{} && (!client.told || chance(0.3))) client.connect(gate);
  } else if (roll < 0.73) {
    Client& client = *clients[below(clients.size())];
    if (client.wire) {
      cut(client.wire);
      if (chance(0.3)) client.unplug();  // it knows before its gate does
    }
  } else if (roll < 0.735) {
    lie();
  } else if (roll < 0.76) {
    announce(chance(0.5) ? "guild" : "");
  } else if (roll < 0.82) {
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
    if (deaths && chance(0.05)) return drain_one(from);
    std::vector<SessionId> sessions;
    for (const auto* each = gates_[from]->core.after({}); each != nullptr;
         each = gates_[from]->core.after(each->id)) {
      sessions.push_back(each->id);
    }
    for (const SessionId& session : sessions) {
      if (chance(0.6)) gates_[from]->give(session, to);
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
  hold_wire = nullptr;
  start_missing();
  if (deaths && leavers) {
    for (const auto& client : clients) {
      if (!chance(0.25)) continue;  // never seen again
      if (client->wire) cut(client->wire);
      client->unplug();
      client->told = true;
    }
  }
  std::vector<std::string> left;
  std::vector<std::string> stays;
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
      if (!client->wire && !client->told && chance(0.5)) client->connect(any(1));
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
  bad("P5 left over: " + (stays.empty() ? left : stays).front());
}

// --- connections, lies, announcements ------------------------------------------------------------

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
  for (std::size_t lost = below(wire->up.size() + 1); lost > 0; --lost) wire->up.pop_back();
  for (std::size_t lost = below(wire->down.size() + 1); lost > 0; --lost) wire->down.pop_back();
  wire->up.emplace_back(Wire::Eof{});
  wire->down.emplace_back(Wire::Eof{});
}

void World::drop(const std::shared_ptr<Wire>& wire) {
  wire->down.clear();
  if (!wire->broken) wire->up.emplace_back(Wire::Eof{});
  wire->broken = true;
}

void World::carry(const std::shared_ptr<Wire>& wire, bool up) {
  if (!up) {
    const Wire::Down what = std::move(wire->down.front());
    wire->down.pop_front();
    if (wire->client != nullptr && wire->client->wire == wire) return wire->client->received(what);
    const auto* frame = std::get_if<gates::ToClient>(&what);
    if (wire->client == nullptr && frame != nullptr &&
        std::holds_alternative<gates::Welcome>(*frame)) {
      bad("P2 a forged token was taken");
    }
    return;
  }
  const Wire::Up what = std::move(wire->up.front());
  wire->up.pop_front();
  Gate* const there = gate(wire->gate);
  if (there == nullptr) return;
  if (const auto* frame = std::get_if<gates::FromClient>(&what)) {
    there->frame(wire, *frame);
  } else {
    there->closed(wire->number);
  }
}

/// A c that was never sent, a u that jumps, the session of another.
void World::lie() {
  Client& client = *clients[below(clients.size())];
  if (!client.wire || !client.on) return;
  ++count["lies"];
  switch (below(3)) {
    case 0:
      client.lied = true;
      client.wire->up.emplace_back(gates::Ack{client.position.c + 1'000});
      return;
    case 1:
      client.wire->up.emplace_back(
          gates::Ask{client.next_u + 7, client.bind, bus::Bytes(8, std::byte{0xff})});
      return;
    default:
      const Pid at = any(1);
      if (at == Pid{}) return;
      connect(nullptr, at)
          ->up.emplace_back(
              gates::Resume{client.session, {7, 7}, client.gate, client.position, {}});
  }
}

/// One gate at a time: what is given to it is refused, and comes back.
void World::drain_one(const Pid& from) {
  if (alive(draining_)) return;
  draining_ = from;
  ++count["drains"];
  std::vector<Pid> to;
  for (const Pid& pid : pids_) {
    if (pid.host == 1 && pid != from) to.push_back(pid);
  }
  gates_[from]->drain(to);
}

void World::announce(const std::string& group) {
  const Pid from = pid_of(3, 1);
  if (from == Pid{}) return;
  const std::uint64_t number = ++announced_;
  for (const auto& [pid, each] : gates_) {
    send(from, channel_of(pid), Lane::up, "announce",
         [to = pid, from, number, group](World& w, const Pid&) {
           if (Gate* there = w.gate(to)) there->announced(from, number, group);
           return std::any();
         });
  }
}

}  // namespace starbus::entity::sessions::sim
