#include "mail/batch/batch_readers.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bus/core/limits.hpp"
#include "mail/batch/bury.hpp"
#include "mail/dead_letters.hpp"
#include "mail/store_limit.hpp"

namespace starbus::mail {

void BatchReaders::add(Opening& opening, MailBatch& batch) {
  const bus::MailOpen& open = opening.open;
  if (opening.told && mail_.readers.find(opening.id) == nullptr) return;  // it has ended since
  OpenShard* const shard = mail_.shards.at(bus::shard_of(opening.box));
  if (shard == nullptr)
    return refuse(opening, {Errc::busy, "the shard is not served here any more"});
  if (open.target == PostTarget::mailbox && is_dead_letters(open.name)) {
    return refuse(opening, {Errc::denied, denial(PostTarget::log)});
  }
  if (open.target == PostTarget::mailbox && !open.epoch) {
    return refuse(opening, {Errc::superseded, "this reader does not own the name"});
  }
  const bool full = !opening.told && mail_.readers.full(opening.id.process);
  if (full) return refuse(opening, {Errc::busy, "too many readers"});
  auto found = boxes_.find(*shard, opening.box, open.name, open.target);
  if (!found) {  // perhaps an earlier item of this batch caused it, which may yet be refused
    batch.then.emplace_back([this, opening, why = found.error()] { refuse(opening, why); });
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
    const auto passed = limit_passed(mail_.quota, batch.all, {*found ? 0U : 1U, 0, 0});
    if (passed) return refuse(opening, {Errc::store_full, std::string(text_of(*passed))});
    BatchBoxes::Place place =
        boxes_.claim(std::move(*found), *shard, opening.box, open.name, open.target, batch);
    if (place.box.row->reader < open.epoch) {
      place.box.row->reader = open.epoch;
      mail_.boxes.touch(opening.box);
    }
    boxes_.settle(place, open.settled, batch);
  }
  if (!std::exchange(opening.told, true)) begin(opening, *shard, gone, durable);
  batch.then.emplace_back([this, id = opening.id] {
    const Readers::Session* const session = mail_.readers.find(id);
    if (session == nullptr) return;  // it was told
    const auto box = mail_.boxes.find(session->shard, session->box);
    if (!box) return mail_.readers.end(id, Errc::busy, box.error().to_string());
    // Includes later posts of this batch: there is no other notification of them.
    mail_.readers.release(id, *box ? (*box)->durable : 0);
  });
}

/// The session is held until its epoch is on the disk.
void BatchReaders::begin(const Opening& opening, const OpenShard& shard, std::uint64_t gone,
                         std::uint64_t durable) {
  const bus::MailOpen& open = opening.open;
  Readers::Session session;
  session.shard = shard.number;
  session.box = opening.box;
  session.target = open.target;
  session.epoch = open.epoch;
  session.reply = open.reply;
  session.position = open.from_end ? durable : std::max(open.after, gone);
  session.last = durable;
  session.window = std::min<std::uint64_t>(open.window, bus::kMaxMailWindow);
  session.held = true;
  const bus::MailOpened opened{open.token, Errc::ok, {}, session.position, durable};
  say(mail_.shell, opening.id.process, open.reply, opened);
  mail_.readers.add(opening.id, session);
}

void BatchReaders::refuse(const Opening& opening, const Error& reason) {
  if (opening.told) return mail_.readers.end(opening.id, errc_of(reason), reason.detail);
  const bus::MailOpen& open = opening.open;
  say(mail_.shell, opening.id.process, open.reply,
      bus::MailOpened{open.token, errc_of(reason), reason.detail, 0, 0});
}

void BatchReaders::add(const Acknowledgement& acknowledgement, MailBatch& batch) {
  const ReaderId& id = acknowledgement.id;
  const auto& ack = acknowledgement.ack;
  const Readers::Session* const session = mail_.readers.find(id);
  if (session == nullptr || session->target != PostTarget::mailbox) return;
  const auto end = [&](Errc reason, const std::string& detail) {
    batch.then.emplace_back(
        [this, id = id, reason, detail] { mail_.readers.end(id, reason, detail); });
  };
  OpenShard* const shard = mail_.shards.at(session->shard);
  if (shard == nullptr) return;  // its reader was told
  if (ack.upto > session->position)
    return end(Errc::bad_bytes, "acknowledges a message that was not sent");
  const auto box = mail_.boxes.find(shard->number, session->box);
  if (!box || !*box)
    return end(Errc::corrupt, box ? "the row of the mailbox is gone" : box.error().to_string());
  BatchBoxes::Place place{*shard, session->box, **box};
  const BoxRow& row = *place.box.row;
  if (session->epoch < row.reader) return end(Errc::superseded, "a later owner has opened it");
  if (!ack.reject.empty() && ack.upto > row.floor) {
    const auto refuse = [&](const Error& why) {
      batch.then.emplace_back([this, id = id, reply = session->reply, upto = ack.upto, why] {
        say(mail_.shell, id.process, reply,
            bus::MailRefused{id.token, upto, errc_of(why), why.detail});
      });
    };
    if (batch.refusing) {
      return refuse({Errc::store_full, std::string(text_of(PostLimit::disk))});
    }
    const auto buried = bury(boxes_, place, ack.upto, ack.reject, batch);
    const bool later = !buried && buried.error() == Errc::would_block;
    if (later) return void(batch.put_off = id.process);
    // Ending the session would not help: the reader would reject it again in the next one.
    if (!buried) return refuse({buried.error().code, "its dead letter: " + buried.error().detail});
  }
  boxes_.settle(place, ack.upto, batch);
  batch.then.emplace_back([this, id = id, reply = session->reply, upto = ack.upto] {
    say(mail_.shell, id.process, reply, bus::MailAcked{id.token, upto});
  });
}

}  // namespace starbus::mail
