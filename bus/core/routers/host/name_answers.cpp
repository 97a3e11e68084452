#include "bus/core/routers/host/name_answers.hpp"

#include <cassert>
#include <string>

#include "bus/core/routers/host/host_name_requests.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {

Result<> NameAnswers::on_attached(ByteView payload) {
  const auto attached = decode<Attached>(payload);
  if (!attached) return attached.error();
  uplink_.note_epoch(attached->epoch);
  LocalProcess* const process = host_.table.by_id(attached->process);
  RouterLink* const link = process ? sessions_.session_of(*process) : nullptr;
  if (!link) return {};
  const ChannelId channel = channel_id(attached->name);
  const LocalName* present = host_.table.find(channel);
  const bool held = present && present->owner == process;
  if (!held && process->names.size() + process->claimed.size() >= process->role->name_limit()) {
    // Binds were under way when the limit was reached.
    uplink_.tell(Freed{process->id, channel, attached->ticket});
    tell_refused(host_, *link,
                 {process->id, attached->ticket, attached->name, Errc::too_many_names,
                  std::to_string(process->names.size()) + " are held"});
    return {};
  }
  host_.table.grant(*process, {attached->name, process, attached->epoch, attached->lineage,
                               attached->ticket, false});
  assert(host_.table.find(channel)->owner == process);
  host_.links.tell(*link, *attached);
  return {};
}

Result<> NameAnswers::on_refused(ByteView payload) {
  const auto refused = decode<Refused>(payload);
  if (!refused) return refused.error();
  const ChannelId channel = channel_id(refused->name);
  const LocalName* name = host_.table.find(channel);
  // A late answer to a repeated attach may come after the name was granted: ignored then.
  if (refused->ticket.is_bind() && name && name->owner->id == refused->process &&
      name->ticket == refused->ticket) {
    host_.table.release(channel);
  }
  if (LocalProcess* const process = host_.table.by_id(refused->process)) {
    host_.table.forget_copy(*process, channel, refused->ticket);
  }
  host_.forwarding.note_failure(channel, refused->process,
                                Error{refused->reason, refused->detail}.to_string());
  sessions_.tell(*refused);
  return {};
}

Result<> NameAnswers::on_unbound(ByteView payload) {
  const auto unbound = decode<Unbound>(payload);
  if (!unbound) return unbound.error();
  const LocalName* name = host_.table.find(unbound->channel);
  LocalProcess* const process = host_.table.by_id(unbound->process);
  if (process) host_.table.drop_claim(*process, unbound->channel, unbound->epoch);
  // A repeated answer may come after the name was bound again.
  if (name && name->owner->id == unbound->process && name->epoch <= unbound->epoch) {
    host_.table.release(unbound->channel);
  }
  sessions_.tell(*unbound);
  return {};
}

Result<> NameAnswers::on_rows_taken(ByteView payload) {
  const auto taken = decode<RowsTaken>(payload);
  if (!taken) return taken.error();
  LocalProcess* const process = host_.table.by_id(taken->process);
  // Only the answer to the latest report says what became of the present claims.
  if (!process || process->unanswered == 0 || --process->unanswered != 0) return {};
  for (const ChannelId& channel : taken->left_out) {
    host_.forwarding.note_failure(channel, process->id, "a claim that was never granted");
    host_.table.leave_out(*process, channel);
  }
  host_.table.confirm_claims(*process);
  sessions_.tell_room();
  return {};
}

Result<> NameAnswers::on_move_ok(ByteView payload) {
  const auto ok = decode<MoveOk>(payload);
  if (!ok) return ok.error();
  LocalProcess* const process = host_.table.by_id(ok->process);
  RouterLink* const link = process ? sessions_.session_of(*process) : nullptr;
  if (!link) return {};
  // Also of a name whose report busroot has not answered yet: or its frozen copy would be told to
  // the next busroot as active, and its process could not reclaim it.
  host_.table.confirm_claim(*process, ok->channel, ok->epoch);
  const LocalName* name = host_.table.find(ok->channel);
  if (name && name->owner == process && name->epoch == ok->epoch) {
    host_.table.freeze(*process, ok->channel, ok->ticket);
  }
  host_.links.tell(*link, *ok);
  return {};
}

Result<> NameAnswers::on_reclaimed(ByteView payload) {
  const auto reclaimed = decode<Reclaimed>(payload);
  if (!reclaimed) return reclaimed.error();
  uplink_.note_epoch(reclaimed->epoch);
  LocalProcess* const process = host_.table.by_id(reclaimed->process);
  RouterLink* const link = process ? sessions_.session_of(*process) : nullptr;
  if (!link) return {};
  const auto copy = process->moving.find(reclaimed->channel);
  if (copy != process->moving.end() && copy->second.ticket == reclaimed->ticket) {
    const std::string name = copy->second.name;
    host_.table.grant(
        *process, {name, process, reclaimed->epoch, reclaimed->lineage, reclaimed->ticket, false});
  }
  host_.links.tell(*link, *reclaimed);
  return {};
}

Result<> NameAnswers::on_moved(ByteView payload) {
  const auto moved = decode<Moved>(payload);
  if (!moved) return moved.error();
  // The row stays until the process sends FREED: this record may be lost on its link, and a
  // restarted busroot that does not hear of the copy would let the name move on and come back to
  // it.
  sessions_.tell(*moved);
  return {};
}

}  // namespace starbus::bus
