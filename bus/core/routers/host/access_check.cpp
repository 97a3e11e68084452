#include "bus/core/routers/host/access_check.hpp"

#include <algorithm>

#include "bus/core/routers/accounts.hpp"
#include "bus/core/routers/mail_opens.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kMaxOpened = 65'536;  // channels per session

bool checks_posts(const LocalProcess& process, const ChannelId& channel) {
  return process.role->restricted() && is_shard_channel(channel);
}

/// A malformed post is refused, too: a store of a later version may read more in it than this
/// program can.
bool may_post_to(const LocalProcess& process, ByteView message) {
  const auto post = decode_post(message);
  return post && process.role->may_send(post->head.name);
}

}  // namespace

bool AccessCheck::may_hold(const LocalProcess& process, std::string_view name) const {
  if (channel_id(name).high == kProcessTag || is_own_name(name)) {
    const bool known_server =
        !name.starts_with(kServerPrefix) || process.role->trust == Trust::server;
    return known_server && is_own_name_of(name, host_.config.host, process.node);
  }
  return process.role->may_bind(name);
}

Result<> AccessCheck::check_claim(const LocalProcess& process, std::string_view name,
                                  bool held) const {
  if (!may_hold(process, name)) {
    return Error{Errc::denied, "role \"" + process.role->name + "\" of busd.toml may not bind it"};
  }
  const std::size_t names = process.names.size() + process.claimed.size() + process.moving.size();
  if (!held && names >= process.role->name_limit() && !is_own_name(name)) {
    return Error{Errc::too_many_names, std::to_string(names) + " are held"};
  }
  if (held) return {};
  return room_for(process, 1, 0);
}

Result<> AccessCheck::room_for(const LocalProcess& process, std::size_t more,
                               std::size_t given_up) const {
  const std::size_t limit = host_.config.max_names;
  const std::size_t all = host_.table.names_held() - std::min(given_up, host_.table.names_held());
  if (within_share(all, more, all, limit)) return {};  // however many of them are the user's
  const std::size_t names = host_.table.held_by(process.user.uid).names;
  if (within_share(names - std::min(given_up, names), more, all, limit)) return {};
  return Error{Errc::too_many_names, "uid " + std::to_string(process.user.uid) + " holds " +
                                         std::to_string(names) + " of " + std::to_string(all) +
                                         " names of this host, which may have " +
                                         std::to_string(limit)};
}

Result<> AccessCheck::on_open(LocalProcess& process, ByteView payload) {
  const auto open = decode<Open>(payload);
  if (!open) return open.error();
  if (!check_channel_name(open->channel_name)) {
    return Error{Errc::bad_bytes, "open: invalid channel name"};
  }
  if (!process.role->restricted()) return {};
  const ChannelId channel = channel_id(open->channel_name);
  if (channel.high == kProcessTag) return {};
  if (!process.role->may_send(open->channel_name)) {
    return deny(process, "send to " + open->channel_name);
  }
  if (process.opened_count == kMaxOpened) {
    return Error{Errc::overloaded, "65536 channels are open; open a new session"};
  }
  if (process.opened[static_cast<std::size_t>(open->lane)].insert(channel).second) {
    ++process.opened_count;
  }
  return {};
}

bool AccessCheck::is_open(const LocalProcess& process, const ChannelId& channel, Lane lane) const {
  if (channel.high == kProcessTag || !process.role->restricted()) return true;
  return process.opened[static_cast<std::size_t>(lane)].contains(channel);
}

bool AccessCheck::may_say(const LocalProcess& process, const Run& run) const {
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
      // A ticket may name an earlier incarnation of this process: that is why it refuses.
      const bool own = refused && refused->ticket.target.channel() == process.id.channel();
      if (kind != Kind::state_refused || !own) return false;
    }
  }
  return true;
}

std::optional<Epoch> AccessCheck::held_epoch(const LocalProcess& process,
                                             const ChannelId& channel) const {
  if (process.claimed.contains(channel)) return std::nullopt;
  if (const auto copy = process.moving.find(channel); copy != process.moving.end()) {
    if (!copy->second.seen) return std::nullopt;
    return copy->second.epoch;
  }
  const LocalName* const name = host_.table.find(channel);
  return name != nullptr && name->owner == &process ? name->epoch : Epoch{};
}

bool AccessCheck::state_epochs(const LocalProcess& process, const Run& run, ByteView payload,
                               Bytes& record) const {
  return lower_epochs(run, payload, record,
                      [&](const ChannelId& channel) { return held_epoch(process, channel); });
}

bool AccessCheck::may_read(const LocalProcess& process, const MailOpen& open) const {
  if (open.target == PostTarget::log) return process.role->may_send(open.name);
  return may_hold(process, open.name);
}

bool AccessCheck::may_post(const LocalProcess& process, const Run& run) const {
  if (!checks_posts(process, run.channel)) return true;
  RunReader reader(run);
  while (const auto item = reader.next()) {
    if (!item->tombstone && !may_post_to(process, item->body)) return false;
  }
  return true;
}

bool AccessCheck::may_post(const LocalProcess& process, const ChannelId& channel,
                           ByteView message) const {
  return !checks_posts(process, channel) || may_post_to(process, message);
}

bool AccessCheck::within_rate(LocalProcess& process, std::uint64_t messages, std::uint64_t bytes) {
  const Role& role = *process.role;
  const Time now = host_.links.now();
  if (!process.messages.open(role.messages_per_second, now) ||
      !process.bytes.open(role.bytes_per_second, now)) {
    ++host_.counters.over_rate;
    host_.table.count_over_rate(process);
    return false;
  }
  process.messages.take(messages);
  process.bytes.take(bytes);
  return true;
}

Error AccessCheck::deny(const LocalProcess& process, const std::string& what) {
  ++host_.counters.denied;
  return {Errc::denied, "role \"" + process.role->name + "\" may not " + what};
}

}  // namespace starbus::bus
