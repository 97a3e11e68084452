// Clients whose session another gate has: that is asked for it, or the account where it is.
#include <utility>

#include "nodes/gate/core/doors.hpp"
#include "nodes/gate/core/subjects.hpp"

namespace starbus::nodes::gate {

void Doors::ask_other(ConnectionId connection, Sought sought, const std::string& channel,
                      const bus::Process& process) {
  if (leaving) return hang_up(connection, {CloseReason::leaving, 0, {}});
  if (waiting_.size() >= kGivesWaiting) {
    return hang_up(connection, {CloseReason::later, kRetryMs, {}});
  }
  const Resume& frame = sought.resume;
  const std::uint64_t number = ++gives_;
  Door& door = doors_[connection];
  door.session = frame.session;
  door.give = number;
  desk_.frame(connection, Waiting{WaitsFor::gate, 0, 0});
  const std::uint64_t question = desk_.ask({Question::Kind::give, frame.session, number, {}});
  desk_.effects.push_back(TellGate{question, channel,
                                   Give{frame.session, frame.token, frame.position,
                                        desk_.options.self, desk_.options.address, number}});
  const SessionId session = frame.session;
  waiting_[{session, number}] = {std::move(sought), connection, desk_.now, desk_.now, process};
}

void Doors::reenter(ConnectionId connection, Sought sought) {
  const Resume& frame = sought.resume;
  if (frame.reentry.empty()) return hang_up(connection, {CloseReason::token, 0, {}});
  Door& door = doors_[connection];
  LoginAsk ask{{}, {}, kReentryMethod, {}, frame.reentry, door.address};
  // A client that names no gate does not want its session.
  if (frame.session && !frame.gate.empty())
    door.sought = std::make_unique<Sought>(std::move(sought));
  enter(connection, std::move(ask), true);
}

std::optional<SessionId> Doors::sought(const Session& fresh) const {
  const auto door = doors_.find(fresh.connection);
  if (door == doors_.end() || door->second.sought == nullptr) return {};
  return door->second.sought->resume.session;
}

/// Each turn is asked for once: the next gate had the session later than all before.
bool Doors::found(Session& fresh, const sessions::AccountAnswer& said) {
  const ConnectionId connection = fresh.connection;
  const auto door = doors_.find(connection);
  if (door == doors_.end() || door->second.sought == nullptr) return false;
  Sought sought = std::move(*std::exchange(door->second.sought, nullptr));
  Session* const here = desk_.table.find(sought.resume.session);
  GateId gate = said.gate;
  std::uint32_t turn = said.kind == sessions::AccountAnswerKind::bound ? said.turn : 0;
  if (here != nullptr && here->given_away() && here->hand.turn >= turn) {
    // The account has not heard of that hand-over yet.
    gate = here->hand.to;
    turn = here->hand.turn + 1;
  }
  const bool is_here = here != nullptr && here->stage == Stage::live;
  const bool is_there = turn > sought.turn && !gate.channel.empty() &&
                        gate.channel != desk_.options.self.channel &&
                        !desk_.homes.dead(gate.process);
  if (!is_here && !is_there) {
    ++desk_.counters.reentered;
    return false;
  }
  ++desk_.counters.found;
  desk_.subjects->forget(fresh);
  door->second.session = {};
  if (is_here) {
    resume_here(*here, connection, sought.resume);
  } else {
    sought.turn = turn;
    ask_other(connection, std::move(sought), gate.channel, gate.process);
  }
  return true;
}

/// The one that came last is the client, if several show the right token.
void Doors::given(Session& session) {
  for (auto next = waiting_.lower_bound({session.id, 0});
       next != waiting_.end() && next->first.first == session.id;
       next = waiting_.lower_bound({session.id, 0})) {
    const Waiter waiter = stop_waiting(next);
    if (session.stage == Stage::live) {
      resume_here(session, waiter.connection, waiter.sought.resume);
    } else {
      hang_up(waiter.connection, {session.reason, 0, {}});
    }
  }
}

Doors::Waiter Doors::stop_waiting(Waiters::iterator at) {
  Waiter waiter = std::move(at->second);
  waiting_.erase(at);
  Door& door = doors_[waiter.connection];
  door.give = 0;
  door.session = {};
  return waiter;
}

void Doors::not_given(const SessionId& session, std::uint64_t number, CloseReason reason,
                      bool again) {
  const auto found = waiting_.find({session, number});
  if (found == waiting_.end()) return;
  Waiter waiter = stop_waiting(found);
  if (again) return reenter(waiter.connection, std::move(waiter.sought));
  hang_up(waiter.connection, {reason, reason == CloseReason::later ? kRetryMs : 0, {}});
}

void Doors::give_failed(const Question& question) {
  not_given(question.session, question.number, CloseReason::token, true);
}

void Doors::gate_died(const bus::Process& process) {
  // Those who wait for a gate by its name alone hear from the bus (give_failed), or by kGiveTime.
  for (auto& [key, waiter] : waiting_) {
    if (waiter.gate == process) waiter.since = desk_.now - desk_.options.times.give;
  }
}

void Doors::tick(std::size_t most) {
  for (; most > 0 && !waiting_.empty(); --most) {
    auto next = waiting_.upper_bound(walked_);
    if (next == waiting_.end()) {
      walked_ = {};
      return;
    }
    walked_ = next->first;
    Waiter& waiter = next->second;
    if (desk_.now - waiter.since >= desk_.options.times.give) {
      not_given(walked_.first, walked_.second, CloseReason::later, true);
    } else if (desk_.now - waiter.said >= desk_.options.times.waiting) {
      waiter.said = desk_.now;
      desk_.frame(waiter.connection, Waiting{WaitsFor::gate, 0, 0});
    }
  }
}

}  // namespace starbus::nodes::gate
