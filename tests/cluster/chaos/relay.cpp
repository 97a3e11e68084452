#include "tests/cluster/chaos/relay.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace starbus::cluster_test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostWaiting = 4 << 20;  // per way; then the sender's own socket fills up

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void reset_and_close(int fd) {
  const linger hard{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  ::close(fd);
}

void prepare(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

}  // namespace

Relay::Relay(int to_port) : to_port_(to_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("a relay cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

Relay::~Relay() {
  stopping_ = true;
  thread_.join();
  for (Pair& pair : pairs_) end(pair);
  ::close(listener_);
}

void Relay::run() {
  while (!stopping_) {
    std::vector<pollfd> polled = {{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      for (const Way& way : pair.ways) {
        const bool full = way.waiting >= kMostWaiting;
        polled.push_back({way.from, static_cast<short>(full ? 0 : POLLIN), 0});
      }
    }
    // Parcels become due meanwhile.
    const bool idle = std::all_of(pairs_.begin(), pairs_.end(), [](const Pair& pair) {
      return pair.ways[0].parcels.empty() && pair.ways[1].parcels.empty();
    });
    ::poll(polled.data(), polled.size(), idle ? 5 : 1);
    const std::uint64_t resets = resets_;
    const bool reset_all = std::exchange(resets_done_, resets) != resets;
    for (Pair& pair : pairs_) {
      pair.over |= reset_all;
      for (Way& way : pair.ways) receive(pair, way);
      for (Way& way : pair.ways) forward(pair, way);
      if (pair.over) end(pair);
    }
    pairs_.remove_if([](const Pair& pair) { return pair.over; });
    accept_one();
  }
}

void Relay::accept_one() {
  const int near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (near < 0) return;
  const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(to_port_);
  if (mode_ == Mode::refuse ||
      ::connect(far, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    reset_and_close(near);
    ::close(far);
    return;
  }
  prepare(near);
  prepare(far);
  ++connections_;
  Pair& pair = pairs_.emplace_back();
  pair.ways[0].from = pair.ways[1].to = near;
  pair.ways[0].to = pair.ways[1].from = far;
}

void Relay::receive(Pair& pair, Way& way) {
  char part[65'536];
  while (!pair.over && way.waiting < kMostWaiting) {
    const ssize_t size = ::recv(way.from, part, sizeof part, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
      pair.over = true;
      return;
    }
    pair.half_open |= mode_ == Mode::swallow;
    if (pair.half_open) continue;
    const auto due = Clock::now() + std::chrono::milliseconds(delay_ms_);
    way.parcels.push_back({due, std::string(part, static_cast<std::size_t>(size))});
    way.waiting += static_cast<std::size_t>(size);
  }
}

void Relay::forward(Pair& pair, Way& way) {
  while (!pair.over && !way.parcels.empty() && way.parcels.front().due <= Clock::now()) {
    Parcel& parcel = way.parcels.front();
    const ssize_t size = ::send(way.to, parcel.bytes.data(), parcel.bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size < 0) {
      pair.over = true;
      return;
    }
    way.waiting -= static_cast<std::size_t>(size);
    parcel.bytes.erase(0, static_cast<std::size_t>(size));
    if (parcel.bytes.empty()) way.parcels.pop_front();
  }
}

void Relay::end(Pair& pair) {
  reset_and_close(pair.ways[0].from);
  reset_and_close(pair.ways[0].to);
}

}  // namespace starbus::cluster_test
