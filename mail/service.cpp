#include "mail/service.hpp"

#include <algorithm>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "mail/limits.hpp"
#include "mail/shards/shard_row.hpp"

namespace starbus::mail {
MailService::MailService(storage::Store& store, std::string host, std::vector<std::uint8_t> shards,
                         MailQuota quota, Hooks hooks)
    : store_(store),
      host_(std::move(host)),
      hooks_(std::move(hooks)),
      mail_(store, *this, std::move(quota)),
      exports_(store, export_way()),
      import_(host_, import_way()) {
  for (const std::uint8_t shard : shards) shards_[shard].phase = Phase::free;
  for (unsigned shard = 0; shard < kShards; ++shard) read_place(static_cast<std::uint8_t>(shard));
}

/// What the store says of a shard counts more than the configuration.
void MailService::read_place(std::uint8_t shard) {
  const auto stored = store_.get(place_key(shard));
  if (stored && !*stored) return;
  const auto row = stored ? decode_place(**stored) : std::nullopt;
  if (!row) return broken(shard, "it is not known whether it is kept here: its row is damaged");
  shards_[shard].phase = row->keeping == Keeping::kept ? Phase::free : Phase::away;
  if (row->keeping == Keeping::elsewhere) {
    if (has_rows(store_, shard)) erase(shard);  // the last attempt found no room on the disk
    return;
  }
  if (row->keeping == Keeping::kept) return;
  const auto arrived = mail_.lineage(shard);
  import_.found(shard, *row, arrived ? *arrived : Lineage{});
}

bool MailService::serves(std::uint8_t shard) const {
  const auto found = shards_.find(shard);
  return found != shards_.end() && found->second.phase == Phase::held;
}

bool MailService::keeps(std::uint8_t shard) const {
  const auto found = shards_.find(shard);
  return found != shards_.end() && found->second.phase != Phase::away;
}

bool MailService::lacks(std::uint8_t shard) const {
  const auto found = shards_.find(shard);
  if (found == shards_.end()) return false;
  const Phase phase = found->second.phase;
  return phase == Phase::free || phase == Phase::asked || phase == Phase::broken;
}

void MailService::turn() {
  if (mail_.turn() && !std::exchange(more_, true)) {
    post([this, weak = std::weak_ptr(alive_)] {
      if (weak.lock()) more_ = false;  // whoever runs this has a turn afterwards
    });
  }
  if (stopped_ || !disk_has_room()) return;
  exports_.settled(mail_.ended());
  if (!greeted_) return;
  exports_.tick();
  import_.tick();
  if (hooks_.now_ms() < next_try_ms_) return;
  if (!refusals_.empty()) report_refusals();
  if (!left_.empty()) report_left();
  for (const auto& [number, shard] : shards_) {
    if (shard.phase == Phase::free && mail_.ended() >= shard.after) bind(number);
  }
}

void MailService::bind(std::uint8_t shard) {
  const auto lineage = mail_.lineage(shard);
  if (!lineage) return broken(shard, lineage.error().to_string());
  const auto binding = core_->bind_durable(shard_name(shard), *lineage);
  if (!binding && binding.error() == Errc::already_bound) {  // it has not quite gone yet
    next_try_ms_ = hooks_.now_ms() + in_ms(kShardRelease);
    return;
  }
  if (!binding) return broken(shard, binding.error().to_string());
  bindings_[*binding] = shard;
  shards_[shard].phase = Phase::asked;
}

void MailService::broken(std::uint8_t shard, const std::string& why) {
  shards_[shard].phase = Phase::broken;
  hooks_.trouble(shard_name(shard) + " is not served: " + why);
}

void MailService::on_welcome(bool) {
  if (std::exchange(greeted_, true)) return;
  (void)core_->watch(kProcesses);
  (void)core_->watch(std::string(bus::kStores));
}

/// Readers, and moves of shards, end with their process.
void MailService::on_watch(const std::string& prefix, const std::vector<bus::WatchRow>& changes,
                           bool) {
  if (prefix != kProcesses) return;
  for (const bus::WatchRow& row : changes) {
    mail_.process_gone(row.owner, row.present);
    exports_.process_gone(row.owner, row.present);
    import_.process_gone(row.owner, row.present);
  }
}

void MailService::on_mail_lost(const ChannelId& process) {
  mail_.reader_lost(process);
  exports_.process_lost(process);
  import_.process_lost(process);
}

void MailService::on_durable_bound(bus::BindingId binding, Epoch, Lineage lineage) {
  const std::uint8_t shard = bindings_.at(binding);
  const auto reading = mail_.open(shard, lineage);
  if (reading) return;
  // Without its streams the shard must take nothing.
  broken(shard, reading.error().to_string());
  bindings_.erase(binding);
  (void)core_->unbind(shard_channel(shard).id());
}

void MailService::opened(std::uint8_t shard, const std::vector<FilterRow>& filter) {
  shards_[shard].phase = Phase::held;
  core_->accept_durable(shard_channel(shard).id(), filter);
}

void MailService::on_bind_refused(bus::BindingId binding, const Error& reason) {
  const auto found = bindings_.find(binding);
  if (found == bindings_.end()) return;
  const std::uint8_t shard = found->second;
  bindings_.erase(found);
  shards_[shard].phase = Phase::free;
  next_try_ms_ = hooks_.now_ms() + in_ms(kShardRetry);
  const bool left = reason == Errc::already_bound && leave_to_owner(shard);
  if (!left) refusals_[reason.to_string()].push_back(shard);
}

/// A shard that another host serves, and of which nothing is here, is only listed here. It would
/// begin empty when that host is down for a moment, and the mail there would be out of reach: so
/// that it is there is noted, and counts from now on.
bool MailService::leave_to_owner(std::uint8_t shard) {
  const auto owner = owner_of(shard);
  if (!owner || owner->host == host_ || has_rows(store_, shard)) return false;
  shards_[shard].phase = Phase::away;
  left_[owner->host].push_back(shard);
  storage::Batch batch;
  batch.use_reserve();
  batch.put(place_key(shard), encode(PlaceRow{Keeping::elsewhere, 0, owner->host}));
  commit(std::move(batch), [](const storage::Result<>&) {});  // or the next start finds it again
  return true;
}

/// One line for all shards, and not again while nothing changes: it is asked for every second.
void MailService::report_refusals() {
  std::string text;
  for (auto& [reason, shards] : std::exchange(refusals_, {})) {
    std::ranges::sort(shards);
    text += (text.empty() ? "" : "; ") + std::string("the shards ") + bus::shards_text(shards) +
            " are not served here: " + reason;
  }
  if (text != reported_) {
    hooks_.trouble(
        text +
        "; asked for again each second. If another host goes on serving them, two "
        "stores keep them: see docs/operate/mail-tools.md, \"Two stores with one shard\"");
  }
  reported_ = std::move(text);
}

void MailService::report_left() {
  for (auto& [host, shards] : std::exchange(left_, {})) {
    std::ranges::sort(shards);
    hooks_.trouble("host " + host + " has the shards " + bus::shards_text(shards) +
                   ", and they stay there: take them out of [mail] shards here, or bring them with "
                   "starbus-mail move");
  }
}

void MailService::on_lease_lost() {
  bindings_.clear();
  for (auto& [number, shard] : shards_) {
    mail_.close(number);
    const bool ours = shard.phase == Phase::asked || shard.phase == Phase::held;
    if (ours) shard = {Phase::free, mail_.begun()};
    if (ours) exports_.closed(number);
  }
}

void MailService::on_item(const StreamId& stream, std::uint64_t seq, ByteView body,
                          bool tombstone) {
  mail_.post(stream, seq, body, tombstone);
}

/// What is no such record comes from a broken or hostile process: nothing follows. Nor does it
/// where answers would only pile up, since what was said before is not acknowledged.
void MailService::on_mail(const Process& from, bus::Kind kind, ByteView payload) {
  const bool wants_answer =
      kind == bus::Kind::mail_open || kind == bus::Kind::mail_ack || kind == bus::Kind::shard_take;
  const bus::Origin& origin = core_->origin();
  if (wants_answer && origin.unacknowledged_bytes(from.channel(), bus::kMailLane) > kMostUnheard)
    return;
  if (is_shard(kind)) return on_shard(from, kind, payload);
  if (kind == bus::Kind::mail_open) {
    auto open = bus::decode<bus::MailOpen>(payload);
    if (open && bus::check_channel_name(open->name)) {
      const ReaderId id{from, open->token};
      mail_.open_reader(id, std::move(*open));
    }
  } else if (kind == bus::Kind::mail_ack) {
    auto ack = bus::decode<bus::MailAck>(payload);
    if (ack) mail_.acknowledge({from, ack->token}, std::move(*ack));
  } else if (kind == bus::Kind::mail_consumed) {
    if (const auto consumed = bus::decode<bus::MailConsumed>(payload)) {
      mail_.consumed({from, consumed->token}, consumed->bytes);
    }
  } else if (kind == bus::Kind::mail_end) {
    if (const auto end = bus::decode<bus::MailEnd>(payload)) mail_.end_reader({from, end->token});
  }
}

void MailService::say(const Process& reader, Lineage hint, ByteView record) {
  core_->send_mail_record(reader, hint, record);
}

/// Readers that take nothing fill the window of this process. That holds up nobody else: whoever
/// has acknowledged all gets the next record.
bool MailService::has_room(const Process& reader) {
  const bus::Origin& origin = core_->origin();
  return origin.has_room(reader.channel(), bus::kMailLane) ||
         !origin.unacknowledged(reader.channel(), bus::kMailLane);
}

void MailService::on_repeat(const StreamId& stream) {
  mail_.repeat(stream);
}

void MailService::stored(const StreamId& stream, std::uint64_t last,
                         std::span<const PostResult> results) {
  core_->durable().stored(stream, last, results);
}

void MailService::answer(const StreamId& stream, std::span<const PostResult> kept) {
  core_->durable().answer(stream, kept);
}

void MailService::refused(const StreamId& stream, std::uint64_t last) {
  core_->durable().refused(stream, last);
}

void MailService::forget(const StreamId& stream) {
  core_->durable().forget(stream);
}

/// Nobody is told anything any more; the names go, so that those who post see that nobody is there.
void MailService::stopped(const storage::Error& reason) {
  // An fsync on a full disk does not say what it kept. Once there is room again the store knows,
  // and everybody asks it as after a restart.
  const bool unknown = reason == storage::Errc::io_error;
  disk_was_full_ = unknown && store_.report().state != storage::State::stopped;
  stopped_ = !disk_was_full_;
  for (auto& [number, shard] : shards_) {
    mail_.close(number);
    const bool ours = shard.phase == Phase::held || shard.phase == Phase::asked;
    if (ours) (void)core_->unbind(shard_channel(number).id());
    if (stopped_) {
      shard.phase = Phase::broken;
      continue;
    }
    if (ours) shard = {Phase::free, mail_.begun()};
    // One that stands still for its move, too: the rows that it would be given with are read as
    // they are, and may have that batch in part.
    exports_.closed(number);
  }
  if (disk_was_full_)
    return hooks_.trouble("the disk was full: " + reason.to_string() +
                          "; shards are served again when there is room");
  import_.store_stopped();
  hooks_.stopped(reason);
}

/// False: there is no room yet, and nothing is asked for.
bool MailService::disk_has_room() {
  if (!disk_was_full_) return true;
  if (store_.report().state == storage::State::full) return false;
  disk_was_full_ = false;
  mail_.go_on();
  return true;
}

}  // namespace starbus::mail
