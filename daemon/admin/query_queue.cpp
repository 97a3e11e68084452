#include "daemon/admin/query_queue.hpp"

#include <algorithm>
#include <utility>

namespace starbus::daemon {

QueryQueue::QueryQueue(boost::asio::io_context& loop) : timer_(loop) {}

void QueryQueue::push(From from, Make make, Reply reply) {
  thread_.check();
  Line& line = lines_[from == From::here ? 0 : 1];
  if (line.waiting.size() >= kWaiting) {
    // Who asks waits for an answer, so it gets this one. More are not worth a note.
    if (line.refused.size() < kWaiting) line.refused.push_back(std::move(reply));
  } else {
    line.waiting.push_back({std::move(make), std::move(reply)});
  }
  if (!awake_) wake(std::chrono::nanoseconds(0));
}

void QueryQueue::wake(std::chrono::nanoseconds after) {
  awake_ = true;
  timer_.expires_after(after);
  timer_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !weak.expired()) serve();
  });
}

void QueryQueue::serve() {
  const auto begin = std::chrono::steady_clock::now();
  for (Line& line : lines_) {
    for (; !line.refused.empty(); line.refused.pop_front()) {
      line.refused.front()(Response::error(503, "too many questions wait: ask again"));
    }
  }
  if (lines_[next_].waiting.empty()) next_ = 1 - next_;
  if (Line& line = lines_[next_]; !line.waiting.empty()) {
    const Question question = std::move(line.waiting.front());
    line.waiting.pop_front();
    question.reply(question.make());
    next_ = 1 - next_;
  }
  awake_ = false;
  if (!is_empty()) wake(kRest * (std::chrono::steady_clock::now() - begin));
}

bool QueryQueue::is_empty() const {
  return std::ranges::all_of(
      lines_, [](const Line& line) { return line.waiting.empty() && line.refused.empty(); });
}

}  // namespace starbus::daemon
