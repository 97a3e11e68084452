#include "storage/commit_queue.hpp"

#include <cassert>
#include <utility>

#include "storage/limits.hpp"

namespace starbus::storage {

Result<> CommitQueue::push(Batch&& batch, Store::Completion&& done) {
  const std::size_t size = batch.bytes();
  const std::lock_guard lock(mutex_);
  if (closed_) return Error(Errc::closed);
  if (batches_ >= kQueueBatches || bytes_ + size > kQueueBytes) {
    return Error(Errc::would_block, std::to_string(batches_) + " batches and " +
                                        std::to_string(bytes_) + " bytes are waiting");
  }
  ++batches_;
  bytes_ += size;
  waiting_.push_back({std::move(batch), std::move(done)});
  pushed_.notify_one();
  return {};
}

std::vector<Commit> CommitQueue::take(std::optional<std::chrono::steady_clock::duration> wait) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !waiting_.empty() || closed_; };
  if (wait) {
    pushed_.wait_for(lock, *wait, ready);
  } else {
    pushed_.wait(lock, ready);
  }
  std::vector<Commit> group;
  std::size_t size = 0;
  while (!waiting_.empty() && group.size() < kGroupBatches) {
    size += waiting_.front().batch.bytes();
    if (!group.empty() && size > kGroupBytes) break;
    group.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return group;
}

void CommitQueue::finished(std::size_t batches, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  assert(batches_ >= batches && bytes_ >= bytes);
  batches_ -= batches;
  bytes_ -= bytes;
}

void CommitQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  pushed_.notify_all();
}

bool CommitQueue::drained() const {
  const std::lock_guard lock(mutex_);
  return closed_ && waiting_.empty();
}

std::size_t CommitQueue::batches() const {
  const std::lock_guard lock(mutex_);
  return batches_;
}

std::size_t CommitQueue::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace starbus::storage
