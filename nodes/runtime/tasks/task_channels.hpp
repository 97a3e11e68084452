/// Blocking work on worker threads: one queue per channel name, the names in parallel.
///
/// Made, used and ended on the loop's thread; owns its threads. Completions are posted to the
/// executor, which must live until shutdown() has returned. Failures are values.
/// docs/guide/tasks.md has the promises.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bus/core/error.hpp"
#include "nodes/runtime/limits.hpp"
#include "nodes/runtime/tasks/executor.hpp"
#include "nodes/runtime/tasks/task.hpp"

namespace starbus::nodes {

/// The number of workers, and the bounds of waiting tasks.
struct TaskOptions {
  std::size_t workers = 4;  // at least one
  std::size_t max_tasks = kMaxTasks;
  std::size_t max_channel_tasks = kMaxChannelTasks;
};

/// Counters since the start, and present numbers.
struct TaskCounts {
  std::uint64_t submitted = 0;
  std::uint64_t run = 0;
  std::uint64_t dropped = 0;  // completions whose owner had ended
  std::size_t waiting = 0;    // not begun
  std::size_t running = 0;
  std::size_t channels = 0;  // named ones that have a task

  std::size_t unfinished() const { return waiting + running; }
};

/// The tasks that shutdown() has left.
struct TasksLeft {
  struct Channel {
    std::string name;
    std::size_t never_ran = 0;
    std::size_t running = 0;  // their threads were left alone
  };
  std::size_t never_ran = 0;
  std::size_t running = 0;
  std::vector<Channel> channels;  // at most kMaxReportedChannels, in order of their names
  bool empty() const { return never_ran == 0 && running == 0; }
};

class TaskChannels {
 public:
  explicit TaskChannels(Executor& loop, TaskOptions options = {});
  /// Calls shutdown(0) unless shutdown has been called.
  ~TaskChannels();
  TaskChannels(const TaskChannels&) = delete;
  TaskChannels& operator=(const TaskChannels&) = delete;

  /// Runs `work()` on a worker, after earlier work of `channel`, then
  /// `done(bus::Result<...>)` on the loop, unless `owner` has ended. An empty channel has no order.
  /// Errors: would_block, closed, bad_name; then neither is called.
  template <class Work, class Done>
  bus::Result<> submit(std::string_view channel, const TaskOwner& owner, Work work, Done done) {
    auto task = std::make_shared<TypedTask<Work, Done>>(std::move(work), std::move(done));
    task->owner = owner.token_;
    task->owned = true;
    return add(channel, std::move(task));
  }
  template <class Work, class Done>
  bus::Result<> submit(std::string_view channel, Work work, Done done) {
    return add(channel, std::make_shared<TypedTask<Work, Done>>(std::move(work), std::move(done)));
  }

  /// The present figures, for metrics.
  TaskCounts counts() const;

  /// Refuses further work, and waits until all work has run, at most this long. When it returns,
  /// the completions are posted, and the executor is not used any more.
  TasksLeft shutdown(std::chrono::milliseconds longest);

 private:
  class State;
  bus::Result<> add(std::string_view channel, std::shared_ptr<Task> task);

  // Shared with the threads: one that is stuck in a driver may outlive this object.
  std::shared_ptr<State> state_;
};

}  // namespace starbus::nodes
