#include "bus/core/origin/custody.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "bus/core/origin/origin.hpp"

namespace starbus::bus {
namespace {

constexpr std::uint32_t kLargestStep = 0xffff'ffff;

}  // namespace

std::uint64_t Custody::add(OriginStream& stream, ByteView head, ByteView body, Token token,
                           Time expires, SharedBodies::Place place, const Marks& marks) {
  const std::uint64_t seq = next_seq_[static_cast<std::size_t>(stream.lane)]++;
  std::uint64_t step = 0;
  if (stream.items.empty()) {
    streams_.became_busy(stream);
    stream.owner_answered(now_);
    stream.want_probe = !stream.lineage;
  } else {
    step = seq - stream.items.back().seq;
  }
  const std::size_t size = place != 0 ? shared.bytes(place).size() : head.size() + body.size();
  encode_item(stream, size, step, marks.system);
  if (place != 0) {
    shared.hold(place);
  } else {
    stream.encoded.push(head.data(), head.size());
    stream.encoded.push(body.data(), body.size());
  }
  const Time end = std::min(expires, now_ + kLongestLife);
  const ExpiryStamp expiry = expires == Time{} ? 0 : expiry_stamp(end);
  if (expiry != 0) stream.next_expiry = earlier_expiry(stream.next_expiry, expiry);
  const auto charge = static_cast<std::uint32_t>(kItemHeader + size);
  const auto encoded = static_cast<std::uint32_t>(place != 0 ? kItemHeader : charge);
  stream.items.push(
      {seq, token, encoded, marks.sender, expiry, issue_stamp(now_), place & 0x7fff'ffff, 0});
  if (marks.sender != 0) ++outstanding_[marks.sender];
  stream.charge += charge;
  bytes_ += encoded;
  ++counters.sent;
  return seq;
}

void Custody::encode_item(OriginStream& stream, std::size_t size, std::uint64_t step, bool system) {
  std::byte item[kItemHeader];
  store(item, static_cast<std::uint32_t>(size) | (system ? kSystem : 0));
  store(item + 4, static_cast<std::uint32_t>(step > kLargestStep ? 0 : step));
  stream.encoded.push(item, kItemHeader);
}

/// Bytes on the window of the channel.
std::uint32_t Custody::charge_of(const OriginStream::Item& item) const {
  if (item.shared == 0) return item.encoded;
  return static_cast<std::uint32_t>(kItemHeader + shared.bytes(item.shared).size());
}

void Custody::release(OriginStream& stream, std::uint64_t last) {
  std::size_t count = 0;
  while (count < stream.items.size() && stream.items[count].seq <= last) {
    const OriginStream::Item& item = stream.items[count];
    if (item.token != 0) {
      outcomes_.push_back({item.token, stream.channel, stream.lane, item.seq, Errc::ok, true});
    }
    ++count;
  }
  if (count == 0) return;
  stream.sample_round_trip(last, now_);
  counters.acknowledged += count;
  pop_front(stream, count);
}

void Custody::release_posted(OriginStream& stream, const Posted& posted) {
  std::size_t count = 0;
  auto result = posted.results.begin();
  for (; count < stream.items.size() && stream.items[count].seq <= posted.last; ++count) {
    const OriginStream::Item& item = stream.items[count];
    if (item.tombstone) continue;
    while (result != posted.results.end() && result->seq < item.seq) ++result;
    const bool found = result != posted.results.end() && result->seq == item.seq;
    if (!found && !posted.complete) break;
    Outcome outcome{item.token, stream.channel, stream.lane, item.seq, Errc::owner_lost, true};
    if (found) {
      outcome.posted = true;
      outcome.reason = result->status;
      outcome.number = result->number;
    } else {
      ++counters.failed;
    }
    outcomes_.push_back(outcome);
  }
  if (count == 0) return;
  stream.sample_round_trip(stream.items[count - 1].seq, now_);
  counters.acknowledged += count;
  pop_front(stream, count);
}

void Custody::fail_front(OriginStream& stream, std::size_t count, Errc reason, bool sent) {
  for (std::size_t i = 0; i < count; ++i) {
    const OriginStream::Item& item = stream.items[i];
    if (item.tombstone) continue;
    outcomes_.push_back({item.token, stream.channel, stream.lane, item.seq, reason, sent});
  }
  counters.failed += count;
  pop_front(stream, count);
}

void Custody::fail_before(OriginStream& stream, IssueStamp start) {
  std::size_t count = 0;
  while (count < stream.sent && stream.items[count].issued_by(start)) ++count;
  fail_front(stream, count, Errc::owner_lost, true);
}

/// Forgets the first `count` messages, whatever their outcome.
void Custody::pop_front(OriginStream& stream, std::size_t count) {
  if (count == 0) return;
  assert(count <= stream.items.size());
  std::size_t encoded = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const OriginStream::Item& item = stream.items[i];
    encoded += item.encoded;
    stream.charge -= charge_of(item);
    bytes_ -= item.encoded;
    if (item.shared != 0) shared.drop(item.shared);
    if (item.sender != 0 && --outstanding_[item.sender] == 0) outstanding_.erase(item.sender);
  }
  stream.prev = stream.items[count - 1].seq;
  if (stream.timed_seq <= stream.prev) stream.timed_seq = 0;  // its reply will never come
  stream.items.pop(count);
  stream.encoded.pop(encoded);
  stream.cursor -= std::min(stream.cursor, count);
  stream.cursor_bytes -= std::min(stream.cursor_bytes, encoded);
  stream.sent -= std::min(stream.sent, count);
  stream.speed_up(encoded);
  freed_ = true;
  if (stream.items.empty()) streams_.became_idle(stream);
}

void Custody::expire(OriginStream& stream) {
  const ExpiryStamp present = expiry_stamp(now_);
  if (!has_passed(stream.next_expiry, present)) return;
  // The message may have been released or withdrawn since; and burying copies the stream.
  bool any = false;
  stream.next_expiry = 0;
  for (const OriginStream::Item& item : std::span(stream.items.data(), stream.items.size())) {
    const bool due = has_passed(item.expires, present);
    any = any || due;
    if (!due) stream.next_expiry = earlier_expiry(stream.next_expiry, item.expires);
  }
  if (!any) return;
  std::size_t index = 0;
  bury(stream, [&](const OriginStream::Item& item) {
    const bool sent = index++ < stream.sent;
    if (!has_passed(item.expires, present)) return false;
    ++counters.expired;
    outcomes_.push_back({item.token, stream.channel, stream.lane, item.seq, Errc::expired, sent});
    return true;
  });
}

void Custody::withdraw(OriginStream& stream, std::uint64_t seq) {
  bury(stream, [&](const OriginStream::Item& item) { return item.seq == seq; });
}

/// Turns the messages that `pick` chooses into tombstones: they keep their place in the chain, so
/// that their successors still have a predecessor, and lose body, token and expiry.
template <class Pick>
void Custody::bury(OriginStream& stream, Pick&& pick) {
  bool any = false;
  Fifo<std::byte> encoded;
  std::size_t from = 0;
  stream.cursor_bytes = 0;
  for (std::size_t i = 0; i < stream.items.size(); ++i) {
    OriginStream::Item& item = stream.items[i];
    const std::byte* const bytes = stream.encoded.data() + from;
    from += item.encoded;
    if (!pick(item)) {
      encoded.push(bytes, item.encoded);
    } else {
      any = true;
      stream.charge -= charge_of(item) - kItemHeader;
      if (item.shared != 0) shared.drop(item.shared);
      std::byte header[kItemHeader];
      store(header, kTombstone);
      std::memcpy(header + 4, bytes + 4, 4);
      encoded.push(header, kItemHeader);
      bytes_ -= item.encoded - kItemHeader;
      item = {item.seq, 0, kItemHeader, item.sender, 0, item.issued, 0, 1};
    }
    if (i + 1 == stream.cursor) stream.cursor_bytes = encoded.size();
  }
  stream.encoded = std::move(encoded);
  freed_ |= any;
}

void Custody::report() {
  while (!outcomes_.empty()) {
    const std::vector<Outcome> outcomes = std::exchange(outcomes_, {});
    for (const Outcome& outcome : outcomes) {
      if (outcome.posted) {
        events_.on_posted(outcome.token, outcome.reason, outcome.number);
      } else if (outcome.reason == Errc::ok) {
        events_.on_acknowledged(outcome.token);
      } else {
        events_.on_failed(outcome.token, outcome.channel, outcome.lane, outcome.seq, outcome.reason,
                          outcome.sent);
      }
    }
  }
  if (std::exchange(freed_, false)) events_.on_room();
}

}  // namespace starbus::bus
