#include "bus/core/origin/origin.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {
void Origin::set_now(Time now) {
  now_ = now;
  custody_.set_now(now);
  writer_.set_now(now);
}

// --- sending -------------------------------------------------------------------------------------

/// A message that is larger than a window goes alone.
bool Origin::room_in(const Stream* stream, std::size_t charge, bool reply) {
  if (!stream) return true;
  if (stream->durable && stream->items.size() >= kDurableWindow) return false;
  const std::size_t window = kChannelWindow + (reply ? kReplyReserve : 0);
  return stream->charge == 0 || stream->charge + charge <= window;
}

bool Origin::room_in_process(std::size_t charge, bool reply) const {
  const std::uint64_t in_process = custody_.bytes();
  const std::size_t window = kProcessWindow + (reply ? kReplyReserveTotal : 0);
  return in_process == 0 || in_process + charge <= window;
}

bool Origin::has_room(const ChannelId& channel, Lane lane) const {
  const Stream* const stream = streams_.find(channel, lane);
  return has_room() && (!stream || stream->has_room());
}

void Origin::await_room(const ChannelId& channel, Lane lane) {
  if (Stream* const stream = streams_.find(channel, lane)) stream->room_awaited = true;
}

bool Origin::has_reply_room(const ChannelId& channel, Lane lane, std::size_t size) const {
  return room_in_process(kItemHeader + size, true) &&
         room_in(streams_.find(channel, lane), kItemHeader + size, true);
}

Origin::Stream& Origin::stream_for(const Destination& to, Lane lane) {
  Stream& stream = streams_.get(to, lane);
  if (std::max(stream.lineage, stream.successor) < to.hint && !adopt_lineage(stream, to.hint)) {
    stream.want_probe = true;
  }
  return stream;
}

Result<std::uint64_t> Origin::send(const Destination& to, Lane lane, ByteView head, ByteView body,
                                   Token token, Time expires, Marks marks) {
  if (body.size() > kMaxBody) {
    return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  }
  const std::size_t charge = kItemHeader + head.size() + body.size();
  if (!marks.system && !(room_in_process(charge, marks.reply) &&
                         room_in(streams_.find(to.channel, lane), charge, marks.reply))) {
    return Error{Errc::would_block};
  }
  Stream& stream = stream_for(to, lane);
  const std::uint64_t seq = custody_.add(stream, head, body, token, expires, 0, marks);
  streams_.schedule(stream);
  return seq;
}

Result<> Origin::multicast(std::span<const Recipient> recipients, Lane lane, ByteView head,
                           ByteView body, Time expires, std::uint32_t sender, FullReceivers* full) {
  if (recipients.empty()) return {};
  if (recipients.size() > kMaxGroup) return Error{Errc::group_too_large};
  if (body.size() > kMaxBody) return Error{Errc::too_large};
  const std::size_t size = head.size() + body.size();
  if (!room_in_process(size + recipients.size() * kItemHeader)) return Error{Errc::would_block};
  std::vector<const Recipient*> taken;
  taken.reserve(recipients.size());
  for (std::size_t place = 0; place < recipients.size(); ++place) {
    if (room_in(streams_.find(recipients[place].to.channel, lane), size + kItemHeader)) {
      taken.push_back(&recipients[place]);
    } else if (full) {
      full->places.push_back(place);
    }
  }
  const bool skip = full && full->skip && !taken.empty();
  if (!skip && taken.size() != recipients.size()) return Error{Errc::would_block};
  const SharedBodies::Place place = custody_.shared.add(head, body);
  std::vector<Target> targets;
  // Lineages first: what a newer one fails must not be of this body.
  for (const Recipient* recipient : taken) stream_for(recipient->to, lane);
  for (const Recipient* recipient : taken) {
    add_recipient(*recipient, lane, place, expires, sender, targets);
  }
  if (!targets.empty()) writer_.add_multicast(lane, std::move(targets));
  custody_.shared.drop(place);
  return {};
}

/// A stream that can send at once becomes a target of the record.
void Origin::add_recipient(const Recipient& recipient, Lane lane, SharedBodies::Place place,
                           Time expires, std::uint32_t sender, std::vector<Target>& targets) {
  Stream& stream = streams_.get(recipient.to, lane);
  const bool at_once = stream.knows_owner() && !stream.choked && stream.opened &&
                       stream.cursor == stream.items.size();
  const std::uint64_t prev = stream.items.empty() ? 0 : stream.items.back().seq;
  const std::uint64_t seq =
      custody_.add(stream, {}, {}, recipient.token, expires, place, {sender, false});
  if (at_once) {
    targets.push_back({stream.channel, stream.lineage, prev, seq});
    stream.cursor = stream.items.size();
    stream.cursor_bytes = stream.encoded.size();
  }
  streams_.schedule(stream);
}

bool Origin::withdraw(const ChannelId& channel, Lane lane, std::uint64_t seq) {
  Stream* const stream = streams_.find(channel, lane);
  if (!stream || stream->items.empty()) return false;
  custody_.withdraw(*stream, seq);
  return stream->sent != 0 && stream->items.front().seq <= seq &&
         seq <= stream->items[stream->sent - 1].seq;
}

