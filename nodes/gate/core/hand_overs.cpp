#include "nodes/gate/core/hand_overs.hpp"

#include <utility>

#include "nodes/gate/core/doors.hpp"
#include "nodes/gate/core/downlink.hpp"
#include "nodes/gate/core/subjects.hpp"
#include "nodes/gate/core/uplink.hpp"

namespace starbus::nodes::gate {

std::optional<Taken> HandOvers::told(const bus::Process& from, const GateWord& word) {
  if (const auto* give_word = std::get_if<Give>(&word)) {
    on_give(*give_word, 1);
  } else if (const auto* no = std::get_if<NoGive>(&word)) {
    desk_.doors->not_given(no->session, no->number, no->reason, no->reenter);
  } else if (const auto* take = std::get_if<Take>(&word)) {
    return on_take(from, *take);
  } else if (const auto* late = std::get_if<Forwarded>(&word)) {
    on_forwarded(*late);
  } else {
    on_stub_done(std::get<StubDone>(word));
  }
  return {};
}

// --- giving --------------------------------------------------------------------------------------

void HandOvers::on_give(const Give& word, std::uint8_t hops) {
  if (word.taker == desk_.options.self || word.taker.channel.empty()) return;
  const auto no = [&](CloseReason reason, bool reenter) {
    desk_.effects.push_back(
        TellGate{0, word.taker.channel, NoGive{word.session, word.number, reason, reenter}});
  };
  Session* const session = desk_.table.find(word.session);
  if (session == nullptr) return no(CloseReason::token, true);
  switch (session->stage) {
    case Stage::giving:
    case Stage::stub:
      if (desk_.homes.dead(session->hand.to.process)) return no(CloseReason::token, true);
      return forward(*session, word, hops);
    case Stage::ended:
      if (session->tokens.fits(word.token) != TokenFits::yes) return no(CloseReason::token, false);
      return no(session->reason, may_reenter(session->reason));
    case Stage::fresh:
      return no(CloseReason::token, false);
    case Stage::live:
      break;
  }
  if (const auto reason = desk_.doors->check(*session, word.token, word.position)) {
    return no(*reason, may_reenter(*reason));
  }
  desk_.doors->close(*session, Closed{CloseReason::taken_over, 0, {}});
  session->away = desk_.now;
  if (!give(*session, word.taker, word.address)) no(CloseReason::window, true);
}

Take HandOvers::record_of(const Session& session) const {
  Take take;
  take.giver = desk_.options.self;
  take.session = session.id;
  take.account = session.account;
  take.subject = session.subject;
  take.login = session.login;
  take.reentry = session.reentry;
  take.away = session.away ? desk_.now - *session.away : GateTime{};
  take.tokens = session.tokens.state();
  take.hand = session.hand;
  take.hand.to = {};
  take.hand.address.clear();
  take.hand.confirmed.reset();
  take.hand.direct.reset();
  take.order = session.order.state();
  take.window = session.window.state();
  take.requests = session.requests.state();
  take.groups.assign(session.groups.begin(), session.groups.end());
  take.spoken = session.spoken.origins();
  return take;
}

bool HandOvers::give(Session& session, const GateId& to, const std::string& address) {
  if (session.stage != Stage::live || to == desk_.options.self) return false;
  Take take = record_of(session);
  bus::Bytes size;
  if (!encode(take, size)) return false;
  desk_.doors->send_elsewhere(session, address);
  session.stage = Stage::giving;
  session.hand.to = to;
  session.hand.address = address;
  session.until = GateTime::max();
  ++desk_.counters.given;
  const std::uint64_t question =
      desk_.ask({Question::Kind::take, session.id, session.hand.turn, {}});
  desk_.effects.push_back(TellGate{question, to.channel, std::move(take)});
  return true;
}

void HandOvers::take_outcome(const Question& question, Outcome outcome, bus::ByteView bytes) {
  Session* const session = desk_.table.find(question.session);
  if (session == nullptr) return;
  if (session->drained) {
    session->drained = false;
    if (giving_ > 0) --giving_;
  }
  if (session->stage != Stage::giving || session->hand.turn != question.number) return;
  const auto answer = decode_taken(bytes);
  const bool lost = outcome == Outcome::owner_lost || (outcome == Outcome::ok && !answer);
  if (lost || (outcome == Outcome::ok && *answer == Taken::taken)) {
    session->stage = Stage::stub;  // the other gate has it, or may have had it
    desk_.part(*session, {}, "given", true);
    session->until = desk_.now + desk_.options.times.stub;
    return desk_.table.wake(*session, session->until);
  }
  undo(*session);
}

/// The take was not handled. What was forwarded since then is lost: it is asked for again.
void HandOvers::undo(Session& session) {
  ++desk_.counters.undone;
  session.stage = Stage::live;
  session.hand.to = {};
  if (!session.away) session.away = desk_.now;
  session.give_at = desk_.now + desk_.options.times.pulse;
  desk_.table.wake(session, desk_.now + desk_.options.times.pulse);
  session.locating = session.telling_subject = session.pulsing = session.resyncing = false;
  session.relinking = false;
  session.relink_due = !session.hand.givers.empty();
  desk_.uplink->again(session);
  desk_.downlink->suspect(session);
  desk_.downlink->pulse(session);
  desk_.subjects->locate(session);
}

void HandOvers::gate_died(const bus::Process& process) {
  // Its records are gone: a stub to it is of no use, and its client re-enters (Doors::resume).
  std::erase_if(targets_, [&](const DrainTarget& each) { return each.gate.process == process; });
}

// --- forwarding ----------------------------------------------------------------------------------

void HandOvers::forward(Session& session, decltype(Forwarded::what) what, std::uint8_t hops) {
  if (hops > kForwardHops) return;
  ++desk_.counters.forwarded;
  desk_.effects.push_back(
      TellGate{0, session.hand.to.channel, Forwarded{session.id, hops, std::move(what)}});
}

void HandOvers::on_forwarded(const Forwarded& word) {
  Session* const session = desk_.table.find(word.session);
  const auto* give_word = std::get_if<Give>(&word.what);
  if (give_word != nullptr) {
    if (give_word->session != word.session) return;
    return on_give(*give_word, static_cast<std::uint8_t>(word.hops + 1));
  }
  if (session == nullptr || session->stage == Stage::ended || session->stage == Stage::fresh) {
    return;
  }
  if (session->stage != Stage::live) {
    return forward(*session, word.what, static_cast<std::uint8_t>(word.hops + 1));
  }
  if (const auto* parts = std::get_if<ForwardedParts>(&word.what)) {
    if (parts->at.session == session->id) desk_.downlink->forwarded(*session, *parts);
  } else if (const auto* spoken = std::get_if<ForwardedSpoken>(&word.what)) {
    desk_.downlink->spoken(*session, *spoken);
  } else if (const auto* bound = std::get_if<sessions::Bound>(&word.what)) {
    if (bound->session == session->id) desk_.subjects->told(*bound);
  } else if (const auto* end = std::get_if<sessions::End>(&word.what)) {
    if (end->session == session->id) desk_.subjects->told(*end);
  }
}

// --- taking --------------------------------------------------------------------------------------

Taken HandOvers::on_take(const bus::Process& from, const Take& word) {
  if (word.giver.process != from || word.giver == desk_.options.self) return Taken::refused;
  Session* have = desk_.table.find(word.session);
  if (have != nullptr) {
    if (!have->given_away() || have->hand.turn > word.hand.turn) return Taken::refused;
  } else if (desk_.table.size() >= desk_.options.sessions || draining_) {
    return Taken::full;
  } else {
    have = &desk_.table.add(word.session);
  }
  ++desk_.counters.taken;
  adopt(*have, word);
  return Taken::taken;
}

void HandOvers::adopt(Session& session, const Take& word) {
  desk_.downlink->leave_groups(session);
  const GateTime due = session.due;
  Session fresh;
  fresh.id = word.session;
  fresh.due = due;
  fresh.drained = session.drained;  // its take has no answer yet
  fresh.stage = Stage::live;
  fresh.opened = desk_.now;
  fresh.account = word.account;
  fresh.subject = word.subject;
  fresh.login = word.login;
  fresh.reentry = word.reentry;
  fresh.away = desk_.now - std::min(word.away, desk_.options.times.away);
  fresh.tokens = TokenPair(word.tokens);
  fresh.order = PartOrder(word.order);
  fresh.window = PacketWindow(word.window);
  fresh.requests = RequestTable(word.requests);
  fresh.spoken = SpokenSeen(word.spoken);
  fresh.hand = word.hand;
  fresh.hand.take_over(word.giver, desk_.options.self, desk_.keys.key());
  fresh.heard = desk_.now;
  session = std::move(fresh);
  for (const std::string& group : word.groups) {
    session.groups.insert(group);
    desk_.groups.join(group, session.id);
  }
  desk_.table.wake(session, desk_.now + desk_.options.times.pulse);
  if (session.order.hole()) desk_.downlink->suspect(session);
  relink_subject(session);
  relink_account(session);
  desk_.uplink->again(session);
  const bus::Process home = session.order.home();
  if (home != bus::Process{}) {
    if (desk_.homes.dead(home)) {
      desk_.downlink->resync(session);
    } else {
      desk_.homes.watch(home, session.id);
    }
  }
  desk_.doors->given(session);
}

sessions::Relink HandOvers::relink_of(const Session& session) const {
  return {session.id, session.order.bind(), session.hand.turn, desk_.options.self,
          session.hand.passes};
}

void HandOvers::relink_account(Session& session) {
  if (session.relinking || session.stage != Stage::live) return;
  session.relinking = true;
  session.relink_due = false;
  session.ask_at = desk_.now + desk_.options.times.pause;
  const std::uint64_t question =
      desk_.ask({Question::Kind::relink_account, session.id, session.hand.turn, {}});
  desk_.effects.push_back(TellAccount{question, session.account, relink_of(session)});
}

void HandOvers::relink_subject(Session& session) {
  // An account that is the subject hears it as account.
  if (session.telling_subject || session.subject.empty() || session.hand.turn == 1 ||
      session.subject == session.account) {
    return;
  }
  session.telling_subject = true;
  const std::uint64_t question =
      desk_.ask({Question::Kind::relink_subject, session.id, session.hand.turn, {}});
  desk_.effects.push_back(TellSubject{question, session.subject, relink_of(session)});
}

// --- stubs ---------------------------------------------------------------------------------------

void HandOvers::settle(Session& session) {
  if (session.hand.settled()) settle_all(session);
}

void HandOvers::settle_all(Session& session) {
  for (const GateId& giver : std::exchange(session.hand.givers, {})) {
    desk_.effects.push_back(TellGate{0, giver.channel, StubDone{session.id, session.hand.turn}});
  }
}

void HandOvers::on_stub_done(const StubDone& word) {
  Session* const session = desk_.table.find(word.session);
  if (session == nullptr || session->stage != Stage::stub) return;
  if (session->hand.turn < word.turn) desk_.subjects->forget(*session);
}

// --- drain ---------------------------------------------------------------------------------------

void HandOvers::drain(std::vector<DrainTarget> targets) {
  draining_ = true;
  desk_.doors->leaving = true;
  targets_ = std::move(targets);
  walked_ = {};
}

void HandOvers::end_drain() {
  closing_ = true;
  targets_.clear();
  walked_ = {};
  kept_ = 0;
}

void HandOvers::tick(std::size_t most) {
  if (!draining_ || (targets_.empty() && !closing_)) return;
  for (; most > 0 && (closing_ || giving_ < kGivesAtOnce); --most) {
    Session* const session = desk_.table.after(walked_);
    if (session == nullptr) {
      walked_ = {};  // those that came back, or were fresh, the next time
      emptied_ = std::exchange(kept_, 0) == 0;
      return;
    }
    walked_ = session->id;
    if (session->stage != Stage::ended) ++kept_;
    if (closing_) {
      desk_.doors->close(*session, Closed{CloseReason::leaving, 0, {}});
      continue;
    }
    if (session->stage != Stage::live || desk_.now < session->give_at) continue;
    const DrainTarget& to = targets_[next_target_++ % targets_.size()];
    if (!give(*session, to.gate, to.address)) continue;
    session->drained = true;
    ++giving_;
  }
}

}  // namespace starbus::nodes::gate
