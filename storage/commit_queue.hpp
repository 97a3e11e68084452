#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "storage/batch.hpp"
#include "storage/error.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// A batch and the function that hears of its end.
struct Commit {
  Batch batch;
  Store::Completion done;
};

/// Batches that wait for the writer: many threads push, the writer takes. Bounded by kQueueBytes
/// and kQueueBatches; taken batches count until they are finished, so this bounds the memory.
class CommitQueue {
 public:
  /// would_block or closed; then `batch` and `done` are untouched.
  Result<> push(Batch&& batch, Store::Completion&& done);

  /// The next group in order, at most kGroupBatches and kGroupBytes. Waits until there is one, the
  /// queue was closed, or `wait` is over (no value: for ever): then it is empty.
  std::vector<Commit> take(std::optional<std::chrono::steady_clock::duration> wait);
  /// Gives the room of taken commits back. Before their completions: these may commit again.
  void finished(std::size_t batches, std::size_t bytes);

  /// From now on push refuses; take goes on until the queue is empty.
  void close();
  bool drained() const;

  /// That wait, or are taken and not finished; `bytes` as Batch::bytes counts them.
  std::size_t batches() const;
  std::size_t bytes() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<Commit> waiting_;
  std::size_t batches_ = 0;  // waiting, and taken but not finished
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace starbus::storage
