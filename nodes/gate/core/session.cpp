#include "nodes/gate/core/session.hpp"

#include <limits>

namespace starbus::nodes::gate {
namespace {

constexpr GateTime kNever = GateTime::max();

}  // namespace

SessionState Session::state() const {
  switch (stage) {
    case Stage::fresh:
      return SessionState::fresh;
    case Stage::giving:
      return SessionState::giving;
    case Stage::stub:
      return SessionState::stub;
    case Stage::ended:
      return SessionState::ended;
    case Stage::live:
      break;
  }
  if (connection == 0) return SessionState::away;
  return order.next() > 1 ? SessionState::bound : SessionState::binding;
}

Session* SessionTable::find(const SessionId& id) {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : found->second;
}

Session& SessionTable::add(const SessionId& id) {
  auto made = std::make_unique<Session>();
  made->id = id;
  made->due = kNever;
  index_[id] = made.get();
  return *(sessions_[id] = std::move(made));
}

void SessionTable::erase(const SessionId& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  due_.erase({found->second->due, id});
  index_.erase(id);
  sessions_.erase(found);
}

void SessionTable::wake(Session& session, GateTime at) {
  if (session.due <= at) return;
  due_.erase({session.due, session.id});
  session.due = at;
  due_.insert({at, session.id});
}

Session* SessionTable::next_due(GateTime now) {
  if (due_.empty() || due_.begin()->first > now) return nullptr;
  Session* const session = find(due_.begin()->second);
  due_.erase(due_.begin());
  session->due = kNever;
  return session;
}

Session* SessionTable::after(const SessionId& id) {
  const auto next = sessions_.upper_bound(id);
  return next == sessions_.end() ? nullptr : next->second.get();
}

}  // namespace starbus::nodes::gate
