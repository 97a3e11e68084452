#include "bench/gate/load/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

namespace starbus::bench::gate {
namespace {

Failure system_failure(const std::string& what) {
  return fail(what + ": " + std::strerror(errno));
}

}  // namespace

TlsContext client_tls() {
  TlsContext context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  return context;
}

Result<Socket> Socket::connect(int port, const TlsContext& tls) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket.handle_ < 0 ||
      ::connect(socket.handle_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    return system_failure("cannot connect to port " + std::to_string(port));
  }
  const int on = 1;
  ::setsockopt(socket.handle_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (tls) {
    if (const auto shaken = socket.shake_hands(tls); !shaken) return shaken.error();
  }
  ::fcntl(socket.handle_, F_SETFL, O_NONBLOCK);
  return socket;
}

Socket::Socket(Socket&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)),
      ssl_(std::move(other.ssl_)),
      unsent_(std::move(other.unsent_)) {}

Socket::~Socket() {
  if (handle_ >= 0) ::close(handle_);
}

Result<void> Socket::shake_hands(const TlsContext& tls) {
  ssl_.reset(SSL_new(tls.get()));
  if (!ssl_ || SSL_set_fd(ssl_.get(), handle_) != 1 || SSL_connect(ssl_.get()) != 1) {
    return fail("TLS: the handshake has failed");
  }
  return {};
}

bool Socket::read(std::string& to) {
  std::array<char, 16 * 1024> buffer{};
  for (;;) {
    ssize_t got = 0;
    if (ssl_) {
      got = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
      if (got <= 0) return SSL_get_error(ssl_.get(), static_cast<int>(got)) == SSL_ERROR_WANT_READ;
    } else {
      got = ::read(handle_, buffer.data(), buffer.size());
      if (got <= 0) return got < 0 && errno == EAGAIN;
    }
    to.append(buffer.data(), static_cast<std::size_t>(got));
    // A plain socket has no more, as a rule; what there is makes it readable again.
    if (!ssl_ && static_cast<std::size_t>(got) < buffer.size()) return true;
  }
}

// -1: the other side has hung up.
ssize_t Socket::write_some(std::string_view bytes) {
  if (ssl_) {
    const int sent = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (sent > 0) return sent;
    return SSL_get_error(ssl_.get(), sent) == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }
  const ssize_t sent = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 && errno == EAGAIN ? 0 : sent;
}

bool Socket::write(std::string_view bytes) {
  if (!unsent_.empty()) {
    unsent_.append(bytes);
    bytes = unsent_;
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent = write_some(bytes.substr(done));
    if (sent < 0) return false;
    if (sent == 0) break;
    done += static_cast<std::size_t>(sent);
  }
  if (unsent_.empty()) {
    unsent_.assign(bytes.substr(done));
  } else {
    unsent_.erase(0, done);
  }
  return true;
}

Result<void> allow_files(std::size_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= count) return {};
  limit.rlim_cur = count;
  limit.rlim_max = std::max<rlim_t>(limit.rlim_max, count);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return system_failure("cannot open " + std::to_string(count) + " files (ulimit -n)");
}

void allow_client_files() {
  constexpr std::size_t kFiles = 20'000;  // of each process
  if (const auto files = allow_files(kFiles); !files) std::cerr << files.error().what << "\n";
}

}  // namespace starbus::bench::gate
