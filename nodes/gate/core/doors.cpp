#include "nodes/gate/core/doors.hpp"

#include <utility>

#include "nodes/gate/core/downlink.hpp"
#include "nodes/gate/core/egress.hpp"
#include "nodes/gate/core/hand_overs.hpp"
#include "nodes/gate/core/subjects.hpp"
#include "nodes/gate/core/uplink.hpp"

namespace starbus::nodes::gate {
namespace {

Closed cut_off() {
  return {CloseReason::leaving, 0, "gate: cut off from the bus, go to another one"};
}

}  // namespace

bool may_reenter(CloseReason reason) {
  return reason == CloseReason::fault || reason == CloseReason::too_slow ||
         reason == CloseReason::window;
}

void Doors::opened(ConnectionId connection, std::string address) {
  doors_[connection].address = std::move(address);
}

void Doors::hang_up(ConnectionId connection, Closed why) {
  desk_.frame(connection, std::move(why));
  desk_.effects.push_back(HangUp{connection});
  doors_.erase(connection);
}

void Doors::frame(ConnectionId connection, const FromClient& frame) {
  const auto found = doors_.find(connection);
  if (found == doors_.end()) return;  // it was hung up on
  Door& door = found->second;
  if (!door.session) {
    if (const auto* login = std::get_if<Login>(&frame)) {
      return enter(connection, {{}, {}, login->method, login->account, login->proof, door.address},
                   false);
    }
    if (const auto* again = std::get_if<Resume>(&frame)) return resume(connection, *again);
  } else if (Session* const session = desk_.table.find(door.session);
             session != nullptr && session->connection == connection) {
    return in_session(connection, *session, frame);
  }
  ++desk_.counters.malformed;
  closed(connection, name_of(CloseReason::malformed));
  hang_up(connection, {CloseReason::malformed, 0, "frame: not at its place"});
}

void Doors::in_session(ConnectionId connection, Session& session, const FromClient& frame) {
  bool good = session.stage == Stage::live;
  if (const auto* ack = std::get_if<Ack>(&frame); good && ack != nullptr) {
    good = ack->c <= session.handed.c;  // else it was never sent
    if (good && session.window.holds(ack->c)) {
      const std::size_t before = session.window.bytes();
      session.window.ack(ack->c);
      session.credit.acked(before - session.window.bytes(), desk_.now);
      desk_.downlink->credit(session);
    }
  } else if (const auto* ask = std::get_if<Ask>(&frame); good && ask != nullptr) {
    good = desk_.uplink->ask(session, *ask);
  } else if (good && std::holds_alternative<Confirm>(frame)) {
    session.tokens.confirm();
    session.hand.shown = session.hand.turn;
  } else if (std::holds_alternative<Bye>(frame)) {
    return desk_.subjects->leave(session, CloseReason::ended, "bye");
  } else {
    good = false;
  }
  if (good) return;
  ++desk_.counters.malformed;
  closed(connection, name_of(CloseReason::malformed));
  hang_up(connection, {CloseReason::malformed, 0, "frame: not at its place, or not true"});
}

void Doors::refused_request(ConnectionId connection, const Ask& request, Body reply) {
  const auto found = doors_.find(connection);
  Session* const session =
      found == doors_.end() ? nullptr : desk_.table.find(found->second.session);
  if (session == nullptr || session->connection != connection || session->stage != Stage::live) {
    return;
  }
  if (!desk_.uplink->refuse(*session, request, std::move(reply))) ++desk_.counters.malformed;
}

void Doors::closed(ConnectionId connection, std::string_view why) {
  const auto found = doors_.find(connection);
  if (found == doors_.end()) return;
  const Door door = std::move(found->second);
  doors_.erase(found);
  if (door.give != 0) {
    waiting_.erase({door.session, door.give});
    return;
  }
  Session* const session = desk_.table.find(door.session);
  if (session == nullptr || session->connection != connection) return;
  session->connection = 0;
  session->away = desk_.now;
  desk_.part(*session, door.address, why, false);
  if (session->login_question != 0) {  // nobody knows of it yet
    forget_login(*session);
    return desk_.subjects->forget(*session);
  }
  desk_.table.wake(*session, desk_.now + desk_.options.times.away);
}

// --- a new session -------------------------------------------------------------------------------

void Doors::enter(ConnectionId connection, LoginAsk ask, bool reentry) {
  if (desk_.cut_off) return hang_up(connection, cut_off());
  if (leaving) return hang_up(connection, {CloseReason::leaving, 0, {}});
  if (desk_.table.size() >= desk_.options.sessions) {
    return hang_up(connection, {CloseReason::full, kRetryMs, "gate: full, try again"});
  }
  const SessionId id = desk_.keys.key();
  if (!id || desk_.table.find(id) != nullptr) {
    return hang_up(connection, {CloseReason::later, kRetryMs, {}});
  }
  if (!reentry) {
    ++desk_.counters.logins;
  } else if (doors_[connection].sought == nullptr) {
    ++desk_.counters.reentered;
  }
  Session& session = desk_.table.add(id);
  session.hand.secret = desk_.keys.key();
  session.opened = desk_.now;
  session.said_waiting = desk_.now;
  attach(session, connection);
  desk_.table.wake(session, desk_.now + desk_.options.times.waiting);
  ask.session = id;
  ask.gate = desk_.options.self;
  session.login_question = ++desk_.last_question;
  logins_[session.login_question] = id;
  desk_.effects.push_back(TellLogin{session.login_question, std::move(ask)});
}

void Doors::login_said(std::uint64_t question, const LoginAnswer& answer) {
  const auto found = logins_.find(question);
  if (found == logins_.end()) return;
  Session& session = *desk_.table.find(found->second);
  if (const auto* wait = std::get_if<LoginWaiting>(&answer)) {
    session.said_waiting = desk_.now;
    return desk_.frame(session.connection, Waiting{WaitsFor::place, wait->ahead, wait->seconds});
  }
  logins_.erase(found);
  session.login_question = 0;
  if (const auto* no = std::get_if<LoginRefused>(&answer)) {
    close(session, {no->reason, no->retry_ms, no->text});
    return desk_.subjects->forget(session);
  }
  const auto& in = std::get<LoginAdmitted>(answer);
  session.account = in.account;
  session.login = in.login;
  session.ticket = in.ticket;
  session.reentry = in.reentry;
  session.lost = desk_.now;
  say_waiting(session, WaitsFor::account);
  desk_.subjects->enter(session);
}

void Doors::forget_login(Session& session) {
  if (session.login_question == 0) return;
  logins_.erase(session.login_question);
  desk_.effects.push_back(ForgetLogin{std::exchange(session.login_question, 0)});
}

void Doors::attach(Session& session, ConnectionId connection) {
  Door& door = doors_[connection];
  door.session = session.id;
  door.give = 0;
  session.connection = connection;
  session.away.reset();
}

Welcome Doors::welcome_of(Session& session) {
  Welcome welcome;
  welcome.session = session.id;
  welcome.token = session.tokens.issue(desk_.keys);
  welcome.gate = desk_.options.self.channel;
  welcome.position = {session.hand.turn, session.window.state().acked};
  welcome.login = session.login;
  welcome.up_seen = session.requests.seen();
  welcome.up_bind = session.requests.bind();
  welcome.reentry = session.reentry;
  return welcome;
}

void Doors::welcome_new(Session& session) {
  if (session.connection == 0) return;
  desk_.frame(session.connection, welcome_of(session));
}

// --- a session that goes on ----------------------------------------------------------------------

void Doors::resume(ConnectionId connection, const Resume& frame) {
  if (desk_.cut_off) return hang_up(connection, cut_off());
  Session* const session = desk_.table.find(frame.session);
  Sought sought{frame, frame.position.turn};
  if (session == nullptr) {
    if (frame.gate.empty() || frame.gate == desk_.options.self.channel) {
      return reenter(connection, std::move(sought));
    }
    return ask_other(connection, std::move(sought), frame.gate, {});
  }
  if (session->stage == Stage::live) return resume_here(*session, connection, frame);
  if (session->given_away()) {
    const HandOver& hand = session->hand;
    if (desk_.homes.dead(hand.to.process)) return reenter(connection, std::move(sought));
    if (!hand.address.empty() && leaving) {
      desk_.frame(connection, GoTo{hand.address});
      return hang_up(connection, {CloseReason::leaving, 0, {}});
    }
    return ask_other(connection, std::move(sought), hand.to.channel, hand.to.process);
  }
  if (session->stage == Stage::ended && session->tokens.fits(frame.token) == TokenFits::yes) {
    if (may_reenter(session->reason)) return reenter(connection, std::move(sought));
    return hang_up(connection, {session->reason, 0, {}});
  }
  ++desk_.counters.refused_tokens;
  hang_up(connection, {CloseReason::token, 0, {}});
}

/// The token before anything else happens to the session.
std::optional<CloseReason> Doors::check(Session& session, const Key& token,
                                        const Position& position) {
  const TokenFits fits = session.tokens.fits(token);
  if (fits == TokenFits::erased) {
    ++desk_.counters.reused_tokens;
    desk_.subjects->leave(session, CloseReason::token_reused);
    return CloseReason::token_reused;
  }
  if (fits == TokenFits::no) {
    ++desk_.counters.refused_tokens;
    return CloseReason::token;
  }
  const HandOver& hand = session.hand;
  const bool its_turn = hand.shown <= position.turn && position.turn <= hand.turn;
  if (its_turn && session.window.holds(position.c)) return {};
  ++desk_.counters.refused_positions;
  return CloseReason::window;
}

void Doors::resume_here(Session& session, ConnectionId connection, const Resume& frame) {
  if (const auto no = check(session, frame.token, frame.position)) {
    return hang_up(connection, {*no, 0, {}});
  }
  if (session.connection != 0) close(session, {CloseReason::taken_over, 0, {}});
  ++desk_.counters.resumed;
  session.tokens.used(frame.token);
  attach(session, connection);
  session.window.ack(frame.position.c);
  Welcome welcome = welcome_of(session);
  welcome.goes_on = true;
  desk_.frame(connection, std::move(welcome));
  desk_.egress->begin(session, frame.position.c);
  desk_.downlink->credit(session);
}

void Doors::hang_up_all() {
  for (const auto& [connection, door] : doors_) {
    desk_.frame(connection, Closed{CloseReason::fault, 0, {}});
    desk_.effects.push_back(HangUp{connection});
  }
  for (const auto& [question, session] : logins_) desk_.effects.push_back(ForgetLogin{question});
  doors_.clear();
  waiting_.clear();
  logins_.clear();
}

// --- the end of a connection --------------------------------------------------------------------

void Doors::say_waiting(Session& session, WaitsFor what) {
  session.said_waiting = desk_.now;
  desk_.frame(session.connection, Waiting{what, 0, 0});
  if (session.connection != 0) {
    desk_.table.wake(session, desk_.now + desk_.options.times.waiting);
  }
}

void Doors::close(Session& session, Closed why) {
  if (session.connection == 0) return;
  if (session.stage != Stage::ended) {
    desk_.part(session, address_of(session), name_of(why.reason), false);
  }
  const ConnectionId connection = std::exchange(session.connection, 0);
  session.away = desk_.now;
  desk_.table.wake(session, desk_.now + desk_.options.times.away);
  hang_up(connection, std::move(why));
}

std::string Doors::address_of(const Session& session) const {
  const auto door = doors_.find(session.connection);
  return door == doors_.end() ? std::string() : door->second.address;
}

void Doors::send_elsewhere(Session& session, const std::string& address) {
  if (!address.empty()) desk_.frame(session.connection, GoTo{address});
  close(session, {CloseReason::leaving, 0, {}});
}

void Doors::turn_away(Session& session) {
  if (session.connection == 0) return;
  ++desk_.counters.cut_off;
  close(session, cut_off());
  if (session.login_question == 0) return;
  forget_login(session);  // nobody knows of the session yet
  desk_.subjects->forget(session);
}

}  // namespace starbus::nodes::gate