// --- what comes back -----------------------------------------------------------------------------

void Origin::on_ack(const Ack& ack) {
  Stream* const stream = streams_.find(ack.channel, ack.lane);
  if (stream && adopt_lineage(*stream, ack.lineage)) {
    const bool was_choked = stream->choked;
    stream->owner_is_there();
    custody_.release(*stream, ack.last);
    resume(*stream, was_choked);
  } else if (stream) {
    on_successor(*stream, ack.lineage);
  }
  custody_.report();
}

void Origin::on_posted(const Posted& posted) {
  Stream* const stream = streams_.find(posted.channel, posted.lane);
  if (stream && stream->durable && adopt_lineage(*stream, posted.lineage)) {
    const bool was_choked = stream->choked;
    custody_.release_posted(*stream, posted);
    resume(*stream, was_choked);
  }
  custody_.report();
}

/// The owner has answered: a choked stream sends its rest again.
void Origin::resume(Stream& stream, bool was_choked) {
  stream.owner_answered(now_);
  if (stream.successor && stream.sent == 0) stream.begin_lineage(stream.successor);
  if (was_choked && !stream.items.empty()) rewind(stream);
  streams_.schedule(stream);
}

void Origin::on_nack(const Nack& nack) {
  Stream* const stream = streams_.find(nack.channel, nack.lane);
  if (!stream || stream->items.empty()) return;
  const bool pending = is_pending(*stream, nack);
  switch (nack.reason) {
    case NackReason::overflow:
      if (!pending || stream->choked) break;
      stream->slow_down();
      choke(*stream);
      break;
    case NackReason::no_owner:
      if (pending) on_owner_missing(*stream, nack);
      break;
    case NackReason::lineage:
      on_lineage_ended(*stream, nack);
      break;
    case NackReason::gap:
      if (adopt_lineage(*stream, nack.lineage)) {
        on_owner_nack(*stream, nack);
      } else {
        on_successor(*stream, nack.lineage);
      }
      break;
  }
  custody_.report();
}

/// It is about a message that is unacknowledged, or about the question that is under way.
bool Origin::is_pending(const Stream& stream, const Nack& nack) {
  if (nack.seq > Succession::kFirstQuestion) return nack.seq == stream.succession.question;
  return nack.seq >= stream.items.front().seq;
}

/// There was no owner at some time after the message or the question was issued to which this is
/// the answer. It may have been under way for long, and an owner may have come meanwhile, who gets
/// what has left since: so nothing that has left ends before a question is answered likewise. What
/// has been issued since that and has not left yet asks for itself.
void Origin::on_owner_missing(Stream& stream, const Nack& nack) {
  if (stream.durable) return choke(stream);
  const bool question = nack.seq > Succession::kFirstQuestion;
  if (!question && stream.sent != 0 && stream.may_follow()) return ask_in_time(stream);
  const IssueStamp asked = issue_stamp(stream.succession.asked_at);
  stream.lineage = stream.successor = {};
  custody_.fail_front(stream, stream.sent, Errc::owner_lost, true);
  std::size_t answered = 0;
  for (; answered < stream.items.size(); ++answered) {
    const OriginStream::Item& item = stream.items[answered];
    if (question ? !item.issued_by(asked) : item.seq > nack.seq) break;
  }
  custody_.fail_front(stream, answered, Errc::no_owner, false);
  if (stream.items.empty()) return;
  stream.begin_lineage({});
  stream.want_probe = true;
  streams_.schedule(stream);
}

/// Sends the rest again, at most once per value of `last` and round trip (F13).
void Origin::on_owner_nack(Stream& stream, const Nack& nack) {
  const bool was_choked = stream.choked;
  const std::uint64_t last = nack.reason == NackReason::gap ? nack.last : 0;
  stream.owner_is_there();
  if (nack.reason == NackReason::gap && !stream.durable) custody_.release(stream, last);
  stream.owner_answered(now_);
  if (stream.successor && stream.sent == 0) stream.begin_lineage(stream.successor);
  if (stream.items.empty()) return;
  const Time pause = std::max(stream.round_trip, from_ms(1));
  if (was_choked || last != stream.resent_last || now_ - stream.resent_at > pause) {
    stream.resent_last = last;
    stream.resent_at = now_;
    rewind(stream);
  }
  streams_.schedule(stream);
}

void Origin::choke(Stream& stream) {
  if (stream.choked) return;
  stream.choked = true;
  stream.pause = kChokeFirst;
  stream.probe_at = now_ + stream.pause;
  ++custody_.counters.chokes;
  streams_.schedule(stream);
}

void Origin::rewind(Stream& stream) {
  if (stream.cursor != 0) ++custody_.counters.resends;
  stream.cursor = 0;
  stream.cursor_bytes = 0;
  stream.timed_seq = 0;  // a reply could belong to either copy
}

