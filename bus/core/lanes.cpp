#include "bus/core/lanes.hpp"

#include <cassert>

#include "bus/core/wire/record.hpp"

namespace starbus::bus {
namespace {

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

SourceQueues::Queue* SourceQueues::admit(Lane lane, Source source, std::size_t size, Time now) {
  LaneQueues& queues = lanes_[index(lane)];
  // A record larger than what is left goes alone, so that the largest one always has a way.
  if (queues.bytes != 0 && queues.bytes + size > capacity(lane)) return nullptr;
  if (total_ != nullptr && lane != Lane::control && *total_ + size > kQueuesTotal) return nullptr;
  auto& slot = queues.sources[source];
  if (!slot) slot = std::make_unique<Queue>();
  std::byte stamp[kStamp];
  store(stamp, stamp_of(now));
  slot->bytes.push(stamp, kStamp);
  account(lane, queues, static_cast<std::ptrdiff_t>(size));
  if (!slot->active) {
    slot->active = true;
    queues.turn.emplace_back(source, slot.get());
  }
  return slot.get();
}

void SourceQueues::account(Lane lane, LaneQueues& queues, std::ptrdiff_t bytes) {
  queues.bytes += static_cast<std::size_t>(bytes);
  if (total_ != nullptr && lane != Lane::control) *total_ += static_cast<std::size_t>(bytes);
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
void SourceQueues::retire(LaneQueues& queues, Source source, Queue* queue) {
  queue->active = false;
  queue->credit = 0;
  if (queues.sources.size() > kIdleSources) queues.sources.erase(source);
}

std::pair<SourceQueues::Source, SourceQueues::Queue*> SourceQueues::next_in_turn(
    LaneQueues& queues) {
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
    account(lane, queues, -static_cast<std::ptrdiff_t>(size));
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
        account(lane, queues, -static_cast<std::ptrdiff_t>(size));
      }
      if (queue->bytes.empty()) {
        retire(queues, source, queue);
      } else {
        queues.turn.emplace_back(source, queue);
      }
    }
  }
}

void SourceQueues::clear() {
  for (const Lane lane : {Lane::control, Lane::call, Lane::sync, Lane::bulk}) {
    LaneQueues& queues = lanes_[index(lane)];
    account(lane, queues, -static_cast<std::ptrdiff_t>(queues.bytes));
    queues = {};
  }
}

std::size_t SourceQueues::bytes() const {
  std::size_t total = 0;
  for (const LaneQueues& queues : lanes_) total += queues.bytes;
  return total;
}

}  // namespace starbus::bus
