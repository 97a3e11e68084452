#include "nodes/runtime/tasks/work_queue.hpp"

#include <utility>

namespace starbus::nodes {

bus::Result<> WorkQueue::post(WorkName name, std::function<void()> closure) {
  return add(name, std::move(closure), true);
}

void WorkQueue::post_bounded(WorkName name, std::function<void()> closure) {
  (void)add(name, std::move(closure), false);
}

bus::Result<> WorkQueue::add(WorkName name, std::function<void()> closure, bool bounded) {
  const std::lock_guard lock(mutex_);
  if (closed_) return bus::Errc::closed;
  if (bounded && posted_.size() + mine_left_ >= capacity_) return bus::Errc::would_block;
  posted_.push_back({name, std::move(closure)});
  if (!std::exchange(awake_, true)) wake_();
  return {};
}

std::optional<Work> WorkQueue::take() {
  if (mine_.empty()) {
    const std::lock_guard lock(mutex_);
    mine_.swap(posted_);
    mine_left_ = mine_.size();
    if (mine_.empty()) {
      awake_ = false;
      return std::nullopt;
    }
  }
  std::optional<Work> work(std::move(mine_.front()));
  mine_.pop_front();
  --mine_left_;
  return work;
}

void WorkQueue::close() {
  std::deque<Work> dropped;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(posted_);
    mine_left_ = 0;
  }
  // Outside the mutex: what closures captured may post when it ends.
  dropped.clear();
  mine_.clear();
}

std::size_t WorkQueue::size() const {
  const std::lock_guard lock(mutex_);
  return posted_.size() + mine_left_;
}

}  // namespace starbus::nodes
