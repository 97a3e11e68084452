#include "clients/cpp/client.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace starbus::game {

Client::Client(Options options, Events& events)
    : session_(std::move(options.settings), events),
      tls_(std::move(options.tls)),
      resolver_(Resolver::shared()) {}

Client::~Client() = default;

Time Client::now() {
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch());
}

Time Client::deadline() const {
  const Time due = session_.deadline();
  // Names are looked up in another thread, which wakes nobody.
  return connection_ && connection_->resolving() ? std::min(due, now() + kLookAgain) : due;
}

void Client::poll(milliseconds most) {
  const Time until = std::min(deadline(), now() + std::max(most, milliseconds(0)));
  const milliseconds wait = std::clamp(until - now(), milliseconds(0), milliseconds(60'000));
  pollfd socket{fd(), POLLIN, 0};
  if (wants_write()) socket.events |= POLLOUT;
  ::poll(&socket, 1, static_cast<int>(wait.count()));
  service();
}

void Client::service() {
  if (std::exchange(serving_, true)) return;
  receive();
  session_.tick(now());
  if (!session_.connection()) connection_.reset();
  if (const auto address = session_.connect(now())) {
    connection_ = std::make_unique<Connection>(*address, tls_, resolver_);
    told_open_ = false;
    receive();
  }
  send();
  serving_ = false;
}

void Client::receive() {
  if (!connection_) return;
  if (connection_->step()) session_.heard(now());
  if (connection_->opened() && !std::exchange(told_open_, true)) session_.connected(now());
  while (session_.connection()) {
    const auto frame = connection_->next_frame();
    if (!frame) break;
    session_.received(*frame, now());
  }
  if (connection_->failed() || connection_->broken()) {
    trouble_ = connection_->why();
    session_.disconnected(now());
  }
  if (!session_.connection()) connection_.reset();
}

void Client::send() {
  if (!connection_ || !connection_->open()) return;
  while (connection_->room()) {
    const auto frame = session_.next_frame();
    if (!frame) break;
    connection_->put(*frame);
  }
  connection_->flush();
}

}  // namespace starbus::game
