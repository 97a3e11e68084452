#include "bench/bus/socket_stream.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

namespace starbus::bench {
namespace {

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

sockaddr_in tcp_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void make_ready(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // no effect on unix sockets
  // Unix sockets hold 208 KiB by default, which makes sender and relay take turns.
  const int bytes = 1 << 20;
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

template <class SocketAddress>
int listen_at(int family, const SocketAddress& address) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (bind(descriptor, generic, sizeof address) == 0 && listen(descriptor, 64) == 0) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}

template <class SocketAddress>
int connect_to(int family, const SocketAddress& address) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    make_ready(descriptor);
    return descriptor;
  }
  close(descriptor);
  return -1;
}

}  // namespace

SocketStream::~SocketStream() {
  close(descriptor_);
}

void SocketStream::append(Address to, std::string_view payload) {
  const FrameHeader header{static_cast<std::uint32_t>(payload.size()), to};
  const char* bytes = reinterpret_cast<const char*>(&header);
  output_.append(bytes, sizeof header);
  output_.append(payload);
}

bool SocketStream::write_some() {
  while (written_ < output_.size()) {
    const ssize_t put =
        ::send(descriptor_, output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno == EAGAIN;
    written_ += static_cast<std::size_t>(put);
  }
  output_.clear();
  written_ = 0;
  return true;
}

long SocketStream::receive() {
  const ssize_t got = recv(descriptor_, input_.data() + filled_, input_.size() - filled_, 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (got == 0) return -1;
  filled_ += static_cast<std::size_t>(got);
  return got;
}

void SocketStream::keep_from(std::size_t at) {
  filled_ -= at;
  if (at != 0 && filled_ != 0) std::memmove(input_.data(), input_.data() + at, filled_);
}

int listen_unix(const std::string& path) {
  return listen_at(AF_UNIX, unix_address(path));
}
int connect_unix(const std::string& path) {
  return connect_to(AF_UNIX, unix_address(path));
}
int listen_tcp(int port) {
  return listen_at(AF_INET, tcp_address(port));
}
int connect_tcp(int port) {
  return connect_to(AF_INET, tcp_address(port));
}

int accept_stream(int listener) {
  const int descriptor = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor >= 0) make_ready(descriptor);
  return descriptor;
}

std::string socket_path(const Plan& plan, int host) {
  return plan.directory + "/host" + std::to_string(host) + ".sock";
}

}  // namespace starbus::bench
