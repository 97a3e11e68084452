#include "daemon/admin/query_queue.hpp"

#include <utility>

namespace starbus::daemon {

QueryQueue::QueryQueue(boost::asio::io_context& loop, Answer answer, Send send)
    : timer_(loop), answer_(std::move(answer)), send_(std::move(send)) {}

void QueryQueue::push(bus::Query query) {
  thread_.check();
  if (waiting_.size() >= kWaiting) {
    // The asking daemon waits for an answer, so it gets this one. More are not worth a note.
    if (refused_.size() < kWaiting) refused_.push_back(std::move(query));
  } else {
    waiting_.push_back(std::move(query));
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
  for (; !refused_.empty(); refused_.pop_front()) {
    reply(refused_.front(), Response::error(503, "too many questions wait: ask again"));
  }
  if (!waiting_.empty()) {
    const bus::Query query = std::move(waiting_.front());
    waiting_.pop_front();
    reply(query, answer_(query.path));
  }
  awake_ = false;
  if (!waiting_.empty() || !refused_.empty()) {
    wake(kRest * (std::chrono::steady_clock::now() - begin));
  }
}

void QueryQueue::reply(const bus::Query& query, const Response& response) {
  const bus::ByteView body = bus::as_bytes(response.body);
  bus::Answer answer;
  answer.to_host = query.from_host;
  answer.number = query.number;
  answer.status = static_cast<std::uint16_t>(response.status);
  answer.body.assign(body.begin(), body.end());
  send_(answer);
}

}  // namespace starbus::daemon
