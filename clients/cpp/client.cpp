#include "clients/cpp/client.hpp"

#include <poll.h>

#include <algorithm>
#include <random>
#include <utility>

namespace starbus::game {

namespace {

Settings seeded(Settings settings) {
  if (settings.seed == 0) settings.seed = std::random_device()();
  return settings;
}

}  // namespace

Client::Client(Options options, Events& events)
    : session_(seeded(std::move(options.settings)), events),
      way_{std::move(options.tls), std::move(options.web_socket), std::move(options.from)},
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

Traffic Client::traffic() const {
  if (!connection_) return before_;
  return {before_.in + connection_->traffic().in, before_.out + connection_->traffic().out};
}

bool Client::cut_after(std::size_t bytes) {
  if (!connection_ || !connection_->open()) return false;
  connection_->cut_after(bytes);
  return true;
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
  if (!session_.connection()) drop();
  if (const auto address = session_.connect(now())) {
    connection_ = std::make_unique<Connection>(*address, way_, resolver_);
    told_open_ = false;
    receive();
  }
  send();
  serving_ = false;
}

void Client::flush() {
  if (!serving_) send();
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
  if (connection_->failed() || connection_->broken()) session_.disconnected(now());
  if (!session_.connection()) drop();
}

void Client::drop() {
  if (!connection_) return;
  if (!connection_->why().empty()) trouble_ = connection_->why();
  before_ = traffic();
  connection_.reset();
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
