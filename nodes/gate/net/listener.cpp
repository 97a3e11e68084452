#include "nodes/gate/net/listener.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "nodes/gate/net/limits.hpp"

namespace starbus::nodes::gate::net {
namespace {

constexpr int kBacklog = 4'096;  // the kernel takes the lesser of this and net.core.somaxconn
constexpr int kLongestPause = 16;
constexpr int kKeepIdle = 60;  // seconds; of a connection whose owner has paused it
constexpr int kKeepInterval = 15;
constexpr int kKeepCount = 4;

void set(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof value);
}

FileDescriptor open_spare() {
  return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

Error refused(const PeerAddress& address, const char* call) {
  return {bus::Errc::io_error, address.to_string() + ": " + call + ": " +
                                   std::generic_category().message(errno) +
                                   "; free the address, or give another one"};
}

PeerAddress own_address(int descriptor) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size);
  return address_of(own).value_or(PeerAddress{});
}

bool is_exhausted(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

void tune_client(int descriptor) {
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdle);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kKeepInterval);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kKeepCount);
}

}  // namespace

Result<FileDescriptor> Listener::open(const PeerAddress& address, bool reuse_port) {
  FileDescriptor socket(::socket(address.v6 ? AF_INET6 : AF_INET,
                                 SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!socket) return refused(address, "socket");
  set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.v6) set(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (reuse_port) set(socket.get(), SOL_SOCKET, SO_REUSEPORT, 1);
  sockaddr_storage system{};
  const socklen_t size = to_system(address, system);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&system), size) != 0) {
    return refused(address, "bind");
  }
  if (::listen(socket.get(), kBacklog) != 0) return refused(address, "listen");
  return socket;
}

Listener::Listener(boost::asio::io_context& loop, FileDescriptor socket, OnAccept on_accept,
                   OnExhausted on_exhausted)
    : address_(own_address(socket.get())),
      socket_(loop, socket.release()),
      timer_(loop),
      on_accept_(std::move(on_accept)),
      on_exhausted_(std::move(on_exhausted)),
      spare_(open_spare()),
      pause_(kAcceptPause) {
  wait();
}

Listener::~Listener() {
  stop();
}

void Listener::stop() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
}

void Listener::wait() {
  socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
                       if (!error && !alive.expired() && socket_.is_open()) accept();
                     });
}

void Listener::accept() {
  for (std::uint64_t i = 0; i < kAcceptTurn; ++i) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    FileDescriptor client(::accept4(socket_.native_handle(), reinterpret_cast<sockaddr*>(&peer),
                                    &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) {
      const int error = errno;
      if (is_exhausted(error)) return pause(error);
      if (error == EAGAIN) break;
      continue;  // that connection is gone already
    }
    pause_ = kAcceptPause;
    tune_client(client.get());
    on_accept_(std::move(client), address_of(peer).value_or(PeerAddress{}));
    if (!socket_.is_open()) return;
  }
  wait();
}

void Listener::pause(int error) {
  if (spare_) {
    spare_ = {};
    const FileDescriptor cut(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  spare_ = open_spare();
  on_exhausted_(error);
  timer_.expires_after(pause_);
  pause_ = std::min(2 * pause_, kLongestPause * kAcceptPause);
  timer_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& failed) {
    if (!failed && !alive.expired() && socket_.is_open()) accept();
  });
}

}  // namespace starbus::nodes::gate::net
