/// Closures for the loop, from any thread, in the order of posting.
///
/// Bounded: kMaxPosted, then would_block. Closures run on the loop's thread; those that still wait
/// at close() are destroyed there, without being run. `wake` is called, under the queue's mutex and
/// from the posting thread, when a closure comes to a loop that sleeps; it must not post.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "bus/core/error.hpp"
#include "nodes/runtime/load/work_name.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {

/// A closure, and the name under which its time counts.
struct Work {
  WorkName name;
  std::function<void()> run;
};

class WorkQueue {
 public:
  explicit WorkQueue(std::function<void()> wake, std::size_t capacity = kMaxPosted)
      : wake_(std::move(wake)), capacity_(capacity) {}

  /// would_block; closed, after close().
  bus::Result<> post(WorkName name, std::function<void()> closure);
  /// For callers that bound their closures themselves: refused only after close(), where the
  /// closure is destroyed.
  void post_bounded(WorkName name, std::function<void()> closure);

  // --- the loop's thread ---

  /// The oldest; none: the loop may sleep, and is woken by the next post.
  std::optional<Work> take();
  void close();

  /// Posted and not taken.
  std::size_t size() const;

 private:
  bus::Result<> add(WorkName name, std::function<void()> closure, bool bounded);

  const std::function<void()> wake_;
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::deque<Work> posted_;
  bool awake_ = false;  // woken, or taking
  bool closed_ = false;
  std::deque<Work> mine_;  // the loop's own: taken from posted_ all at once
  std::atomic<std::size_t> mine_left_{0};
};

}  // namespace starbus::nodes
