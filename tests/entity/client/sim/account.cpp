// The product's account in the simulated world, between the policy's borders.
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
std::string text_of(AccountAnswerKind kind) {
  switch (kind) {
    case AccountAnswerKind::bound:
      return "bound";
    case AccountAnswerKind::replaced:
      return "replaced";
    case AccountAnswerKind::ended:
      return "ended";
    default:
      return "refused";
  }
}
nodes::players::Outcome outcome_of(Outcome outcome) {
  if (outcome == Outcome::no_owner) return nodes::players::Outcome::no_owner;
  return outcome == Outcome::ok ? nodes::players::Outcome::answered
                                : nodes::players::Outcome::owner_lost;
}

}  // namespace

Account::Account(World& world, std::string n, const Pid& p, std::uint64_t epoch)
    : name(std::move(n)),
      pid(p),
      world_(world),
      epoch_(world.broken("bind_without_epoch") ? 1 : epoch),
      core_({name, first_of(name), false}) {}

/// Those who wait for an answer hear that its process has died.
Account::~Account() {
  for (const auto& later : later_) {
    if (later->done) later->done(Outcome::owner_lost, {});
  }
}

void Account::start() {
  AccountEffects effects;
  core_.owned(epoch_, world_.row_of(name), effects);
  apply(effects);
}

void Account::tick() {
  for (const auto& each : std::exchange(again_, {})) each();
  AccountEffects effects;
  core_.tick(world_.clock(), effects);
  apply(effects);
}

// --- what it is asked ----------------------------------------------------------------------------

Account::BindAnswer Account::ask(const AskAccount& word, const Sender& from,
                                 const std::optional<TicketSeen>& ticket,
                                 const std::shared_ptr<Later>& later, std::uint64_t login) {
  later_.insert(later);
  asked_[++asks_] = [this, later, login, word, from, ticket](const AccountAnswer& answer) {
    if (answer.kind == AccountAnswerKind::later) {  // a gate would ask again after a while
      again_.push_back([=, this] { ask(word, from, ticket, later, login); });
      return;
    }
    later_.erase(later);
    if (answer.kind == AccountAnswerKind::bound) {
      if (login != 0 && login < world_.logins[name]) {
        World::bad("P4 a login that was replaced came back: " + name);
      }
      world_.logins[name] = std::max(world_.logins[name], answer.login);
      check_stored(answer.bind);
    }
    AccountAnswer told = answer;
    if (world_.broken("bound_not_told")) told.bind = {};
    later->done(Outcome::ok,
                BindAnswer{text_of(told.kind), told.bind, told.subject, told.login, {}, told});
  };
  put(asks_, word, from, ticket);
  return {"later", {}, {}, 0, later, {}};
}

/// In a turn of its own: the one who asks must be there before the answer.
void Account::put(std::uint64_t number, const AskAccount& word, const Sender& from,
                  const std::optional<TicketSeen>& ticket) {
  world_.send(pid, World::channel_of(pid), Lane::up, "asked",
              [this, me = name, number, word, from, ticket](World& world, const Pid&) {
                if (world.account(me) != this) return std::any();
                AccountEffects effects;
                core_.ask(number, word, from, ticket, effects);
                apply(effects);
                return std::any();
              });
}

/// A login has found that it is its player.
void Account::prove(Ended done) {
  asked_[++asks_] = std::move(done);
  put(asks_, Prove{}, {}, {});
}

Account::BindAnswer Account::bind(const SessionId& session, const GateId& gate, const Key& seal,
                                  std::uint64_t login) {
  const BindSession word{session, gate, 1, seal, {}};
  const Sender from{gate.process, true};
  const auto later = std::make_shared<Later>();
  if (login != 0 || core_.row().session == session) {
    TicketSeen ticket{true, {}, {}, login};
    if (world_.broken("old_login_comes_back")) ticket.login = core_.row().login;
    return ask(word, from, ticket, later, login);
  }
  later_.insert(later);
  prove([this, later, word, from](const AccountAnswer& proof) {
    if (proof.kind != AccountAnswerKind::ok) {
      later_.erase(later);
      return later->done(Outcome::no_owner, {});  // it asks again
    }
    ask(word, from, TicketSeen{false, word.session, word.gate.channel, proof.login}, later, 0);
  });
  return {"later", {}, {}, 0, later, {}};
}

Account::BindAnswer Account::where(const SessionId& session, const Bind& bind) {
  return ask(Where{session, bind}, {}, {}, std::make_shared<Later>(), 0);
}

Account::BindAnswer Account::relink(const Relink& word) {
  const AccountRow& row = core_.row();
  if (world_.broken("account_not_relinked") && row.session == word.session) {
    return {"bound", row.bind, row.subject, row.login, {}, {}};
  }
  return ask(word, {word.gate.process, true}, {}, std::make_shared<Later>(), 0);
}

