#include "nodes/gate/core/gate_core.hpp"

#include <utility>

#include "base/give_back.hpp"

namespace starbus::nodes::gate {

GateCore::GateCore(GateOptions options, KeySource& keys)
    : desk_(std::move(options), keys),
      doors_(desk_),
      downlink_(desk_),
      egress_(desk_),
      hand_overs_(desk_),
      subjects_(desk_),
      uplink_(desk_) {
  desk_.doors = &doors_;
  desk_.downlink = &downlink_;
  desk_.egress = &egress_;
  egress_.set(desk_.options.budget);
  desk_.hand_overs = &hand_overs_;
  desk_.subjects = &subjects_;
  desk_.uplink = &uplink_;
}

void GateCore::opened(ConnectionId connection, std::string address) {
  if (fenced_) return desk_.effects.push_back(HangUp{connection});
  doors_.opened(connection, std::move(address));
}
void GateCore::frame(ConnectionId connection, const FromClient& frame) {
  doors_.frame(connection, frame);
}
void GateCore::refused_request(ConnectionId connection, const Ask& request, Body reply) {
  doors_.refused_request(connection, request, std::move(reply));
}
void GateCore::closed(ConnectionId connection, std::string_view why) {
  doors_.closed(connection, why);
}

void GateCore::bundle(const bus::Process& home, bus::ByteView bytes) {
  if (!fenced_) downlink_.bundle(home, bytes);
}
void GateCore::told(const sessions::ToGate& word) {
  subjects_.told(word);
}
std::optional<Taken> GateCore::told(const bus::Process& gate, const GateWord& word) {
  if (fenced_)
    return std::holds_alternative<Take>(word) ? std::optional(Taken::full) : std::nullopt;
  return hand_overs_.told(gate, word);
}
bool GateCore::announce(const bus::Process& origin, std::uint64_t number, std::string group,
                        Body body) {
  return downlink_.announce({origin, number, std::move(group), std::move(body)});
}

bool GateCore::speak() {
  if (!fenced_) downlink_.speak(kTickSlice);
  return speaking();
}

void GateCore::outcome(std::uint64_t question, Outcome outcome, bus::ByteView bytes) {
  const auto found = desk_.questions.find(question);
  if (found == desk_.questions.end()) return;
  const Question asked = found->second;
  desk_.questions.erase(found);
  switch (asked.kind) {
    case Question::Kind::bind:
    case Question::Kind::seek:
    case Question::Kind::where:
    case Question::Kind::relink_account:
      return subjects_.account_said(asked, outcome, bytes);
    case Question::Kind::relink_subject:
    case Question::Kind::pulse:
    case Question::Kind::resync:
    case Question::Kind::request:
      return subjects_.subject_said(asked, outcome, bytes);
    case Question::Kind::take:
      return hand_overs_.take_outcome(asked, outcome, bytes);
    case Question::Kind::give:
      if (outcome != Outcome::ok) doors_.give_failed(asked);
      return;
  }
}
void GateCore::login_said(std::uint64_t question, const LoginAnswer& answer) {
  doors_.login_said(question, answer);
}

void GateCore::died(const bus::Process& process) {
  desk_.homes.died(process);
  doors_.gate_died(process);
  hand_overs_.gate_died(process);
}

// --- time ----------------------------------------------------------------------------------------

bool GateCore::tick(GateTime now) {
  desk_.now = now;
  if (fenced_) return false;
  if (unlinked_ && now - *unlinked_ >= desk_.options.times.suspect) turn_away(kTickSlice);
  std::size_t left = kTickSlice;
  for (; left > 0; --left) {
    const auto orphan = desk_.homes.next_of_dead();
    if (!orphan) break;
    Session* const session = desk_.table.find(orphan->first);
    // What its home had not said yet will not come.
    if (session != nullptr && session->order.home() == orphan->second) downlink_.resync(*session);
  }
  for (; left > 0; --left) {
    Session* const session = desk_.table.next_due(now);
    if (session == nullptr) break;
    wake(*session);
  }
  left -= egress_.turns(left);
  left -= downlink_.speak(left);
  doors_.tick(kTickSlice);
  hand_overs_.tick(kTickSlice);
  return left == 0;
}

void GateCore::wake(Session& session) {
  const GateTimes& times = desk_.options.times;
  switch (session.stage) {
    case Stage::giving:
      return;
    case Stage::stub:
    case Stage::ended:
      if (desk_.now >= session.until) return subjects_.forget_late(session);
      return desk_.table.wake(session, session.until);
    case Stage::fresh:
      // Its client has hung up, and has no token of it: it has entered anew since, maybe at another
      // gate, and a bind that is asked for now would end that session.
      if (session.connection == 0 && session.login_question == 0 && !session.binding) {
        return subjects_.forget(session);
      }
      subjects_.work(session);
      if (session.login_question == 0 && desk_.now - session.said_waiting >= times.waiting) {
        doors_.say_waiting(session, WaitsFor::account);
      }
      return desk_.table.wake(session, desk_.now + times.waiting);
    case Stage::live:
      return wake_live(session);
  }
}

void GateCore::wake_live(Session& session) {
  const GateTimes& times = desk_.options.times;
  const GateTime now = desk_.now;
  if (session.away && now - *session.away >= times.away) {
    return subjects_.leave(session, CloseReason::ended, "away");
  }
  subjects_.work(session);
  if (session.hole && now - *session.hole >= session.patience) downlink_.due_hole(session);
  if (session.over && now - *session.over >= times.pulse) {
    session.over = now;
    subjects_.locate(session);
  }
  const bool again = session.request_waits && now >= session.again_at;
  if (again || now - session.heard >= times.pulse) {
    session.again_at = now + times.pulse;
    downlink_.pulse(session);
    downlink_.credit(session);
  }
  const bool lost = session.order.next() == 1 || session.locating;
  if (!lost) {
    session.lost.reset();
  } else if (!session.lost) {
    session.lost = now;
  }
  if (session.connection != 0 && lost && now - session.said_waiting >= times.waiting) {
    doors_.say_waiting(session, WaitsFor::subject);
  }
  GateTime next = session.heard + times.pulse;
  if (session.away) next = std::min(next, *session.away + times.away);
  if (session.hole) next = std::min(next, *session.hole + session.patience);
  if (session.over) next = std::min(next, *session.over + times.pulse);
  if (session.request_waits) next = std::min(next, session.again_at);
  desk_.table.wake(session, std::max(next, now + GateTime(1)));
}

void GateCore::input_drained() {
  downlink_.input_drained();
}
void GateCore::drain(std::vector<DrainTarget> targets) {
  hand_overs_.drain(std::move(targets));
}
void GateCore::end_drain() {
  hand_overs_.end_drain();
}

void GateCore::linked(bool there) {
  if (there) {
    unlinked_.reset();
    desk_.cut_off = false;
  } else if (!unlinked_) {
    unlinked_ = desk_.now;
  }
}

/// Once through the table: from the first call on nobody is let in.
void GateCore::turn_away(std::size_t most) {
  if (!std::exchange(desk_.cut_off, true)) turned_away_ = {};
  for (; most > 0; --most) {
    Session* const session = desk_.table.after(turned_away_);
    if (session == nullptr) return;
    turned_away_ = session->id;
    doors_.turn_away(*session);
  }
}

void GateCore::fence() {
  fenced_ = true;
  doors_.hang_up_all();
  while (Session* const session = desk_.table.after({})) desk_.table.erase(session->id);
  desk_.questions.clear();
}

bool GateCore::give(const SessionId& id, const GateId& to, const std::string& address) {
  Session* const session = desk_.table.find(id);
  return session != nullptr && hand_overs_.give(*session, to, address);
}

std::vector<Effect> GateCore::take() {
  return std::exchange(desk_.effects, {});
}

void GateCore::take(std::vector<Effect>& into) {
  constexpr std::size_t kKept = 64;  // of what a busy moment needed
  into.clear();
  if (into.capacity() > kKept) give_back(into);
  std::swap(into, desk_.effects);
}

}  // namespace starbus::nodes::gate
