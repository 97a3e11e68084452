#include "tests/entity/client/sim/account.hpp"

#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {

using nodes::players::AccountEffects;
using nodes::players::AccountRow;
using nodes::players::TicketSeen;

namespace {

std::string first_of(const std::string& account) {
  return "player/" + account.substr(8) + "/1";
}
nodes::players::Outcome account_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return nodes::players::Outcome::answered;
    case Outcome::no_owner:
      return nodes::players::Outcome::no_owner;
    case Outcome::owner_lost:
      return nodes::players::Outcome::owner_lost;
    default:
      return nodes::players::Outcome::silent;
  }
}
std::string what_of(const ToSubject& word) {
  if (std::holds_alternative<SetLink>(word)) return "set_link";
  if (std::holds_alternative<Unlink>(word)) return "unlink";
  return std::holds_alternative<Pulse>(word) ? "look" : "relink";
}

}  // namespace

Account::Account(World& world, std::string n, const Pid& p, std::uint64_t epoch)
    : name(std::move(n)),
      pid(p),
      world_(world),
      epoch_(world.broken("bind_without_epoch") ? 1 : epoch),
      core_({name, first_of(name), false}) {}

Account::~Account() {
  for (const auto& later : later_) later->end(Outcome::owner_lost, {});
}

void Account::start() {
  AccountEffects effects;
  core_.owned(epoch_, world_.oracle.row_of(name), effects);
  apply(effects);
}

void Account::tick() {
  for (const auto& each : std::exchange(again_, {})) each();
  AccountEffects effects;
  core_.tick(world_.clock(), effects);
  apply(effects);
}

std::function<bool()> Account::still() const {
  return [this, me = name, at = pid, &world = world_] { return world.account_at(me, at) == this; };
}

// --- what it is asked ----------------------------------------------------------------------------

std::shared_ptr<Later> Account::ask(const AskAccount& word, const Sender& from) {
  auto later = std::make_shared<Later>();
  later_.insert(later);
  const auto* relinks = std::get_if<Relink>(&word);
  if (const auto* binds = std::get_if<BindSession>(&word)) {
    bind(*binds, from, later);
  } else if (relinks != nullptr && world_.broken("account_not_relinked") &&
             core_.row().session == relinks->session) {
    answered(
        {AccountAnswerKind::bound, core_.row().bind, core_.row().subject, core_.row().login, 0, {}},
        later, 0);
  } else {
    ask(word, from, {}, later, 0);
  }
  return later;
}

/// Its ticket is the login, 8 bytes: of a token, or 0: a login has found that it is its player.
void Account::bind(const BindSession& word, const Sender& from,
                   const std::shared_ptr<Later>& later) {
  const std::uint64_t login = bus::load<std::uint64_t>(word.ticket.data());
  if (login != 0 || core_.row().session == word.session) {
    TicketSeen ticket{true, {}, {}, login};
    if (world_.broken("old_login_comes_back")) ticket.login = core_.row().login;
    return ask(word, from, ticket, later, login);
  }
  const auto ask_with = [this, later, word, from](std::uint64_t proof) {
    ask(word, from, TicketSeen{false, word.session, word.gate.channel, proof}, later, 0);
  };
  // A login proves once, however often the gate asks with its ticket.
  if (const auto found = world_.tickets.find(word.session); found != world_.tickets.end()) {
    return ask_with(found->second);
  }
  put(Prove{}, {}, {}, [this, later, word, ask_with](const AccountAnswer& proof) {
    if (proof.kind != AccountAnswerKind::ok) {
      later_.erase(later);
      return later->end(Outcome::no_owner, {});  // it asks again
    }
    ask_with(world_.tickets.try_emplace(word.session, proof.login).first->second);
  });
}

void Account::ask(const AskAccount& word, const Sender& from, const Ticket& ticket,
                  const std::shared_ptr<Later>& later, std::uint64_t login) {
  put(word, from, ticket, [=, this](const AccountAnswer& answer) {
    if (answer.kind == AccountAnswerKind::later) {  // a gate would ask again after a while
      again_.push_back([=, this] { ask(word, from, ticket, later, login); });
      return;
    }
    answered(answer, later, login);
  });
}

void Account::answered(const AccountAnswer& answer, const std::shared_ptr<Later>& later,
                       std::uint64_t login) {
  later_.erase(later);
  if (answer.kind == AccountAnswerKind::bound) {
    std::uint64_t& latest = world_.oracle.logins[name];
    if (login != 0 && login < latest) {
      Oracle::bad("P4 a login that was replaced came back: " + name);
    }
    latest = std::max(latest, answer.login);
    check_stored(answer.bind);
  }
  AccountAnswer told = answer;
  if (world_.broken("bound_not_told")) told.bind = {};
  bus::Bytes bytes;
  encode(told, bytes);
  later->end(Outcome::ok, std::move(bytes));
}

/// In a turn of its own: the one who asks must be there before the answer.
void Account::put(const AskAccount& word, const Sender& from, const Ticket& ticket, Ended done) {
  asked_[++asks_] = std::move(done);
  world_.bus().later(pid, [this, still = still(), number = asks_, word, from, ticket] {
    if (!still()) return;
    AccountEffects effects;
    core_.ask(number, word, from, ticket, effects);
    apply(effects);
  });
}

