// What an account answers to logins, gates and entities.
#include <utility>

#include "entity/client/passes.hpp"
#include "nodes/players/core/account_core.hpp"

namespace starbus::nodes::players {

using sessions::AccountAnswer;
using sessions::AccountAnswerKind;

AccountAnswer AccountCore::answer(AccountAnswerKind kind) const {
  return {kind, row_.bind, row_.subject, row_.login, row_.turn, row_.gate};
}

void AccountCore::reply(const Asked& asked, AccountAnswerKind kind, AccountEffects& out) {
  if (kind == AccountAnswerKind::refused) ++counters_.refused;
  out.answers.push_back({asked.number, answer(kind)});
}

void AccountCore::later(const Asked& asked, AccountEffects& out) {
  ++counters_.later;
  reply(asked, AccountAnswerKind::later, out);
}

void AccountCore::run(const Asked& asked, AccountEffects& out) {
  if (stale_) return later(asked, out);
  if (std::holds_alternative<sessions::Prove>(asked.word)) return prove(asked, out);
  if (const auto* const word = std::get_if<sessions::BindSession>(&asked.word)) {
    return bind(asked, *word, out);
  }
  if (const auto* const word = std::get_if<sessions::Where>(&asked.word)) {
    return where(asked, *word, out);
  }
  relink(asked, std::get<sessions::Relink>(asked.word), out);
}

/// Gates are never asked to believe: a login alone proves.
void AccountCore::prove(const Asked& asked, AccountEffects& out) {
  if (asked.from.gate) return reply(asked, AccountAnswerKind::refused, out);
  ++row_.drawn;
  AccountAnswer drawn = answer(AccountAnswerKind::ok);
  drawn.login = row_.drawn;
  after_.answers.push_back({asked.number, std::move(drawn)});
  save(out);
}

/// Why the ticket does not bind this session; nothing: it does. Of two logins the later one wins;
/// the login that has the account may come back with another session (re-entry).
std::optional<AccountAnswerKind> AccountCore::refuses(
    const sessions::BindSession& word, const std::optional<TicketSeen>& ticket) const {
  if (!ticket || ticket->login == 0 || ticket->login > row_.drawn)
    return AccountAnswerKind::refused;
  if (ticket->login < row_.login) return AccountAnswerKind::replaced;
  if (ticket->reentry) {
    if (ticket->login == row_.login) return std::nullopt;
    return AccountAnswerKind::refused;  // it speaks of a session that there never was
  }
  if (ticket->session != word.session || ticket->gate != word.gate.channel) {
    return AccountAnswerKind::refused;
  }
  if (ticket->login > row_.login) return std::nullopt;
  // It was used: by the session that has ended, or that has come back as another one.
  return row_.session ? AccountAnswerKind::replaced : AccountAnswerKind::ended;
}

void AccountCore::bind(const Asked& asked, const sessions::BindSession& word, AccountEffects& out) {
  if (!asked.from.gate || asked.from.process != word.gate.process || !word.session) {
    return reply(asked, AccountAnswerKind::refused, out);
  }
  if (word.session == row_.session) {
    const bool its_gate = word.gate.process == row_.gate.process;
    return reply(asked, its_gate ? AccountAnswerKind::bound : AccountAnswerKind::refused, out);
  }
  if (const auto no = refuses(word, asked.ticket)) return reply(asked, *no, out);
  const SessionId old = row_.session;
  const GateId old_gate = row_.gate;
  // Of its own login: its client has re-entered, and may do so again if it is still there.
  const Reason why = asked.ticket->login > row_.login ? Reason::replaced : Reason::fault;
  if (why == Reason::replaced) row_.closing.reset();
  row_.login = asked.ticket->login;
  row_.session = word.session;
  row_.gate = word.gate;
  row_.turn = word.turn;
  row_.seal = word.seal;
  row_.ends.reset();
  loaded_ = false;
  again_at_.reset();
  step(out);
  if (old) after_.gates.push_back({old_gate, sessions::End{old, row_.bind, why, {}}});
  after_.opened = true;
  reply(asked, AccountAnswerKind::bound, after_);
}

/// The gate has lost its subject. Whether that is lost is looked at before it is bound again: a
/// thousand gates that ask at once must not cause as many full states.
void AccountCore::where(const Asked& asked, const sessions::Where& word, AccountEffects& out) {
  if (!row_.session) return reply(asked, AccountAnswerKind::ended, out);
  if (word.session != row_.session) return reply(asked, AccountAnswerKind::replaced, out);
  reply(asked, AccountAnswerKind::bound, out);
  if (word.bind == row_.bind && settled()) look(out);
}

/// Turn orders gates. It goes on to the subject, after the set_links that are under way.
void AccountCore::relink(const Asked& asked, const sessions::Relink& word, AccountEffects& out) {
  if (!row_.session) return reply(asked, AccountAnswerKind::ended, out);
  if (word.session != row_.session) return reply(asked, AccountAnswerKind::replaced, out);
  const bool its_own = asked.from.gate && asked.from.process == word.gate.process;
  const bool known = word.turn == row_.turn && word.gate == row_.gate;
  const auto seal = seal_after(word, row_.turn, row_.seal);
  if (!its_own || (!known && !seal)) return reply(asked, AccountAnswerKind::refused, out);
  const AccountEffects::ForSubject onward{row_.subject, word, 0};
  if (known) {
    out.subjects.push_back(onward);
    return reply(asked, AccountAnswerKind::bound, out);
  }
  row_.turn = word.turn;
  row_.gate = word.gate;
  row_.seal = *seal;
  after_.subjects.push_back(onward);
  reply(asked, AccountAnswerKind::bound, after_);
  save(out);
}

// --- from entities -------------------------------------------------------------------------------

void AccountCore::run(const sessions::ToAccount& word, AccountEffects& out) {
  if (stale_) return;
  if (const auto* const left = std::get_if<sessions::Left>(&word)) return on_left(*left, out);
  on_lost(std::get<sessions::LinkLost>(word), out);
}

void AccountCore::on_left(const sessions::Left& word, AccountEffects& out) {
  const bool its_own = row_.session && word.session == row_.session && word.bind == row_.bind &&
                       word.subject == row_.subject;
  if (!its_own || row_.unlinking()) return;  // the answer of its unlink says the same
  std::optional<Closing> closing;
  if (word.closing.login == row_.login) closing = word.closing;
  const bool comes_back = options_.comes_back && word.reason == Reason::ended &&
                          options_.first == options_.account && row_.subject != options_.account;
  if (!comes_back) return close(word.reason, closing, out);
  row_.subject = options_.account;
  row_.closing = closing;
  step(out);
}

void AccountCore::on_lost(const sessions::LinkLost& word, AccountEffects& out) {
  const bool its_own = row_.session && word.subject == row_.subject;
  if (its_own && row_.unlinking()) return;  // the answer of its unlink ends that
  if (its_own) return step(out);
  // No session plays it: it need not ask again.
  out.subjects.push_back({word.subject, sessions::Unlink{draw(), Reason::ended}, 0});
}

}  // namespace starbus::nodes::players