void Origin::fail_suffix(Stream& stream, Errc sent_reason, Errc unsent_reason) {
  stream.lineage = stream.successor = {};
  const std::size_t sent = stream.sent;
  const std::size_t unsent = stream.items.size() - sent;
  custody_.fail_front(stream, sent, sent_reason, true);
  custody_.fail_front(stream, unsent, unsent_reason, false);
}

void Origin::fail_all(Errc reason) {
  writer_.drop_multicasts();
  while (!streams_.busy().empty()) {
    Stream& stream = streams_.busy().front();
    if (reason != Errc::ok) {
      fail_suffix(stream, reason, reason);
    } else if (stream.durable) {  // this process is lost, and not its owner
      fail_suffix(stream, Errc::closed, Errc::closed);
    } else {
      fail_suffix(stream);
    }
  }
  custody_.report();
}

void Origin::restrict(const std::function<std::string(const ChannelId&)>& name_of,
                      const std::function<bool(std::string_view)>& allowed) {
  std::vector<StreamTable::Key> denied;
  for (auto& [key, stream] : streams_.all()) {
    if (key.channel.high == kProcessTag) continue;
    if (stream->open_name.empty()) stream->open_name = name_of(key.channel);
    stream->opened = false;
    if (stream->open_name.empty() || !allowed(stream->open_name)) denied.push_back(key);
  }
  for (const auto& key : denied) {
    Stream* const stream = streams_.find(key.channel, key.lane);
    if (stream && !stream->items.empty()) fail_suffix(*stream, Errc::denied, Errc::denied);
  }
  for (const auto& key : denied) {
    Stream* const stream = streams_.find(key.channel, key.lane);  // an idle one may have ended
    if (stream) streams_.erase(*stream);
  }
  custody_.report();
}

// --- time and sessions ---------------------------------------------------------------------------

void Origin::on_session() {
  writer_.drop_multicasts();
  for (auto& [key, stream] : streams_.all()) stream->opened = stream->open_name.empty();
  for (Stream& stream : streams_.busy()) {
    stream.want_probe = !stream.lineage;
    if (!stream.choked) rewind(stream);
    if (stream.successor || stream.succession.question != 0) ask(stream);
    stream.touched = now_;
    streams_.schedule(stream);
  }
}

void Origin::on_room() {
  for (Stream& stream : streams_.busy()) {
    if (!stream.choked) continue;
    stream.pause = kChokeFirst;
    stream.probe_at = now_ + stream.pause;
    stream.want_probe = true;
    streams_.schedule(stream);
  }
}

void Origin::tick(Time now) {
  set_now(now);
  for (Stream& stream : streams_.busy()) {
    custody_.expire(stream);
    if (!probe_is_due(stream)) continue;
    stream.want_probe = true;
    streams_.schedule(stream);
  }
  custody_.report();
}

bool Origin::probe_is_due(Stream& stream) {
  if (stream.choked) {
    if (now_ < stream.probe_at) return false;
    stream.pause = std::min<Time>(stream.pause * 2, kChokeLongest);
    stream.probe_at = now_ + stream.pause;
    return true;
  }
  if (stream.sendable() || stream.asks()) {
    stream.touched = now_;  // it waits for this process' link: the owner is not silent
    return false;
  }
  const Time silence = stream.longest_silence();
  if (now_ - stream.touched <= silence) return false;
  stream.pause = std::min<Time>(silence * 2, kProbeLongest);
  stream.touched = now_;
  return true;
}

// --- state ---------------------------------------------------------------------------------------

Origin::Stuck Origin::stuck(Time silence) const {
  Stuck fullest;
  for (const Stream& stream : streams_.busy()) {
    if (now_ - stream.answered < silence || stream.charge <= fullest.bytes) continue;
    fullest = {stream.channel, stream.charge};
  }
  return fullest;
}

std::vector<Origin::Waiting> Origin::unacknowledged(std::size_t most) const {
  std::vector<Waiting> all;
  for (const Stream& stream : streams_.busy()) {
    all.push_back({stream.channel, stream.lane, stream.items.size(), stream.charge});
  }
  const std::size_t kept = std::min(most, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept), std::greater<>(),
                            &Waiting::bytes);
  all.resize(kept);
  return all;
}

bool Origin::unacknowledged(const ChannelId& channel, Lane lane) const {
  const Stream* const stream = streams_.find(channel, lane);
  return stream && !stream->items.empty();
}

std::uint64_t Origin::unacknowledged_bytes(const ChannelId& channel, Lane lane) const {
  const Stream* const stream = streams_.find(channel, lane);
  return stream ? stream->charge : 0;
}

bool Origin::settled(const Mark& mark) const {
  return std::ranges::none_of(streams_.busy(), [&](const Stream& stream) {
    const std::uint64_t end = mark[static_cast<std::size_t>(stream.lane)];
    // A tombstone has had its outcome; only its place is still to be acknowledged.
    for (std::size_t i = 0; i < stream.items.size() && stream.items[i].seq < end; ++i) {
      if (!stream.items[i].tombstone) return true;
    }
    return false;
  });
}

}  // namespace starbus::bus
