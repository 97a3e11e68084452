// What new readers and acknowledgements do to the boxes of a batch.
#include <algorithm>
#include <cassert>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/dead_letters.hpp"
#include "mail/lost_row.hpp"
#include "mail/mail.hpp"
#include "mail/store_limit.hpp"

namespace starbus::mail {

/// Answers a reader at once with its start, from durable rows: a login does not wait for the disk.
/// No message is sent before the reader's epoch is durable, so an earlier owner that a crash lets
/// in again cannot have received the same messages. The reader still sees what this batch erases.
/// Opening a log changes nothing; if the log does not exist, the reader waits for its first
/// message.
void Mail::add(Opening& opening, storage::Batch& batch) {
  const bus::MailOpen& open = opening.open;
  if (opening.told && readers_.find(opening.id) == nullptr) return;  // it has ended since
  Shard* const shard = shard_at(bus::shard_of(opening.box));
  if (shard == nullptr)
    return refuse(opening, {Errc::busy, "the shard is not served here any more"});
  if (open.target == PostTarget::mailbox && is_dead_letters(open.name)) {
    return refuse(opening, {Errc::denied, denial(PostTarget::log)});
  }
  const bool full = !opening.told && readers_.full(opening.id.process);
  if (full) return refuse(opening, {Errc::busy, "too many readers"});
  auto found = find_box(*shard, opening.box, open.name, open.target);
  if (!found) {  // perhaps an earlier item of this batch caused it, which may yet be refused
    batch_->then.emplace_back([this, opening, why = found.error()] { refuse(opening, why); });
    return;
  }
  const std::uint64_t durable = *found ? (*found)->box.durable : 0;
  const std::uint64_t gone = *found ? (*found)->box.gone : 0;
  const auto ahead = [&](std::uint64_t cursor) {
    return Error{Errc::cursor_ahead, "this reader is at " + std::to_string(cursor) +
                                         ", the latest is " + std::to_string(durable)};
  };
  if (!open.from_end && open.after > durable) return refuse(opening, ahead(open.after));
  if (open.target == PostTarget::mailbox) {
    const bool stale = *found && open.epoch < (*found)->box.row->reader;
    if (stale) return refuse(opening, {Errc::superseded, "a later owner has opened it"});
    if (open.settled > durable) return refuse(opening, ahead(open.settled));
    const auto passed = limit_passed(quota_, batch_->all, {*found ? 0U : 1U, 0, 0});
    if (passed) return refuse(opening, {Errc::store_full, std::string(text_of(*passed))});
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
    session.position = open.from_end ? durable : std::max(open.after, gone);
    session.last = durable;
    session.window = std::min<std::uint64_t>(open.window, bus::kMaxMailWindow);
    session.held = true;
    say(opening.id, open.reply, {open.token, Errc::ok, {}, session.position, durable});
    readers_.add(opening.id, session);
  }
  batch_->then.emplace_back([this, id = opening.id] {
    const Readers::Session* const session = readers_.find(id);
    if (session == nullptr) return;  // it was told
    const auto box = boxes_.find(session->shard, session->box);
    if (!box) return readers_.end(id, Errc::busy, box.error().to_string());
    // Includes later posts of this batch: there is no other notification of them.
    readers_.release(id, *box ? (*box)->durable : 0);
  });
}

void Mail::refuse(const Opening& opening, const Error& reason) {
  if (opening.told) return readers_.end(opening.id, errc_of(reason), reason.detail);
  const bus::MailOpen& open = opening.open;
  say(opening.id, open.reply, {open.token, errc_of(reason), reason.detail, 0, 0});
}

void Mail::say(const ReaderId& id, Lineage hint, const bus::MailOpened& opened) {
  Bytes record;
  encode(opened, record);
  shell_.say(id.process, hint, record);
}

void Mail::add(const Acknowledgement& acknowledgement, storage::Batch& batch) {
  const ReaderId& id = acknowledgement.id;
  const auto& ack = acknowledgement.ack;
  const Readers::Session* const session = readers_.find(id);
  if (session == nullptr || session->target != PostTarget::mailbox) return;
  const auto end = [&](Errc reason, const std::string& detail) {
    batch_->then.emplace_back(
        [this, id = id, reason, detail] { readers_.end(id, reason, detail); });
  };
  Shard* const shard = shard_at(session->shard);
  if (shard == nullptr) return;  // its reader was told
  if (ack.upto > session->position)
    return end(Errc::bad_bytes, "acknowledges a message that was not sent");
  const auto box = boxes_.find(shard->number, session->box);
  if (!box || !*box)
    return end(Errc::corrupt, box ? "the row of the mailbox is gone" : box.error().to_string());
  Place place{*shard, session->box, **box};
  const BoxRow& row = *place.box.row;
  if (session->epoch < row.reader) return end(Errc::superseded, "a later owner has opened it");
  if (!ack.reject.empty() && ack.upto > row.floor) {
    const auto refuse = [&](const Error& why) {
      batch_->then.emplace_back([this, id = id, reply = session->reply, upto = ack.upto, why] {
        Bytes record;
        encode(bus::MailRefused{id.token, upto, errc_of(why), why.detail}, record);
        shell_.say(id.process, reply, record);
      });
    };
    if (batch_->refusing) {
      return refuse({Errc::store_full, std::string(text_of(PostLimit::disk))});
    }
    const auto buried = bury(place, ack.upto, ack.reject, batch);
    const bool later = !buried && buried.error() == Errc::would_block;
    if (later) return void(batch_->put_off = id.process);
    // Ending the session would not help: the reader would reject it again in the next one.
    if (!buried) return refuse({buried.error().code, "its dead letter: " + buried.error().detail});
  }
  settle(place, ack.upto, batch);
  batch_->then.emplace_back([this, id = id, reply = session->reply, upto = ack.upto] {
    Bytes record;
    encode(bus::MailAcked{id.token, upto}, record);
    shell_.say(id.process, reply, record);
  });
}

/// Erases the messages up to `upto`, which must be durable.
void Mail::settle(Place& place, std::uint64_t upto, storage::Batch& batch) {
  BoxRow& row = *place.box.row;
  if (upto <= row.floor) return;
  assert(upto <= place.box.durable);
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
  // Totals are absolute: if this row cannot be read, the next readable one corrects the sum.
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

/// Keeps a dead letter of a message before it is erased. would_block: no room in this batch.
Result<> Mail::bury(Place& place, std::uint64_t number, const std::string& reason,
                    storage::Batch& batch) {
  std::string value;
  const auto row = message(place, number, value);
  if (!row || is_lost(*row)) return {};  // unreadable; its reader was told
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
  // The log may have evicted the mailbox from the cache.
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

}  // namespace starbus::mail
