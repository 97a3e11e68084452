// The gate's half, as a test double: records, order by n, holes, pulses, hand-overs.
#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

using State = Record::State;

Record* Gate::find(const SessionId& session) {
  const auto found = records_.find(session);
  return found == records_.end() ? nullptr : &found->second;
}

void Gate::open(Client& client, std::uint64_t login) {
  const SessionId session = world_.key();
  Record& record = records_[session];
  record.session = session;
  record.account = client.account;
  record.client = &client;
  record.login = login;
  record.secret = world_.key();
  record.todo.insert("bind");
  client.gate = pid;
  client.session = session;
  work(record);
}

/// What is repeated until the account has answered.
void Gate::work(Record& record) {
  for (const std::string& op : std::set<std::string>(record.todo)) {
    if (record.asking.contains(op)) continue;
    record.asking.insert(op);
    const SessionId session = record.session;
    const auto done = [this, &world = world_, me = pid, session, op](Outcome outcome,
                                                                     const std::any& value) {
      if (world.gate(me) != this) return;
      Record* const there = find(session);
      if (there == nullptr) return;
      there->asking.erase(op);
      if (there->state == State::stub || there->state == State::ended) return;
      if (outcome != Outcome::ok) return world.load(me, there->account, {});
      there->todo.erase(op);
      hear(session, std::any_cast<Account::BindAnswer>(value));
    };
    const Relink word{session, record.bind, record.turn, world_.gate_id(pid), record.passes};
    world_.send(
        pid, record.account, Lane::up, op,
        [to = record.account, op, session, gate = world_.gate_id(pid),
         seal = seal_of(record.secret), login = record.login, bind = record.bind,
         word](World& w, const Pid&) {
          Account& account = *w.account(to);
          if (op == "bind") return std::any(account.bind(session, gate, seal, login));
          if (op == "where") return std::any(account.where(session, bind));
          return std::any(account.relink(word));
        },
        done);
  }
}

void Gate::hear(const SessionId& session, const Account::BindAnswer& answer) {
  Record& record = *find(session);
  if (answer.what != "bound") return close(record, Reason::replaced, {});
  if (record.state == State::fresh) {
    record.state = State::bound;
    record.heard_at = world_.now;
    Client& client = *record.client;
    if (client.session == session) {
      if (client.login != answer.login) client.ended(Reason::fault, {});
      client.session = session;
      client.gate = pid;
      client.login = record.login = answer.login;
      client.on = true;
      client.told = false;
    }
  }
  bound(session, answer.bind, answer.subject);
}

void Gate::bound(const SessionId& session, const Bind& bind, const std::string& subject) {
  Record* const record = find(session);
  // The welcome goes before the first packet: its answer names the bind, too.
  const bool waits = record == nullptr || record->state == State::ended;
  if (waits || record->state == State::fresh) return;
  if (record->state == State::stub) {
    return world_.send(pid, World::channel_of(record->to), Lane::down, "bound",
                       [to = record->to, session, bind, subject](World& w, const Pid&) {
                         if (Gate* gate = w.gate(to)) gate->bound(session, bind, subject);
                         return std::any();
                       });
  }
  if (record->subject.empty()) record->subject = subject;
  if (bind <= record->bind) return;
  record->bind = bind;
  record->subject = subject;
  record->run = {};
  record->next = 1;
  record->held.clear();
  record->hole_at = record->heard_at = world_.now;
  const auto early = std::exchange(record->early, {});
  for (const auto& [key, parts] : early) {
    if (key.first > bind) record->early[key] = parts;
    if (key.first != bind) continue;
    for (const GatePart& each : parts) take_parts(*record, each);
  }
}

// --- parts ---------------------------------------------------------------------------------------

void Gate::bundle(const bus::Bytes& bytes, const Pid& home) {
  const auto sections = decode_bundle(bytes);
  if (!sections) World::bad("a bundle is malformed");
  for (const Section& section : *sections) {
    Introduction& known = handles_[{home, section.handle}];
    if (section.introduces) known = *section.introduces;
    if (!known.session) World::bad("P1 a handle that was never introduced");
    const Introduction at = known;
    for (std::size_t i = 0; i < section.parts.size(); ++i) {
      part({at, home, section.first + i, section.parts[i]});
    }
  }
}

