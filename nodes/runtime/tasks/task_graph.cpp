#include "nodes/runtime/tasks/task_graph.hpp"

#include <algorithm>

namespace starbus::nodes {

using bus::Errc;
using bus::Error;

bus::Result<TaskGraph::Id> TaskGraph::add(const std::vector<Id>& after, Piece piece) {
  if (nodes_.size() == kMaxGraphTasks) {
    return Error(Errc::would_block, "a graph has at most " + std::to_string(kMaxGraphTasks));
  }
  const bus::Result<std::size_t> waits = waits_for(after);
  if (!waits) return waits.error();
  const Id id = next_id();
  nodes_.push_back({State::waiting, *waits, {}, std::move(piece)});
  if (*waits == 0 && begun_ < at_once_ && ready_.empty()) {
    const bus::Result<> begun = begin(id.number);
    if (!begun) {
      nodes_.pop_back();
      return begun.error();
    }
  } else if (*waits == 0) {
    ready_.push_back(id.number);
  } else {
    for (const Id other : after) {
      if (node(other.number).state != State::succeeded) {
        node(other.number).followers.push_back(id.number);
      }
    }
  }
  ++counts_.added;
  return id;
}

/// How many completions are to come; one that is named twice counts twice, and comes twice.
bus::Result<std::size_t> TaskGraph::waits_for(const std::vector<Id>& after) const {
  std::size_t waits = 0;
  for (const Id id : after) {
    if (id.number == 0 || id.number > nodes_.size()) {
      return Error(Errc::handler_failed, "no task " + std::to_string(id.number));
    }
    const State state = node(id.number).state;
    if (state == State::failed) {
      return Error(Errc::handler_failed, "task " + std::to_string(id.number) + " has failed");
    }
    if (state != State::succeeded) ++waits;
  }
  return waits;
}

void TaskGraph::when_done(std::function<void(const Counts&)> callback) {
  when_done_ = std::move(callback);
  if (counts_.remaining() == 0 && !settling_ && when_done_) {
    const auto told = when_done_;  // it may be replaced, or the graph may end, within
    told(counts_);
  }
}

bus::Result<> TaskGraph::begin(std::size_t number) {
  const bus::Result<> begun = node(number).piece.start();
  if (!begun) return begun;
  node(number).state = State::begun;
  node(number).piece = {};
  ++begun_;
  return {};
}

/// Its completion has returned.
void TaskGraph::finished(std::size_t number, const std::string& reason) {
  --begun_;
  node(number).state = reason.empty() ? State::succeeded : State::failed;
  ++(reason.empty() ? counts_.succeeded : counts_.failed);
  for (const std::size_t follower : std::exchange(node(number).followers, {})) {
    Node& next = node(follower);
    if (!reason.empty()) {
      doomed_.emplace_back(follower, "task " + std::to_string(number) + " failed: " + reason);
    } else if (--next.waits == 0 && next.state == State::waiting) {
      ready_.push_back(follower);
    }
  }
  settle();
}

/// Begins tasks that may begin, and fails those that never will. A callback may add tasks, or end
/// the graph.
void TaskGraph::settle() {
  settling_ = true;
  const std::weak_ptr<bool> alive = alive_;
  while (!doomed_.empty() || (!ready_.empty() && begun_ < at_once_)) {
    if (doomed_.empty()) {
      const std::size_t number = ready_.front();
      ready_.pop_front();
      const bus::Result<> begun = begin(number);
      if (begun) continue;
      doomed_.emplace_back(number, begun.error().to_string());
    }
    const auto [number, reason] = std::move(doomed_.front());
    doomed_.pop_front();
    Node& node = this->node(number);
    if (node.state != State::waiting) continue;  // two that it waited for have failed
    node.state = State::failed;
    ++counts_.failed;
    for (const std::size_t follower : std::exchange(node.followers, {})) {
      doomed_.emplace_back(follower, reason);
    }
    const Refuse refuse = std::move(std::exchange(node.piece, {}).refuse);
    refuse(Error(Errc::handler_failed, reason));
    if (alive.expired()) return;
  }
  settling_ = false;
  if (counts_.remaining() > 0 || !when_done_) return;
  const auto told = when_done_;
  told(counts_);
}

}  // namespace starbus::nodes
