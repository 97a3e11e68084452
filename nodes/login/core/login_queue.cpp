#include "nodes/login/core/login_queue.hpp"

#include <algorithm>

namespace starbus::nodes::login {

bool LoginQueue::full() const {
  return waiting_.size() >= places_ || next_ - first() >= kQueueSpan;
}

void LoginQueue::appear(AttemptId id, Waiting& waiting, Time now) {
  waiting.present = true;
  waiting.at = now;
  waiting.told = ahead_of(waiting);
  waiting.left = left_;
  present_.emplace(waiting.number, id);
  waiting.place = told_.insert(told_.end(), id);
}

void LoginQueue::drop(Waiting& waiting) {
  if (waiting.present) {
    present_.erase(waiting.number);
    told_.erase(waiting.place);
  } else {
    gone_.erase(waiting.place);
  }
}

bool LoginQueue::join(AttemptId id, Time now) {
  if (full()) return false;
  Waiting& waiting = waiting_[id];
  waiting.number = next_++;
  waiting.since = now;
  order_.emplace(waiting.number, id);
  ranks_.add(waiting.number);
  appear(id, waiting, now);
  return true;
}

void LoginQueue::replace(AttemptId id, AttemptId next, Time now) {
  auto node = waiting_.extract(id);
  drop(node.mapped());
  node.key() = next;
  Waiting& waiting = waiting_.insert(std::move(node)).position->second;
  order_[waiting.number] = next;
  appear(next, waiting, now);
}

void LoginQueue::gone(AttemptId id, Time now) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end() || !found->second.present) return;
  drop(found->second);
  found->second.present = false;
  found->second.at = now;
  found->second.place = gone_.insert(gone_.end(), id);
}

void LoginQueue::remove(AttemptId id) {
  const auto found = waiting_.find(id);
  drop(found->second);
  ranks_.remove(found->second.number);
  order_.erase(found->second.number);
  waiting_.erase(found);
  ++left_;
}

bool LoginQueue::leave(AttemptId id) {
  if (!waiting_.contains(id)) return false;
  remove(id);
  return true;
}

std::optional<AttemptId> LoginQueue::admit() {
  if (present_.empty()) return std::nullopt;
  const AttemptId id = present_.begin()->second;
  remove(id);
  return id;
}

bool LoginQueue::present(AttemptId id) const {
  const auto found = waiting_.find(id);
  return found != waiting_.end() && found->second.present;
}

std::uint64_t LoginQueue::ahead(AttemptId id) const {
  return ahead_of(waiting_.at(id));
}

/// Those who were told later know at least as much: if nobody has left since, all are done.
bool LoginQueue::tell_next(Time now, std::vector<Tell>& tells) {
  if (told_.empty()) return false;
  const AttemptId id = told_.front();
  Waiting& waiting = waiting_.at(id);
  if (waiting.left == left_ || waiting.at + kQueueTell > now) return false;
  const std::uint64_t ahead = ahead_of(waiting);
  if (ahead != waiting.told) tells.push_back({id, ahead});
  waiting.told = ahead;
  waiting.left = left_;
  waiting.at = now;
  told_.splice(told_.end(), told_, waiting.place);
  return true;
}

LoginQueue::Step LoginQueue::step(Time now) {
  Step step;
  while (!gone_.empty() && step.left.size() < kTellsAtOnce &&
         waiting_.at(gone_.front()).at + kQueueKeep <= now) {
    step.left.push_back(gone_.front());
    remove(gone_.front());
  }
  while (!order_.empty() && step.expired.size() < kTellsAtOnce &&
         waiting_.at(order_.begin()->second).since + kQueueLongest <= now) {
    const AttemptId id = order_.begin()->second;
    (present(id) ? step.expired : step.left).push_back(id);
    remove(id);
  }
  for (std::size_t i = 0; i < kTellsAtOnce && tell_next(now, step.tells);) ++i;
  return step;
}

std::optional<Time> LoginQueue::next() const {
  std::optional<Time> next;
  const auto at = [&next](Time time) { next = next ? std::min(*next, time) : time; };
  if (!gone_.empty()) at(waiting_.at(gone_.front()).at + kQueueKeep);
  if (!order_.empty()) at(waiting_.at(order_.begin()->second).since + kQueueLongest);
  if (!told_.empty()) {
    const Waiting& waiting = waiting_.at(told_.front());
    if (waiting.left != left_) at(waiting.at + kQueueTell);
  }
  return next;
}

}  // namespace starbus::nodes::login