void Gate::part(const GatePart& said) {
  Record* const record = find(said.at.session);
  if (record != nullptr && record->state == State::stub) {
    return world_.send(pid, World::channel_of(record->to), Lane::down, "forwarded",
                       [to = record->to, said](World& w, const Pid&) {
                         if (Gate* gate = w.gate(to)) gate->part(said);
                         return std::any();
                       });
  }
  if (record == nullptr || record->state == State::ended) {
    const Unknown word{said.at.session, said.at.turn};
    return world_.send(pid, said.at.subject, Lane::up, "unknown",
                       [to = said.at.subject, word](World& w, const Pid& from) {
                         return std::any(w.player(to)->take(word, {from, true}));
                       });
  }
  record->heard_at = world_.now;
  if (said.at.turn < record->turn) relink(*record);
  if (said.at.bind > record->bind) {
    record->early[{said.at.bind, said.at.run}].push_back(said);
    record->todo.insert("where");
    return;
  }
  take_parts(*record, said);
}

void Gate::take_parts(Record& record, const GatePart& said) {
  const auto key = std::pair(said.at.bind, said.at.run);
  const auto have = std::pair(record.bind, record.run);
  if (key < have) return;
  if (key != have) {
    record.run = said.at.run;
    record.next = 1;
    record.held.clear();
    record.hole_at = world_.now;
  }
  record.home = said.home;
  if (said.n < record.next) return;
  record.held[said.n] = said;
  while (record.held.contains(record.next)) {
    const GatePart next = record.held[record.next];
    record.held.erase(record.next++);
    pass_on(record, next);
    if (record.state == State::ended) return;
  }
  if (record.held.empty() && record.next > 1) {
    record.hole_at = -1;
  } else if (record.hole_at < 0) {
    record.hole_at = world_.now;
  }
  // The arrival part names a home that is dead: what it had said may be lost.
  if (said.part.kind == PartKind::idle && record.hole_at >= 0) {
    const auto idle = decode_idle(*said.part.body);
    if (idle && idle->before && world_.told(pid, *idle->before)) ask(record, true);
  }
}

void Gate::pass_on(Record& record, const GatePart& said) {
  if (said.n == 1) {
    const auto full = decode_full(*said.part.body);
    if (record.up_bind != said.at.bind) record.up_seen = full->up_done;
    record.up_bind = said.at.bind;
  }
  record.over_at = said.part.kind == PartKind::over ? world_.now : -1;
  Client& client = *record.client;
  if (client.session == record.session && client.gate == pid) client.shown(said);
  if (world_.chance(0.5)) {
    tell(record, Credit{record.session, record.bind, record.run, said.n, 40}, "credit", false);
  }
}

// --- to the subject ------------------------------------------------------------------------------

void Gate::tell(const Record& record, ToSubject word, std::string what, bool mind) {
  if (record.subject.empty()) return;
  Done done;
  if (mind) {
    done = [this, &world = world_, me = pid, session = record.session](Outcome outcome,
                                                                       const std::any& value) {
      if (world.gate(me) != this) return;
      Record* const there = find(session);
      if (there != nullptr) answer(*there, outcome, value);
    };
  }
  world_.send(
      pid, record.subject, Lane::up, std::move(what),
      [to = record.subject, word = std::move(word)](World& w, const Pid& from) {
        return std::any(w.player(to)->take(word, {from, true}));
      },
      std::move(done));
}

void Gate::answer(Record& record, Outcome outcome, const std::any& value) {
  if (record.state == State::stub || record.state == State::ended) return;
  const Answer* said = std::any_cast<Answer>(&value);
  if (outcome != Outcome::ok || said == nullptr || said->kind == AnswerKind::not_linked ||
      said->kind == AnswerKind::refused) {
    record.todo.insert("where");
  } else if (said->kind == AnswerKind::replaced) {
    close(record, Reason::replaced, {});
  }
}

void Gate::ask(Record& record, bool resync) {
  if (record.subject.empty() || record.state != State::bound) return;
  record.heard_at = world_.now;
  if (resync) {
    record.hole_at = world_.now;
    ++world_.count["resyncs"];
    tell(record, Resync{record.session, record.turn, record.bind, record.run, record.next},
         "resync", true);
  } else {
    tell(record, Pulse{record.session, record.turn, record.bind, record.run, record.next}, "pulse",
         true);
  }
}

void Gate::request(Record& record, std::uint64_t u, const ClientRequest& request) {
  if (record.state != State::bound || request.bind != record.up_bind ||
      record.bind != record.up_bind || u != record.up_seen + 1 || record.pending.size() >= 3) {
    return;  // the client sends it again
  }
  record.up_seen = u;
  record.pending[u] = request;
  put(record, u);
}

