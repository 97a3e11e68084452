#include "bus/core/lanes.hpp"

#include <cassert>

#include "bus/core/routers/accounts.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {
namespace {

// Replies have queues of their own beside those of the records of their link.
constexpr std::uint64_t kReplies = std::uint64_t{1} << 63;

constexpr std::size_t kStamp = sizeof(std::uint32_t);
constexpr std::size_t kIdleSources = 32;        // kept, so that steady traffic allocates nothing
constexpr std::int64_t kTurnBytes = 16 * 1024;  // what a source may send before the next has a turn

std::uint32_t stamp_of(Time now) {
  return static_cast<std::uint32_t>(now / std::chrono::milliseconds(1));
}
std::size_t record_size(const std::byte* record) {
  return sizeof(std::uint32_t) + load<std::uint32_t>(record);
}

}  // namespace

SourceQueues::Queue* SourceQueues::find(const LaneQueues& queues, std::uint64_t source) {
  const auto known = queues.sources.find(source);
  return known == queues.sources.end() ? nullptr : known->second.get();
}

std::size_t SourceQueues::held_by(const LaneQueues& queues, const Queue* known, AccountId account) {
  if (known != nullptr) return known->share->bytes;
  const auto share = queues.shares.find(account);
  return share == queues.shares.end() ? 0 : share->second.bytes;
}

bool SourceQueues::has_room(Lane lane, const LaneQueues& queues, Source source, std::size_t held,
                            std::size_t size) const {
  if (lane == Lane::control) return queues.bytes + size <= kControlQueue;
  // A record larger than what is left goes alone, or as the only one of its account, so that the
  // largest one always has a way.
  const bool first = held == 0 && queues.bytes <= kDaemonQueue;
  if (!first && !within_share(held, size, queues.bytes, kDaemonQueue)) return false;
  if (accounts_ == nullptr || bytes() + size <= kLinkReserve) return true;
  return accounts_->admits(source.account, size);
}

SourceQueues::Queue* SourceQueues::admit(Lane lane, Source source, std::size_t size, Time now) {
  LaneQueues& queues = lanes_[index(lane)];
  Queue* queue = find(queues, source.link);
  const std::size_t held = held_by(queues, queue, source.account);
  if (!has_room(lane, queues, source, held, size)) return nullptr;
  if (queue == nullptr) queue = &add(queues, source, false);
  stamp(lane, queues, source, *queue, size, now);
  return queue;
}

SourceQueues::Queue& SourceQueues::add(LaneQueues& queues, Source source, bool replies) {
  Queue& queue = *queues.sources.emplace(source.link, std::make_unique<Queue>()).first->second;
  queue.replies = replies;
  queue.account = source.account;
  queue.share = &queues.shares[source.account];
  ++queue.share->sources;
  return queue;
}

void SourceQueues::stamp(Lane lane, LaneQueues& queues, Source source, Queue& queue,
                         std::size_t size, Time now) {
  std::byte stamp[kStamp];
  store(stamp, stamp_of(now));
  queue.bytes.push(stamp, kStamp);
  account(lane, queues, queue, static_cast<std::ptrdiff_t>(size));
  if (queue.active) return;
  queue.active = true;
  queues.turn.emplace_back(source.link, &queue);
}

bool SourceQueues::push_reply(Source source, ByteView record, Time now) {
  LaneQueues& queues = lanes_[index(Lane::control)];
  source.link |= kReplies;
  Queue* queue = find(queues, source.link);
  const std::size_t held = held_by(queues, queue, source.account);
  if (!within_share(held, record.size(), queues.reply_bytes, kReplyRoom)) return false;
  if (queues.bytes + record.size() > kControlQueue) return false;
  if (queue == nullptr) queue = &add(queues, source, true);
  stamp(Lane::control, queues, source, *queue, record.size(), now);
  queue->bytes.push(record.data(), record.size());
  return true;
}

void SourceQueues::account(Lane lane, LaneQueues& queues, Queue& queue, std::ptrdiff_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  queues.bytes += size;
  if (queue.replies) queues.reply_bytes += size;
  if (lane != Lane::control || queue.replies) queue.share->bytes += size;
  if (accounts_ != nullptr && lane != Lane::control) accounts_->count(queue.account, bytes);
}

bool SourceQueues::push(Lane lane, Source source, ByteView record, Time now) {
  Queue* queue = admit(lane, source, record.size(), now);
  if (queue == nullptr) return false;
  queue->bytes.push(record.data(), record.size());
  return true;
}

