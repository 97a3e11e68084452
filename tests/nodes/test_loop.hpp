/// The queue of a loop, for tests: the test's thread is the loop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

#include "nodes/runtime/tasks/executor.hpp"

namespace starbus::nodes::test {

class Loop : public Executor {
 public:
  void run_later(WorkName, std::function<void()> closure) override {
    const std::lock_guard lock(mutex_);
    closures_.push_back(std::move(closure));
    posted_.notify_one();
  }
  /// Runs closures until so many have run.
  void run(std::size_t count) {
    for (; count > 0; --count) {
      std::unique_lock lock(mutex_);
      posted_.wait(lock, [this] { return !closures_.empty(); });
      run_one(lock);
    }
  }
  /// Runs closures until `done`; false: none came in a minute.
  template <class Done>
  bool run_until(Done&& done) {
    while (!done()) {
      std::unique_lock lock(mutex_);
      const auto some = [this] { return !closures_.empty(); };
      if (!posted_.wait_for(lock, std::chrono::seconds(60), some)) return false;
      run_one(lock);
    }
    return true;
  }
  std::size_t run_what_is_there() {
    std::size_t count = 0;
    for (; size() > 0; ++count) run(1);
    return count;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return closures_.size();
  }

 private:
  void run_one(std::unique_lock<std::mutex>& lock) {
    const std::function<void()> closure = std::move(closures_.front());
    closures_.pop_front();
    lock.unlock();
    closure();
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> closures_;
};

}  // namespace starbus::nodes::test