void Gate::put(Record& record, std::uint64_t u) {
  const ClientRequest request = record.pending[u];
  bus::Bytes body(8);
  bus::store(body.data(), request.id);
  const bus::ByteView go = bus::as_bytes(request.go);
  body.insert(body.end(), go.begin(), go.end());
  const Request word{record.session, record.turn, request.bind, u, std::move(body)};
  world_.send(
      pid, record.subject, Lane::up, "request",
      [to = record.subject, word](World& w, const Pid& from) {
        return std::any(w.player(to)->take(word, {from, true}));
      },
      [this, &world = world_, me = pid, session = record.session, u, id = request.id](
          Outcome outcome, const std::any& value) {
        if (world.gate(me) != this) return;
        Record* const there = find(session);
        if (there == nullptr || there->state == State::stub) return;
        const auto found = there->pending.find(u);
        if (found != there->pending.end() && found->second.id == id) {
          there->pending.erase(found);
        }
        answer(*there, outcome, value);
      });
}

// --- hand-over -----------------------------------------------------------------------------------

/// No flush: the requests without an outcome go along.
void Gate::give(Record& record, const Pid& to) {
  if (record.state != State::bound || to == pid || world_.told(pid, to)) return;
  ++world_.count["hand-overs"];
  Record taken = record;
  ++taken.turn;
  const Key secret = world_.key();
  taken.passes.push_back({record.secret, seal_of(secret)});
  if (taken.passes.size() > kRelinkChain) taken.passes.erase(taken.passes.begin());
  taken.secret = secret;
  taken.asking.clear();
  record.state = State::stub;
  record.stub_at = world_.now;
  record.to = to;
  if (record.client->session == record.session) record.client->gate = to;
  world_.send(
      pid, World::channel_of(to), Lane::down, "take",
      [to, taken](World& w, const Pid&) mutable {
        Gate& taker = *w.gate(to);
        const Record* have = taker.find(taken.session);
        if (have != nullptr && have->turn > taken.turn) return std::any();
        Record& its = taker.records_[taken.session] = taken;
        its.heard_at = w.now;
        its.todo.insert("relink");
        taker.relink(its);
        for (const auto& [u, request] : std::map(its.pending)) taker.put(its, u);
        if (w.told(to, its.home)) taker.ask(its, true);
        taker.work(its);
        return std::any();
      },
      [this, &world = world_, me = pid, session = record.session](Outcome outcome,
                                                                  const std::any&) {
        if (world.gate(me) != this) return;
        Record* const there = find(session);
        if (there == nullptr || there->state != State::stub || outcome != Outcome::no_owner) return;
        there->state = State::bound;  // it never left
        there->heard_at = world.now;
        for (const auto& [u, request] : std::map(there->pending)) put(*there, u);
      });
}

void Gate::relink(Record& record) {
  tell(record, Relink{record.session, record.bind, record.turn, world_.gate_id(pid), record.passes},
       "relink", true);
}

// --- ends ----------------------------------------------------------------------------------------

void Gate::end(const SessionId& session, const Bind& bind, Reason reason,
               const std::optional<Closing>& closing, bool account) {
  Record* const record = find(session);
  if (record == nullptr || record->state == State::ended) return;
  if (record->state == State::stub) {
    return world_.send(pid, World::channel_of(record->to), Lane::down, "end",
                       [=, to = record->to](World& w, const Pid&) {
                         if (Gate* gate = w.gate(to)) {
                           gate->end(session, bind, reason, closing, account);
                         }
                         return std::any();
                       });
  }
  if (bind <= record->bind) return;
  close(*record, reason, closing);
}

void Gate::close(Record& record, Reason reason, const std::optional<Closing>& closing) {
  record.state = State::ended;
  record.stub_at = world_.now;
  record.todo.clear();
  record.held.clear();
  Client& client = *record.client;
  if (client.session == record.session && client.gate == pid) client.ended(reason, closing);
}

void Gate::death(const Pid& dead) {
  for (auto& [session, record] : records_) {
    if (record.home == dead && record.state == State::bound) ask(record, true);
  }
}

void Gate::tick() {
  for (auto at = records_.begin(); at != records_.end();) {
    Record& record = at->second;
    if (record.state == State::stub || record.state == State::ended) {
      at = world_.now - record.stub_at > world_.stub ? records_.erase(at) : std::next(at);
      continue;
    }
    ++at;
    work(record);
    if (record.state != State::bound) continue;
    if (record.client->session != record.session) {
      if (record.stub_at == 0) record.stub_at = world_.now;
      if (world_.now - record.stub_at > world_.away) {
        tell(record, ClientGone{record.session, record.bind}, "client_gone", false);
        close(record, Reason::away, {});
        continue;
      }
    }
    if (record.hole_at >= 0 && world_.now - record.hole_at > world_.hole) ask(record, true);
    if (world_.now - record.heard_at > world_.pulse) ask(record, false);
    if (record.over_at >= 0 && world_.now - record.over_at > world_.hole) {
      record.over_at = world_.now;
      record.todo.insert("where");
    }
  }
}

}  // namespace starbus::entity::sessions::sim
