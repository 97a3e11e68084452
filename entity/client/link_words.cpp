// What a ClientLink answers to gates and accounts.
#include <algorithm>
#include <cassert>
#include <utility>

#include "entity/client/link.hpp"
#include "entity/client/passes.hpp"

namespace starbus::entity::sessions {

Answer ClientLink::take(const ToSubject& word, const Sender& from, LinkTime now, Effects& out) {
  assert(!frozen_);  // the bus hands nothing to one that is packed: `dropped` would be untrue
  if (!from.gate || from.process == state_.gate.process) heard_ = now;
  return std::visit([&](const auto& each) { return on(each, from, now, out); }, word);
}

Answer ClientLink::answer(AnswerKind kind) const {
  return {kind, state_.bind, state_.run, state_.next, state_.turn, state_.gate, std::nullopt};
}

/// To an account whose bind is not above all that came before: it draws a new one.
Answer ClientLink::outdated() const {
  Answer old = answer(AnswerKind::old);
  old.bind = state_.top;
  return old;
}

/// To a word of another session, or of another bind than this one's. A session of a lower bind was
/// replaced; one of a higher bind is not known here yet.
Answer ClientLink::stranger(const SessionId& session, const Bind& bind) const {
  if (!linked() || bind > state_.bind) return answer(AnswerKind::not_linked);
  return answer(session == state_.session ? AnswerKind::dropped : AnswerKind::replaced);
}

// --- from the account ----------------------------------------------------------------------------

/// What is known of the requests of this login: the link's own knowledge is newest while it is
/// linked; after another subject the account hands it on. A subject can answer its own requests
/// alone, so others are open no more.
void ClientLink::take_closing(const SetLink& word) {
  const bool same_login = state_.login == word.login;
  if (same_login && linked()) return;
  if (!same_login) state_.open.clear();
  state_.login = word.login;
  if (word.closing && word.closing->login == word.login) {
    state_.up_done = word.closing->up_done;
    state_.since = word.closing->since;
    const auto& still = word.closing->open;
    std::erase_if(state_.open, [&](std::uint64_t u) {
      return u > state_.up_done || std::ranges::find(still, u) == still.end();
    });
  } else {
    state_.up_done = 0;
    state_.since = word.bind;
    state_.open.clear();
  }
}

Answer ClientLink::on(const SetLink& word, const Sender& from, LinkTime, Effects& out) {
  if (from.gate || !word.session) return answer(AnswerKind::refused);
  if (word.bind <= state_.top) return outdated();
  const bool same_session = state_.session == word.session;
  const bool same_login = state_.login == word.login && linked();
  if (state_.session && !same_session) {
    // A client that has re-entered learns from its next session what has become of its requests.
    End end{state_.session, word.bind, Reason::fault, std::nullopt};
    if (state_.login != word.login) {
      end.reason = Reason::replaced;
      end.closing = closing_word();
    }
    out.gates.push_back({state_.gate, std::move(end)});
  }
  // Calls are for the same session only; replies for the same login.
  keep_unsent([&](const Part& part) {
    return (part.kind == PartKind::call && same_session && linked()) ||
           (part.kind == PartKind::reply && same_login);
  });
  if (!same_session || !linked()) droppables_.clear();
  take_closing(word);
  if (!same_session || state_.turn <= word.turn) {
    state_.gate = word.gate;
    state_.turn = word.turn;
    state_.seal = word.seal;
  }
  state_.session = word.session;
  state_.account = word.account;
  state_.bind = state_.top = word.bind;
  state_.closing = state_.lost = false;
  state_.groups.clear();
  away_since_.reset();
  new_run(out);
  out.linked = true;
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const Unlink& word, const Sender& from, LinkTime, Effects& out) {
  if (from.gate) return answer(AnswerKind::refused);
  if (word.bind <= state_.top) return outdated();
  state_.top = word.bind;
  state_.lost = false;
  if (linked()) {
    out.gone = word.reason;
    say_last(word.reason, out);
  }
  Answer ok = answer(AnswerKind::ok);
  if (state_.login != 0) ok.closing = closing_word();
  return ok;
}

// --- from gates ----------------------------------------------------------------------------------

/// Turn orders gates, bind orders subjects. The passes are a chain: each shows the secret whose
/// seal came with the one before, so a gate that has given the session away cannot take it back.
Answer ClientLink::on(const Relink& word, const Sender& from, LinkTime, Effects& out) {
  if (!linked() || word.session != state_.session) return stranger(word.session, word.bind);
  if (from.gate && from.process != word.gate.process) return answer(AnswerKind::refused);
  if (word.turn == state_.turn && word.gate == state_.gate) return answer(AnswerKind::ok);
  const auto seal = seal_after(word, state_.turn, state_.seal);
  if (!seal) return answer(AnswerKind::refused);
  state_.turn = word.turn;
  state_.gate = word.gate;
  state_.seal = *seal;
  away_since_.reset();
  say_numbers(out);
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const Resync& word, const Sender& from, LinkTime, Effects& out) {
  if (!linked() || word.session != state_.session || word.bind > state_.bind) {
    return stranger(word.session, word.bind);
  }
  if (!obeys(word.session, from)) return answer(AnswerKind::refused);
  const bool its_run = word.bind == state_.bind && (word.run == state_.run || word.run == Run{});
  // It has all, and its hole is of the past: the next number shows it.
  const bool whole = word.run == state_.run && word.next == state_.next;
  if (its_run && !whole && !state_.full_due) {
    new_run(out);
  } else {
    say_numbers(out);
  }
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const Pulse& word, const Sender& from, LinkTime, Effects& out) {
  if (!linked() || word.session != state_.session || word.bind > state_.bind) {
    return stranger(word.session, word.bind);
  }
  if (!obeys(word.session, from)) return answer(AnswerKind::refused);
  say_numbers(out);
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const Credit& word, const Sender& from, LinkTime, Effects& out) {
  if (!obeys(word.session, from) || word.bind != state_.bind || word.run != state_.run ||
      word.n < state_.acked || word.n >= state_.next) {
    return answer(AnswerKind::dropped);
  }
  for (; state_.acked < word.n; ++state_.acked) {
    in_flight_ -= state_.sizes.front();
    state_.sizes.pop_front();
  }
  state_.allowed = std::min<std::uint64_t>(word.bytes, kMostCredit);
  out.news = wants_news();
  out.send = out.send || ready();
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const ClientGone& word, const Sender& from, LinkTime now, Effects& out) {
  if (!linked() || word.session != state_.session) return stranger(word.session, word.bind);
  if (!obeys(word.session, from)) return answer(AnswerKind::refused);
  away_since_ = now;  // its gate has no record any more: no last word
  let_go(Reason::away, out);
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const Unknown& word, const Sender& from, LinkTime now, Effects&) {
  if (!state_.session || word.session != state_.session || word.turn != state_.turn || !from.gate ||
      from.process != state_.gate.process) {
    return answer(AnswerKind::dropped);
  }
  gate_died(from.process, now);
  return answer(AnswerKind::ok);
}

Answer ClientLink::on(const Request& word, const Sender& from, LinkTime, Effects& out) {
  if (!linked() || word.session != state_.session || word.bind > state_.bind) {
    return stranger(word.session, word.bind);
  }
  if (word.turn < state_.turn || word.bind < state_.bind) return answer(AnswerKind::dropped);
  if (word.turn > state_.turn || !obeys(word.session, from)) return answer(AnswerKind::refused);
  if (word.u <= state_.up_done) return answer(AnswerKind::dropped);
  const bool full = !word.body.empty() && state_.open.size() == kRequestsOpen;
  if (word.u != state_.up_done + 1 || full) {
    let_go(Reason::fault, out);
    return answer(AnswerKind::dropped);
  }
  state_.up_done = word.u;
  if (!word.body.empty()) {
    state_.open.push_back(word.u);
    out.begin = Effects::Begin{state_.login, word.u, word.body};
  }
  return answer(AnswerKind::ok);
}

}  // namespace starbus::entity::sessions
