// The account's half, as a test double: it stores, then tells.
#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

Account::Account(World& world, std::string n, const Pid& p, std::uint64_t epoch)
    : name(std::move(n)), pid(p), world_(world), epoch_(epoch) {
  row.subject = "player/" + name.substr(8) + "/1";
  if (const auto found = world.disk.find(name); found != world.disk.end()) {
    row = std::any_cast<Row>(found->second);
    if (row.session) row.up.reset();  // a subject may have had it
  }
}

Account::BindAnswer Account::bind(const SessionId& session, const GateId& gate, const Key& seal,
                                  std::uint64_t login) {
  if (row.session == session) return bound();
  if (login != 0 && login != row.login) return {"refused"};
  const Row old = row;
  row.session = session;
  row.gate = gate;
  row.turn = 1;
  row.seal = seal;
  if (login == 0) {
    row.login = world_.fresh();
    row.up.reset();
  }
  step();
  if (old.session) {
    world_.send(pid, old.gate.channel, Lane::down, "end",
                [old, bind = row.bind](World& w, const Pid&) {
                  if (Gate* there = w.gate(old.gate.process)) {
                    there->end(old.session, bind, Reason::replaced, {}, true);
                  }
                  return std::any();
                });
  }
  return bound();
}

/// Draws a bind and stores it before anybody hears of it; a pending switch unlinks first.
void Account::step() {
  row.bind = draw();
  world_.disk[name] = row;
  if (!row.next.empty()) return link(row.subject, true);
  world_.send(pid, row.gate.channel, Lane::down, "bound", [r = row](World& w, const Pid&) {
    if (Gate* gate = w.gate(r.gate.process)) gate->bound(r.session, r.bind, r.subject);
    return std::any();
  });
  link(row.subject, false);
}

void Account::link(const std::string& subject, bool unlink) {
  ToSubject word = Unlink{row.bind, Reason::switched};
  if (!unlink) {
    word = SetLink{row.session, row.gate, row.turn, row.bind, row.login, name, row.seal, row.up};
  }
  const auto done = [this, me = name, my = pid, bind = row.bind, subject, unlink, &world = world_](
                        Outcome outcome, const std::any& value) {
    if (world.account(me) != this) return;
    const Answer* answer = std::any_cast<Answer>(&value);
    const bool old = answer != nullptr && answer->kind == AnswerKind::old;
    if (!unlink && outcome != Outcome::no_owner && !old) row.up.reset();
    if (row.bind != bind || !row.session) return;
    if (old) return step();
    if (unlink) {
      row.subject = row.next;
      row.next.clear();
      row.up = answer != nullptr ? answer->closing : std::nullopt;
      if (row.up && row.up->login != row.login) row.up.reset();
      return step();
    }
    if (answer == nullptr) {
      world.load(my, subject, [this, me, bind, &world] {
        if (world.account(me) == this && row.bind == bind && row.session) step();
      });
    }
  };
  world_.send(
      pid, subject, Lane::up, unlink ? "unlink" : "set_link",
      [subject, word](World& w, const Pid& from) {
        return std::any(w.player(subject)->take(word, {from, false}));
      },
      done);
}

Account::BindAnswer Account::where(const SessionId& session, const Bind& bind) {
  if (row.session != session) return {row.session ? "replaced" : "ended"};
  // A new life of the account binds what it has stored anew.
  if (bind == Bind{} || (row.bind == bind && !world_.owned(row.subject) && row.next.empty()))
    step();
  return bound();
}

Account::BindAnswer Account::relink(const Relink& word) {
  if (row.session != word.session) return {row.session ? "replaced" : "ended"};
  if (word.turn > row.turn) {
    row.turn = word.turn;
    row.gate = word.gate;
    row.seal = word.passes.back().seal;
    world_.disk[name] = row;
  }
  // After the set_links that may still be under way.
  world_.send(pid, row.subject, Lane::up, "relink",
              [subject = row.subject, word](World& w, const Pid& from) {
                return std::any(w.player(subject)->take(word, {from, false}));
              });
  return bound();
}

void Account::choose(const SessionId& session, const Bind& bind, const std::string& who) {
  if (row.session != session || row.bind != bind || !row.next.empty() || who == row.subject) return;
  row.next = who;
  ++world_.count["switches"];
  step();
}

void Account::left(const Left& word) {
  if (row.session != word.session || row.subject != word.subject || row.bind != word.bind) return;
  const Row old = row;
  row.session = {};
  row.next.clear();
  row.up = word.closing;
  world_.disk[name] = row;
  world_.send(pid, old.gate.channel, Lane::down, "end", [old, word](World& w, const Pid&) {
    if (Gate* gate = w.gate(old.gate.process)) {
      gate->end(old.session, {~0ULL, 0}, word.reason, word.closing, true);
    }
    return std::any();
  });
}

void Account::link_lost(const std::string& who) {
  if (row.session && row.subject == who && row.next.empty()) step();
}

}  // namespace starbus::entity::sessions::sim