void Account::choose(const SessionId& session, const Bind& bind, const std::string& who) {
  AccountEffects effects;
  if (core_.choose(session, bind, who, effects)) ++world_.oracle.count["switches"];
  apply(effects);
}

void Account::left(const Left& word) {
  AccountEffects effects;
  core_.hear(word, {}, effects);
  apply(effects);
}

void Account::link_lost(const std::string& who) {
  if (world_.broken("link_lost_unheard")) return;
  AccountEffects effects;
  core_.hear(LinkLost{who}, {}, effects);
  apply(effects);
}

// --- what it wants done --------------------------------------------------------------------------

void Account::apply(AccountEffects& effects) {
  for (const auto& each : effects.answers) {
    auto node = asked_.extract(each.ask);
    if (!node.empty()) node.mapped()(each.answer);
  }
  for (const auto& each : effects.gates) tell(each);
  for (const auto& each : effects.subjects) tell(each);
  if (effects.load) load(*effects.load);
  if (effects.store) store(*effects.store);
}

void Account::load(const AccountEffects::Load& load) {
  world_.load(pid, load.subject, [this, still = still(), question = load.question] {
    if (!still()) return;
    AccountEffects more;
    core_.loaded(question, true, world_.clock(), more);
    apply(more);
  });
}

void Account::tell(const AccountEffects::ForGate& each) {
  if (const auto* bound = std::get_if<Bound>(&each.word)) {
    check_stored(bound->bind);
    if (world_.broken("bound_not_told")) return;
    return static_cast<void>(world_.send({pid, each.to.channel, Lane::down, "bound",
                                          [word = *bound, &w = world_](const Pid&, const Pid& at) {
                                            if (Gate* gate = w.gate(at)) {
                                              gate->bound(word.session, word.bind, word.subject);
                                            }
                                            return std::any();
                                          }}));
  }
  if (world_.broken("end_not_told")) return;
  world_.send({pid, each.to.channel, Lane::down, "end",
               [word = std::get<End>(each.word), &w = world_](const Pid&, const Pid& at) {
                 if (Gate* gate = w.gate(at)) {
                   gate->end(word.session, word.bind, word.reason, word.closing);
                 }
                 return std::any();
               }});
}

void Account::tell(const AccountEffects::ForSubject& each) {
  ToSubject word = each.word;
  const std::string what = what_of(word);
  if (auto* const set = std::get_if<SetLink>(&word)) {
    check_stored(set->bind);
    if (set->closing) handed_on_ = set->closing;
    if (world_.broken("handed_on_twice")) set->closing = handed_on_;
  }
  const auto done = [this, still = still(), question = each.question](Outcome outcome,
                                                                      const std::any& value) {
    if (!still()) return;
    // It may have been heard: what follows may be unknown, as after a death.
    if (world_.bus().leaves_open(outcome)) ++world_.oracle.died[name];
    std::optional<Answer> answer;
    if (const Answer* said = std::any_cast<Answer>(&value)) answer = *said;
    if (answer && world_.broken("bind_without_epoch")) answer->bind = {};
    AccountEffects effects;
    core_.answered(question, account_outcome(outcome), answer, world_.clock(), effects);
    apply(effects);
  };
  if ((what == "unlink" && world_.broken("unlink_forgotten")) ||
      (what == "look" && world_.broken("lost_not_looked_for"))) {
    return world_.bus().later(pid, [done] { done(Outcome::ok, {}); });
  }
  Letter letter{pid, each.subject, Lane::up, what,
                [to = each.subject, word, &w = world_](const Pid& from, const Pid& at) {
                  Player* player = w.player_at(to, at);
                  if (player == nullptr) return std::any();
                  return std::any(player->take(word, {from, false}));
                }};
  letter.done = done;
  letter.deadline = nodes::players::kSubjectAnswer;
  world_.send(std::move(letter));
}

// --- the disk ------------------------------------------------------------------------------------

void Account::check_stored(const Bind& bind) const {
  if (world_.broken("row_not_saved")) return;  // that has a price of its own
  const auto row = world_.oracle.row_of(name);
  if (!row || row->bind < bind) Oracle::bad("P4 told, and not stored: " + name);
}

/// True: the disk says that it is done. One that fails may have been done; none does in a case.
bool Account::write(const AccountRow& row) {
  const bool fails = !world_.bus().scripted && world_.chance.likely(0.05);
  if (fails && world_.chance.likely(0.5)) return false;
  bus::Bytes bytes;
  encode(row, bytes);
  if (!world_.broken("row_not_saved")) world_.oracle.disk[name] = bytes;
  return !fails;
}

/// Its process may die before the disk has it, and between that and the word of the disk.
void Account::store(const AccountEffects::Store& store) {
  const auto told = [this, still = still(), number = store.number](bool done) {
    if (!still()) return;
    AccountEffects effects;
    if (done) {
      core_.stored(number, effects);
    } else {
      core_.store_failed(number, world_.clock(), effects);
    }
    apply(effects);
  };
  const bool early = world_.broken("told_before_stored");
  world_.bus().later(pid, [this, still = still(), row = store.row, early, told] {
    if (!still()) return;
    const bool done = write(row);
    if (!early) world_.bus().later(pid, [told, done] { told(done); });
  });
  if (early) told(true);
}

}  // namespace starbus::entity::sessions::sim