bool SourceQueues::push(Lane lane, Source source, Kind kind, ByteView payload, Time now) {
  Queue* queue = admit(lane, source, kRecordHeader + payload.size(), now);
  if (queue == nullptr) return false;
  std::byte header[kRecordHeader];
  store(header, static_cast<std::uint32_t>(payload.size() + 1));
  store(header + 4, static_cast<std::uint8_t>(kind));
  queue->bytes.push(header, sizeof header);
  queue->bytes.push(payload.data(), payload.size());
  return true;
}

/// A source that holds nothing any more, and has left the line.
void SourceQueues::retire(LaneQueues& queues, std::uint64_t source, Queue* queue) {
  queue->active = false;
  queue->credit = 0;
  if (queues.sources.size() <= kIdleSources) return;
  if (--queue->share->sources == 0) queues.shares.erase(queue->account);
  queues.sources.erase(source);
}

std::pair<std::uint64_t, SourceQueues::Queue*> SourceQueues::next_in_turn(LaneQueues& queues) {
  while (queues.turn.front().second->credit <= 0) {
    const auto next = queues.turn.front();
    if (queues.turn.size() == 1) next.second->credit = 0;  // alone: no source is owed anything
    next.second->credit += kTurnBytes;
    queues.turn.pop_front();
    queues.turn.push_back(next);
  }
  return queues.turn.front();
}

FillResult SourceQueues::fill_bundle(Lane lane, std::size_t budget, Bytes& out) {
  LaneQueues& queues = lanes_[index(lane)];
  FillResult filled;
  while (!queues.turn.empty() && (filled.bytes == 0 || filled.bytes < budget)) {
    const auto [source, queue] = next_in_turn(queues);
    const std::byte* record = queue->bytes.data() + kStamp;
    const std::size_t size = record_size(record);
    filled.large = size > kChunk;
    if (filled.large && filled.bytes != 0) return {filled.bytes, false};
    out.insert(out.end(), record, record + size);
    queue->bytes.pop(kStamp + size);
    queue->credit -= static_cast<std::int64_t>(size);
    account(lane, queues, *queue, -static_cast<std::ptrdiff_t>(size));
    filled.bytes += size;
    if (queue->bytes.empty()) {
      queues.turn.pop_front();
      retire(queues, source, queue);
    }
    if (filled.large) break;
  }
  return filled;
}

void SourceQueues::expire(Time now, const Dropped& dropped) {
  const std::uint32_t present = stamp_of(now);
  for (const Lane lane : kDataLanes) {
    LaneQueues& queues = lanes_[index(lane)];
    for (std::size_t left = queues.turn.size(); left > 0; --left) {
      const auto [source, queue] = queues.turn.front();
      queues.turn.pop_front();
      while (!queue->bytes.empty() &&
             std::chrono::milliseconds(present - load<std::uint32_t>(queue->bytes.data())) >
                 kQueueAge) {
        const std::byte* record = queue->bytes.data() + kStamp;
        const std::size_t size = record_size(record);
        dropped({record, size});
        queue->bytes.pop(kStamp + size);
        account(lane, queues, *queue, -static_cast<std::ptrdiff_t>(size));
      }
      if (queue->bytes.empty()) {
        retire(queues, source, queue);
      } else {
        queues.turn.emplace_back(source, queue);
      }
    }
  }
}

/// Records, without time stamps.
std::size_t SourceQueues::bytes_of(const Queue& queue) {
  std::size_t total = 0;
  for (const std::byte* at = queue.bytes.data(); at != queue.bytes.data() + queue.bytes.size();) {
    const std::size_t size = record_size(at + kStamp);
    total += size;
    at += kStamp + size;
  }
  return total;
}

void SourceQueues::clear() {
  for (const Lane lane : {Lane::control, Lane::call, Lane::sync, Lane::bulk}) {
    LaneQueues& queues = lanes_[index(lane)];
    for (const auto& [source, queue] : queues.turn) {
      if (accounts_ == nullptr || lane == Lane::control) break;
      accounts_->count(queue->account, -static_cast<std::ptrdiff_t>(bytes_of(*queue)));
    }
    queues = {};
  }
}

std::size_t SourceQueues::bytes() const {
  std::size_t total = 0;
  for (const LaneQueues& queues : lanes_) total += queues.bytes;
  return total;
}

}  // namespace starbus::bus