void Account::choose(const SessionId& session, const Bind& bind, const std::string& who) {
  AccountEffects effects;
  if (core_.choose(session, bind, who, effects)) ++world_.count["switches"];
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
  if (effects.load) {
    const std::uint64_t question = effects.load->question;
    world_.load(pid, effects.load->subject, [this, me = name, question, &world = world_] {
      if (world.account(me) != this) return;
      AccountEffects more;
      core_.loaded(question, true, world.clock(), more);
      apply(more);
    });
  }
  if (effects.store) store(*effects.store);
}

void Account::tell(const AccountEffects::ForGate& each) {
  if (const auto* bound = std::get_if<Bound>(&each.word)) {
    check_stored(bound->bind);
    if (world_.broken("bound_not_told")) return;
    return world_.send(pid, each.to.channel, Lane::down, "bound",
                       [to = each.to.process, word = *bound](World& w, const Pid&) {
                         if (Gate* gate = w.gate(to)) {
                           gate->bound(word.session, word.bind, word.subject);
                         }
                         return std::any();
                       });
  }
  if (world_.broken("end_not_told")) return;
  world_.send(pid, each.to.channel, Lane::down, "end",
              [to = each.to.process, word = std::get<End>(each.word)](World& w, const Pid&) {
                if (Gate* gate = w.gate(to)) {
                  gate->end(word.session, word.bind, word.reason, word.closing, true);
                }
                return std::any();
              });
}

void Account::tell(const AccountEffects::ForSubject& each) {
  ToSubject word = each.word;
  std::string what = "relink";
  if (auto* const set = std::get_if<SetLink>(&word)) {
    what = "set_link";
    check_stored(set->bind);
    if (set->closing) handed_on_ = set->closing;
    if (world_.broken("handed_on_twice")) set->closing = handed_on_;
  }
  if (std::holds_alternative<Unlink>(word)) what = "unlink";
  if (std::holds_alternative<Pulse>(word)) what = "look";
  const bool unsaid = (what == "unlink" && world_.broken("unlink_forgotten")) ||
                      (what == "look" && world_.broken("lost_not_looked_for"));
  const auto done = [this, me = name, question = each.question, what, &world = world_](
                        Outcome outcome, const std::any& value) {
    if (world.account(me) != this) return;
    std::optional<Answer> answer;
    if (const Answer* said = std::any_cast<Answer>(&value)) answer = *said;
    if (answer && world.broken("bind_without_epoch")) answer->bind = {};
    AccountEffects effects;
    core_.answered(question, outcome_of(outcome), answer, world.clock(), effects);
    apply(effects);
  };
  if (unsaid) {
    return world_.send(
        pid, World::channel_of(pid), Lane::up, "unsaid",
        [](World&, const Pid&) { return std::any(); }, done);
  }
  world_.send(
      pid, each.subject, Lane::up, what,
      [to = each.subject, word](World& w, const Pid& from) {
        return std::any(w.player(to)->take(word, {from, false}));
      },
      done);
}

// --- the disk ------------------------------------------------------------------------------------

void Account::write(const AccountRow& row) {
  bus::Bytes bytes;
  encode(row, bytes);
  if (!world_.broken("row_not_saved")) world_.disk[name] = bytes;
}

void Account::check_stored(const Bind& bind) const {
  if (world_.broken("row_not_saved")) return;  // that has a price of its own
  const auto row = world_.row_of(name);
  if (!row || row->bind < bind) World::bad("P4 told, and not stored: " + name);
}

/// Its process may die before the disk has it, and between that and the word of the disk. A write
/// that fails may have been done.
void Account::store(const AccountEffects::Store& store) {
  const auto told = [this, me = name, number = store.number, &world = world_](
                        Outcome, const std::any& value) {
    if (world.account(me) != this) return;
    AccountEffects effects;
    if (std::any_cast<bool>(value)) {
      core_.stored(number, effects);
    } else {
      core_.store_failed(number, world.clock(), effects);
    }
    apply(effects);
  };
  const bool early = world_.broken("told_before_stored");
  world_.send(
      pid, World::channel_of(pid), Lane::down, "disk",
      [this, me = name, row = store.row](World& world, const Pid&) {
        if (world.account(me) != this) return std::any(false);
        const bool fails = world.chance(0.05);
        if (!fails || world.chance(0.5)) write(row);
        return std::any(!fails);
      },
      early ? Done{} : Done{told});
  if (early) told(Outcome::ok, true);
}

}  // namespace starbus::entity::sessions::sim
