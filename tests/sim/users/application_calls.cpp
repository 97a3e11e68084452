// Calls as the client library makes them: request, reply, deadline, withdrawal.
#include <algorithm>

#include "tests/sim/users/application.hpp"
#include "tests/sim/users/message_body.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

using bus::Lane;

bool Application::call(NameIndex to, Lane lane, bus::Time deadline) {
  if (!node_.core().may_send("entity/any")) return false;
  note_outbox_progress();
  const std::vector<MessageId> ids = issue({node_.process_name(), life_}, {to}, lane);
  const std::uint64_t number = next_call_++;
  const bus::Bytes body =
      encode_body({BodyKind::request, ids[0], number, node_.core().reply_lineage()}, 0);
  const auto seq = node_.core().origin().send(destination(to, false), lane, {}, body, ids[0], {});
  known_ = node_.core().origin().mark();
  if (!seq) {
    retract(ids, body.size(), false);
    return false;
  }
  ++world_.counts[Event::calls];
  calls_[number] = {ids[0], world_.now() + deadline, to, lane, *seq};
  node_.pump_soon();
  return true;
}

void Application::answer(const bus::Process& caller, Lane lane, bus::Lineage lineage,
                         std::uint64_t call) {
  const std::optional<NameIndex> to = world_.find_name(caller.channel());
  if (!to) return;
  note_outbox_progress();
  const std::vector<MessageId> ids = issue({node_.process_name(), life_}, {*to}, lane);
  const bus::Bytes body = encode_body({BodyKind::reply, ids[0], call, {}}, 0);
  const auto sent =
      node_.core().origin().send({caller.channel(), lineage, {}}, lane, {}, body, ids[0], {});
  if (!sent) retract(ids, body.size(), false);
  known_ = node_.core().origin().mark();
  hinted_ = true;
}

void Application::end_call(std::uint64_t call) {
  calls_.erase(call);
}

void Application::tick() {
  const bus::Time now = world_.now();
  for (auto at = calls_.begin(); at != calls_.end();) {
    const auto present = at++;
    const PendingCall& call = present->second;
    if (call.deadline > now) continue;
    node_.core().withdraw(world_.name(call.to).id, call.lane, call.seq);
    world_.oracle.withdrawn(call.request);
    ++world_.counts[Event::deadlines];
    calls_.erase(present);
  }
  note_outbox_progress();
  mail_.tick();
  logs_.tick();
}

bool Application::calls_overdue(bus::Time now) const {
  return std::ranges::any_of(
      calls_, [&](const auto& item) { return item.second.deadline + from_ms(1000) < now; });
}

}  // namespace starbus::sim
