// What posts, new readers and acknowledgements do to the boxes of a batch.
#include <algorithm>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/core/name.hpp"
#include "bus/core/sabotage.hpp"
#include "busd/mail/dead_letters.hpp"
#include "busd/mail/lost_row.hpp"
#include "busd/mail/mail.hpp"

namespace starbus::bus::busd::mail {
namespace {

/// What a sender or a reader is told of an error of the disk that concerns its box alone.
Error refusal_of(const storage::Error& error) {
  return {error == storage::Errc::corrupt ? Errc::corrupt : Errc::io_error, error.to_string()};
}

}  // namespace

// --- posts ---------------------------------------------------------------------------------------

void Mail::add(const Post& post, storage::Batch& batch) {
  Shard* const shard = shard_of(post.stream.channel);
  if (shard == nullptr) return;  // given up meanwhile
  // Messages come in runs of a stream.
  if (batch_->latest == nullptr || batch_->latest->first != post.stream) {
    batch_->latest = &*batch_->streams.try_emplace(post.stream).first;
  }
  ShardStreams::Change& change = batch_->latest->second;
  change.last = post.seq;
  if (post.tombstone) return;
  PostLimit limit = PostLimit::unknown;
  const Result<std::uint64_t> number = store(*shard, post, batch, limit);
  ++(number ? batch_->counters.stored : batch_->counters.refused);
  change.results.push_back(
      number ? PostResult{post.seq, Errc::ok, *number}
             : PostResult{post.seq, number.error().code, static_cast<std::uint64_t>(limit)});
}

/// `limit`: which one it was, of what is refused because it is full.
Result<std::uint64_t> Mail::store(Shard& shard, const Post& post, storage::Batch& batch,
                                  PostLimit& limit) {
  const auto refuse = [&limit](Errc code, PostLimit which) {
    limit = which;
    return Error{code};
  };
  const auto& decoded = post.decoded;
  if (!decoded) return decoded.error();
  const PostHead& head = decoded->head;
  const ChannelId& id = post.box;
  if (bus::shard_of(id) != shard.number) return Error{Errc::bad_name, "of another shard"};
  if (is_dead_letters(head.name)) return Error{Errc::denied, "the store alone writes there"};
  if (decoded->body.size() > kMaxPostBody) return Error{Errc::too_large};

  const std::string key = head.key.empty() ? "" : post_key(shard.number, id, head.key);
  if (!key.empty()) {
    const auto before = seen_before(key);
    if (!before) return before.error();
    if (*before) return **before;  // also on a full disk: it was stored, whatever is refused now
  }
  if (batch_->refusing) return refuse(Errc::store_full, PostLimit::disk);
  auto found = find_box(shard, id, head.name, head.target);
  if (!found) return found.error();
  static const BoxRow kNone;
  const BoxRow& row = *found ? *(*found)->box.row : kNone;
  const std::size_t size = decoded->body.size();
  if (head.target == PostTarget::mailbox && row.count() >= quota_.box_messages) {
    return refuse(Errc::mailbox_full, PostLimit::box_messages);
  }
  if (head.target == PostTarget::mailbox && row.bytes() + size > quota_.box_bytes) {
    return refuse(Errc::mailbox_full, PostLimit::box_bytes);
  }
  if (quota_.total_bytes != 0 && batch_->bytes + size > quota_.total_bytes) {
    return refuse(Errc::store_full, PostLimit::total_bytes);
  }
  Place place = claim(std::move(*found), shard, id, head.name, head.target);
  const std::uint64_t number = put_message(place, head.trace, decoded->body, batch);
  if (!key.empty()) batch_->keys[key] = {number, shell_.wall_ms()};
  return number;
}

/// The number of the message that had this idempotency key first.
Result<std::optional<std::uint64_t>> Mail::seen_before(const std::string& key) {
  std::optional<std::uint64_t> number;
  if (const auto again = batch_->keys.find(key); again != batch_->keys.end()) {
    number = again->second.number;
  } else {
    const auto stored = store_.get(key);
    if (!stored) return refusal_of(stored.error());
    if (!stored->has_value()) return number;
    const auto row = decode_key(**stored);
    if (!row) return Error{Errc::corrupt};
    number = row->number;
  }
  ++batch_->counters.repeated_keys;
  return number;
}

/// No value: there is none yet. denied: there is, and of the other kind.
Result<std::optional<Mail::Place>> Mail::find_box(Shard& shard, const ChannelId& id,
                                                  std::string_view name, PostTarget target) {
  const auto box = boxes_.find(shard.number, id);
  if (!box) return refusal_of(box.error());
  std::optional<Place> place;
  if (!*box) return place;
  const BoxRow& row = *(*box)->row;
  const bool other = row.decided() && row.kind != target;
  if (other || row.name != name) return Error{Errc::denied, denial(row.kind)};
  place.emplace(shard, id, **box);
  return place;
}

/// What find_box has found, of this kind from now on: by its first message, or by the owner of its
/// name.
Mail::Place Mail::claim(std::optional<Place> found, Shard& shard, const ChannelId& id,
                        std::string_view name, PostTarget kind) {
  if (found && found->box.row->kind == kind) return *found;
  if (!found) ++totals_of(shard).boxes;
  return {shard, id, boxes_.make(id, name, kind)};
}

/// Of a shard as they will be after this batch.
Totals& Mail::totals_of(const Shard& shard) {
  return batch_->totals.try_emplace(shard.number, shard.totals).first->second;
}

std::uint64_t Mail::put_message(Place& place, ByteView trace, ByteView body,
                                storage::Batch& batch) {
  BoxRow& row = *place.box.row;
  boxes_.touch(place.id);
  const bool again = sabotaged(Sabotage::log_numbers_again) && row.kind == PostTarget::log;
  if (again && row.count() == 0) row.last = row.floor = 0;
  ++row.last;
  row.total += body.size();
  scratch_.clear();
  encode(MessageRow{shell_.wall_ms(), row.total, as_text(trace), as_text(body)}, scratch_);
  batch.put(message_key(place.shard.number, place.id, row.last), as_text(scratch_));
  Totals& totals = totals_of(place.shard);
  ++totals.messages;
  totals.bytes += body.size();
  batch_->bytes += body.size();
  if (row.kind == PostTarget::log) trim_log(place, quota_.of_log(row.name), batch);
  return row.last;
}

// --- readers -------------------------------------------------------------------------------------

/// A reader is told at once where it begins, of what is durable: a player who logs in waits for no
/// disk. Nothing is sent to it before its epoch is there, so an earlier owner that a crash lets in
/// again can have been told nothing that this one was told, too.
/// What this batch erases is still there for it: nobody knows yet that it will be gone.
/// Whoever reads a log changes nothing: if there is none, it waits for the first message.
void Mail::add(Opening& opening, storage::Batch& batch) {
  const MailOpen& open = opening.open;
  if (opening.told && readers_.find(opening.id) == nullptr) return;  // it has ended since
  Shard* const shard = shard_at(bus::shard_of(opening.box));
  if (shard == nullptr) return refuse(opening, {Errc::busy, "the shard has left"});
  if (open.target == PostTarget::mailbox && is_dead_letters(open.name)) {
    return refuse(opening, {Errc::denied, denial(PostTarget::log)});
  }
  const bool full = !opening.told && readers_.full(opening.id.process);
  if (full) return refuse(opening, {Errc::busy, "too many readers"});
  auto found = find_box(*shard, opening.box, open.name, open.target);
  if (!found) {  // by what comes before it in this batch, perhaps, which may yet be refused
    batch_->then.emplace_back([this, opening, why = found.error()] { refuse(opening, why); });
    return;
  }
  const std::uint64_t durable = *found ? (*found)->box.durable : 0;
  const std::uint64_t gone = *found ? (*found)->box.gone : 0;
  const auto ahead = [&] {
    return Error{Errc::cursor_ahead, "the latest is " + std::to_string(durable)};
  };
  if (!open.from_end && open.after > durable) return refuse(opening, ahead());
  if (open.target == PostTarget::mailbox) {
    if (*found && open.epoch < (*found)->box.row->reader) {
      return refuse(opening, {Errc::superseded, "a later owner has opened it"});
    }
    if (open.settled > durable) return refuse(opening, ahead());
    Place place = claim(std::move(*found), *shard, opening.box, open.name, open.target);
    if (place.box.row->reader < open.epoch) {
      place.box.row->reader = open.epoch;
      boxes_.touch(opening.box);
    }
    settle(place, open.settled, batch);
  }
  if (!std::exchange(opening.told, true)) {
    Readers::Session session;
    session.shard = shard->number;
    session.box = opening.box;
    session.target = open.target;
    session.epoch = open.epoch;
    session.reply = open.reply;
    const bool skips = sabotaged(Sabotage::log_reader_skips) && open.target == PostTarget::log;
    session.position = open.from_end || skips ? durable : std::max(open.after, gone);
    session.last = durable;
    session.window = std::min<std::uint64_t>(open.window, kMaxMailWindow);
    session.held = true;
    say(opening.id, open.reply, {open.token, Errc::ok, {}, session.position, durable});
    readers_.add(opening.id, session);
  }
  batch_->then.emplace_back([this, id = opening.id] {
    const Readers::Session* const session = readers_.find(id);
    if (session == nullptr) return;  // it was told
    const auto box = boxes_.find(session->shard, session->box);
    if (!box) return readers_.end(id, Errc::busy, box.error().to_string());
    // What was posted behind it in this batch counts, too: of that nobody will be told again.
    readers_.release(id, *box ? (*box)->durable : 0);
  });
}

void Mail::refuse(const Opening& opening, const Error& reason) {
  if (opening.told) return readers_.end(opening.id, reason.code, reason.detail);
  const MailOpen& open = opening.open;
  say(opening.id, open.reply, {open.token, reason.code, reason.detail, 0, 0});
}

void Mail::say(const ReaderId& id, Lineage hint, const MailOpened& opened) {
  Bytes record;
  encode(opened, record);
  shell_.say(id.process, hint, record);
}

void Mail::add(const Acknowledgement& acknowledgement, storage::Batch& batch) {
  const auto& [id, ack] = acknowledgement;
  const Readers::Session* const session = readers_.find(id);
  if (session == nullptr || session->target != PostTarget::mailbox) return;
  const auto end = [&](Errc reason, const std::string& detail) {
    batch_->then.emplace_back(
        [this, id = id, reason, detail] { readers_.end(id, reason, detail); });
  };
  Shard* const shard = shard_at(session->shard);
  if (shard == nullptr) return;  // its reader was told
  if (ack.upto > session->position) return end(Errc::bad_bytes, "settles what was not sent");
  const auto box = boxes_.find(shard->number, session->box);
  if (!box || !*box) return end(Errc::corrupt, box ? "it is gone" : box.error().to_string());
  Place place{*shard, session->box, **box};
  const BoxRow& row = *place.box.row;
  if (session->epoch < row.reader) return end(Errc::superseded, "by a later owner");
  if (!ack.reject.empty() && ack.upto > row.floor) {
    if (batch_->refusing) return end(Errc::busy, "the disk is full");
    const auto buried = bury(place, ack.upto, ack.reject, batch);
    batch_->put_off = !buried && buried.error() == Errc::would_block;
    if (batch_->put_off) return;
    if (!buried) return end(Errc::busy, buried.error().to_string());
  }
  settle(place, ack.upto, batch);
  batch_->then.emplace_back([this, id = id, reply = session->reply, upto = ack.upto] {
    Bytes record;
    encode(MailAcked{id.token, upto}, record);
    shell_.say(id.process, reply, record);
  });
}

/// Erases everything up to `upto`, which is durable.
void Mail::settle(Place& place, std::uint64_t upto, storage::Batch& batch) {
  BoxRow& row = *place.box.row;
  if (upto <= row.floor) return;
  const std::uint8_t shard = place.shard.number;
  const std::uint64_t count = upto - row.floor;
  if (count <= kErasedSingly) {
    for (std::uint64_t number = row.floor + 1; number <= upto; ++number) {
      batch.erase(message_key(shard, place.id, number));
    }
  } else {
    batch.erase_range(message_key(shard, place.id, row.floor + 1),
                      message_key(shard, place.id, upto + 1));
    ++batch_->ranges;
  }
  // Totals are absolute: if this one cannot be read, the next that can sets it right.
  std::string value;
  const auto latest = message(place, upto, value);
  const std::uint64_t before = row.floor_total;
  if (upto == row.last) {
    row.floor_total = row.total;
  } else if (latest) {
    row.floor_total = std::clamp(latest->total, row.floor_total, row.total);
  }
  row.floor = upto;
  boxes_.touch(place.id);
  Totals& totals = totals_of(place.shard);
  totals.messages -= std::min(totals.messages, count);
  totals.bytes -= std::min(totals.bytes, row.floor_total - before);
  batch_->counters.settled += count;
}

/// Keeps a copy of what is about to be erased, with the reason. would_block: not in this batch.
Result<> Mail::bury(Place& place, std::uint64_t number, const std::string& reason,
                    storage::Batch& batch) {
  std::string value;
  const auto row = message(place, number, value);
  if (!row || is_lost(*row)) return {};  // it cannot be read, which its reader was told
  const bool fits = may_erase_more() && batch.bytes() + row->body.size() <= kBatchBytes;
  if (!fits && !batch.empty()) return Error{Errc::would_block};
  Bytes letter;
  encode_dead_letter({place.box.row->name, number, row->time_ms, reason, as_bytes(row->body)},
                     letter);
  const std::string& name = dead_letters_log(place.shard.number);
  const ChannelId id = channel_id(name);
  auto found = find_box(place.shard, id, name, PostTarget::log);
  if (!found) return found.error();
  Place log = claim(std::move(*found), place.shard, id, name, PostTarget::log);
  put_message(log, {}, letter, batch);
  ++batch_->counters.dead_letters;
  // The log may have pushed the mailbox from its place.
  const auto again = boxes_.find(place.shard.number, place.id);
  if (!again || !*again) return Error{Errc::corrupt};
  place.box = **again;
  return {};
}

std::optional<MessageRow> Mail::message(const Place& place, std::uint64_t number,
                                        std::string& value) const {
  auto stored = store_.get(message_key(place.shard.number, place.id, number));
  if (!stored || !stored->has_value()) return std::nullopt;
  value = std::move(**stored);
  return decode_message(value);
}

// --- what has outlived its time ------------------------------------------------------------------

void Mail::add(const Sweeper::Found& found, storage::Batch& batch) {
  for (const std::string& key : found.keys) batch.erase(key);
  for (const StreamId& stream : found.streams) {
    const Shard* const shard = shard_of(stream.channel);
    if (shard == nullptr || batch_->streams.contains(stream)) continue;
    shard->streams.erase(stream, batch);
    batch_->forgotten.push_back(stream);
  }
  for (const Sweeper::Aged& aged : found.boxes) age(aged, batch);
}

void Mail::age(const Sweeper::Aged& aged, storage::Batch& batch) {
  Shard* const shard = shard_at(aged.shard);
  if (shard == nullptr || !may_erase_more()) return;
  const auto box = boxes_.find(aged.shard, aged.box);
  if (!box || !*box) return;
  Place place{*shard, aged.box, **box};
  const std::uint64_t before = place.box.row->floor;
  std::uint64_t upto = std::min(aged.upto, place.box.durable);
  if (place.box.row->kind == PostTarget::mailbox) {
    if (batch_->refusing) return;  // there is no room for the letters now
    upto = std::min(upto, before + kBuriedAtOnce);
    // What was buried is settled in the same batch; the rest has its turn later.
    for (std::uint64_t number = before + 1; number <= upto; ++number) {
      if (!bury(place, number, "too old", batch)) upto = number - 1;
    }
  }
  if (upto <= before) return;
  settle(place, upto, batch);
  batch_->counters.settled -= upto - before;
  batch_->counters.aged += upto - before;
}

void Mail::add(const Purge& purge, storage::Batch& batch) {
  const auto end = [&](Result<std::uint64_t> result) {
    batch_->then.emplace_back([done = purge.done, result = std::move(result)] { done(result); });
  };
  Shard* const shard = shard_at(bus::shard_of(purge.box));
  if (shard == nullptr) return end(Error{Errc::no_owner, "this host does not keep its shard"});
  const auto box = boxes_.find(shard->number, purge.box);
  if (!box) return end(refusal_of(box.error()));
  if (!*box) return end(Error{Errc::no_owner, "no such mailbox or log"});
  Place place{*shard, purge.box, **box};
  const std::uint64_t floor = place.box.row->floor;
  const std::uint64_t upto = std::min(purge.upto, place.box.durable);
  settle(place, upto, batch);
  const std::uint64_t count = place.box.row->floor - floor;
  batch_->counters.settled -= count;
  batch_->counters.purged += count;
  end(count);
}

// --- logs ----------------------------------------------------------------------------------------

/// Of what is on the disk: a batch may not erase what it puts.
void Mail::trim_log(Place& place, const LogQuota& quota, storage::Batch& batch) {
  BoxRow& row = *place.box.row;
  std::uint64_t upto = row.floor;
  if (quota.messages != 0 && row.count() > quota.messages) upto = row.last - quota.messages;
  if (sabotaged(Sabotage::log_trims_too_much) && upto > row.floor) ++upto;
  // An eighth more than allowed, so that a look at the rows serves for many appends.
  if (quota.bytes != 0 && row.bytes() > quota.bytes + quota.bytes / 8) {
    upto = std::max(upto, first_within(place, quota.bytes) - 1);
  }
  upto = std::min(upto, place.box.durable);
  if (upto <= row.floor) return;
  const std::uint64_t count = upto - row.floor;
  settle(place, upto, batch);
  batch_->counters.settled -= count;
  batch_->counters.trimmed += count;
}

/// The first number whose message and all later ones have at most so many bytes. By halves: the
/// rows know the totals up to them.
std::uint64_t Mail::first_within(const Place& place, std::uint64_t bytes) const {
  const BoxRow& row = *place.box.row;
  std::uint64_t low = row.floor + 1;
  std::uint64_t high = place.box.durable + 1;
  std::string value;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto found = message(place, middle, value);
    // What comes after `middle` is too much: the first is later. So is it if it cannot be read.
    const bool too_much = !found || row.total - std::min(row.total, found->total) > bytes;
    if (too_much) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // At `low` the rest after it fits; it itself may not.
  return std::min(low + 1, place.box.durable + 1);
}

}  // namespace starbus::bus::busd::mail
