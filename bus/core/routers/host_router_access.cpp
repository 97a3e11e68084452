// What a process may say inside its messages, where its role lists what it may bind and send to.
#include "bus/core/routers/host_router.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {

/// Messages to the library of a process: a process tells the states of its own moves only, and
/// reads the mail of names that its role may own, and logs that it may write to, and takes or gives
/// the shards that it may keep. What else is said about mail, its receiver checks.
bool HostRouter::may_say(const LocalProcess& process, const Run& run) const {
  RunReader reader(run);
  while (const auto item = reader.next()) {
    if (!item->system) continue;
    if (item->body.size() < kRecordHeader) return false;
    const auto kind = static_cast<Kind>(item->body[sizeof(std::uint32_t)]);
    const ByteView payload = item->body.subspan(kRecordHeader);
    if (kind == Kind::state) {
      const auto state = decode<State>(payload);
      const bool own = state && state->ticket.source == process.id &&
                       state->ticket.target.channel() == run.channel;
      if (!own || !may_hold(process, state->name)) return false;
    } else if (kind == Kind::mail_open) {
      const auto open = decode<MailOpen>(payload);
      if (!open || !may_read(process, *open)) return false;
    } else if (const auto shard = shard_in(kind, payload)) {
      if (!may_hold(process, shard_name(*shard))) return false;
    } else if (!is_mail(kind)) {
      const auto refused = decode<StateRefused>(payload);
      // Of an earlier incarnation of its own, too: that is why it refuses.
      const bool own = refused && refused->ticket.target.channel() == process.id.channel();
      if (kind != Kind::state_refused || !own) return false;
    }
  }
  return true;
}

bool HostRouter::may_read(const LocalProcess& process, const MailOpen& open) const {
  if (open.target == PostTarget::log) return process.role->may_send(open.name);
  return may_hold(process, open.name);
}

/// The channel of a shard is open to whoever posts at all; the mailbox or log that a message there
/// is for stands in its head, and needs to be in `send` as any channel does.
bool HostRouter::checks_posts(const LocalProcess& process, const ChannelId& channel) const {
  return process.role->restricted() && is_shard_channel(channel);
}

bool HostRouter::may_post(const LocalProcess& process, const Run& run) const {
  if (!checks_posts(process, run.channel)) return true;
  RunReader reader(run);
  while (const auto item = reader.next()) {
    if (!item->tombstone && !may_post(process, item->body)) return false;
  }
  return true;
}

/// What is no post is refused, too: a store of a later version may read more in it than this
/// program can.
bool HostRouter::may_post(const LocalProcess& process, ByteView message) const {
  const auto post = decode_post(message);
  return post && process.role->may_send(post->head.name);
}

}  // namespace starbus::bus
