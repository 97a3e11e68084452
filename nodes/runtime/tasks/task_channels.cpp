#include "nodes/runtime/tasks/task_channels.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace starbus::nodes {

/// Invariants, under the mutex: a channel is in `ready_` if and only if it has waiting tasks and no
/// worker; the unordered one, if and only if it has waiting tasks. A named channel is in
/// `channels_` if and only if it has waiting tasks or a worker.
class TaskChannels::State : public std::enable_shared_from_this<State> {
 public:
  State(Executor& loop, TaskOptions options) : loop_(&loop), options_(options) {
    options_.workers = std::clamp<std::size_t>(options_.workers, 1, kMaxWorkers);
  }

  void start() {
    for (std::size_t i = 0; i < options_.workers; ++i) {
      threads_.emplace_back([self = shared_from_this()] { self->work(); });
    }
  }

  bus::Result<> add(std::string_view name, std::shared_ptr<Task> task) {
    if (name.size() > kMaxChannelKey) return bus::Errc::bad_name;
    const std::lock_guard lock(mutex_);
    if (closed_) return bus::Errc::closed;
    if (unsettled_ >= options_.max_tasks) return bus::Errc::would_block;
    task->channel = name;
    Channel& channel = name.empty() ? unordered_ : channels_[task->channel];
    if (!name.empty() && channel.waiting.size() >= options_.max_channel_tasks) {
      return bus::Errc::would_block;  // it has tasks, so it was there before
    }
    if (channel.waiting.empty() && !channel.worker) ready_.push_back(&channel);
    channel.waiting.push_back(std::move(task));
    ++unsettled_;
    ++counts_.submitted;
    ++counts_.waiting;
    wake_.notify_one();
    return {};
  }

  TaskCounts counts() const {
    const std::lock_guard lock(mutex_);
    TaskCounts counts = counts_;
    counts.channels = channels_.size();
    return counts;
  }

  TasksLeft shutdown(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    if (loop_ == nullptr) return {};
    closed_ = true;
    idle_.wait_for(lock, longest, [this] { return counts_.waiting == 0 && counts_.running == 0; });
    stopped_ = true;
    const TasksLeft left = give_up();
    loop_ = nullptr;
    std::vector<std::thread> threads = std::exchange(threads_, {});
    const bool stuck = left.running > 0;
    lock.unlock();
    wake_.notify_all();
    // Which thread is stuck is not known from outside, and the others end by themselves.
    for (std::thread& thread : threads) stuck ? thread.detach() : thread.join();
    return left;
  }

 private:
  struct Channel {
    std::deque<std::shared_ptr<Task>> waiting;
    bool worker = false;  // one has it; never set for the unordered one
  };
  using Running = std::list<std::shared_ptr<Task>>;

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopped_ || !ready_.empty(); });
      if (stopped_) return;
      Channel& channel = *ready_.front();
      ready_.pop_front();
      if (&channel == &unordered_) {
        const std::shared_ptr<Task> task = take(channel);
        if (!channel.waiting.empty()) make_ready(channel);
        run(task, lock);
      } else {
        serve(channel, lock);
      }
    }
  }

  /// Some tasks of one channel, in order.
  void serve(Channel& channel, std::unique_lock<std::mutex>& lock) {
    channel.worker = true;
    std::string name;
    for (std::size_t i = 0; i < kTaskStreak && !channel.waiting.empty() && !stopped_; ++i) {
      const std::shared_ptr<Task> task = take(channel);
      if (i == 0) name = task->channel;
      run(task, lock);
    }
    channel.worker = false;
    if (channel.waiting.empty()) {
      channels_.erase(name);
    } else {
      make_ready(channel);
    }
  }

  std::shared_ptr<Task> take(Channel& channel) {
    std::shared_ptr<Task> task = std::move(channel.waiting.front());
    channel.waiting.pop_front();
    --counts_.waiting;
    return task;
  }
  void make_ready(Channel& channel) {
    ready_.push_back(&channel);
    wake_.notify_one();
  }

  void run(const std::shared_ptr<Task>& task, std::unique_lock<std::mutex>& lock) {
    ++counts_.running;
    const Running::iterator place = running_.insert(running_.end(), task);
    lock.unlock();
    task->run();
    lock.lock();
    running_.erase(place);
    --counts_.running;
    ++counts_.run;
    if (!task->given_up) post(task, &Task::complete);
    if (counts_.waiting == 0 && counts_.running == 0) idle_.notify_all();
  }

  /// Under the mutex, so that completions of a channel are posted in its order, and none once
  /// shutdown() has returned.
  void post(const std::shared_ptr<Task>& task, void (Task::*tell)()) {
    loop_->run_later(task->name(), [self = shared_from_this(), task, tell] {
      const bool dropped = task->owned && task->owner.expired();
      {
        const std::lock_guard lock(self->mutex_);
        --self->unsettled_;
        if (dropped) ++self->counts_.dropped;
      }
      ((*task).*(dropped ? &Task::drop : tell))();
    });
  }

  TasksLeft give_up() {
    std::map<std::string, TasksLeft::Channel> channels;
    TasksLeft left;
    const auto give_up = [&](const std::shared_ptr<Task>& task, bool running) {
      task->given_up = true;
      ++(running ? left.running : left.never_ran);
      TasksLeft::Channel& channel = channels[task->channel];
      ++(running ? channel.running : channel.never_ran);
      post(task, &Task::give_up);
    };
    for (const std::shared_ptr<Task>& task : running_) give_up(task, true);
    for (const std::shared_ptr<Task>& task : unordered_.waiting) give_up(task, false);
    for (auto& [name, channel] : channels_) {
      for (const std::shared_ptr<Task>& task : channel.waiting) give_up(task, false);
      channel.waiting.clear();
    }
    std::erase_if(channels_, [](const auto& entry) { return !entry.second.worker; });
    unordered_.waiting.clear();
    ready_.clear();
    counts_.waiting = 0;
    for (auto& [name, channel] : channels) {
      if (left.channels.size() == kMaxReportedChannels) break;
      channel.name = name;
      left.channels.push_back(std::move(channel));
    }
    return left;
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;  // a channel is ready, or all is over
  std::condition_variable idle_;  // nothing waits or runs
  Executor* loop_;                // null after shutdown()
  TaskOptions options_;
  std::vector<std::thread> threads_;
  std::unordered_map<std::string, Channel> channels_;  // references stay valid
  Channel unordered_;
  std::deque<Channel*> ready_;
  Running running_;
  std::size_t unsettled_ = 0;  // submitted, and the completion has not run
  TaskCounts counts_;
  bool closed_ = false;
  bool stopped_ = false;
};

TaskChannels::TaskChannels(Executor& loop, TaskOptions options)
    : state_(std::make_shared<State>(loop, options)) {
  state_->start();
}

TaskChannels::~TaskChannels() {
  shutdown(std::chrono::milliseconds(0));
}

bus::Result<> TaskChannels::add(std::string_view channel, std::shared_ptr<Task> task) {
  return state_->add(channel, std::move(task));
}

TaskCounts TaskChannels::counts() const {
  return state_->counts();
}

TasksLeft TaskChannels::shutdown(std::chrono::milliseconds longest) {
  return state_->shutdown(longest);
}

}  // namespace starbus::nodes
