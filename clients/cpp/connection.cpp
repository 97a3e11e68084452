#include "clients/cpp/connection.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "clients/cpp/limits.hpp"

namespace starbus::game {

Connection::Connection(const std::string& address, std::shared_ptr<const Tls> tls,
                       std::shared_ptr<Resolver> resolver)
    : address_(address), tls_(std::move(tls)), resolver_(std::move(resolver)) {
  if (auto parts = address_of(address)) {
    lookup_ = resolver_->look_up(*std::move(parts));
  } else {
    fail("not an address, write host:port");
  }
}

Connection::~Connection() {
  close_socket();
}

void Connection::close_socket() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void Connection::fail(const std::string& why) {
  close_socket();
  stage_ = Stage::failed;
  why_ = address_ + ": " + why;
}

bool Connection::step() {
  if (stage_ == Stage::resolving && lookup_->done) connect_next("no such host, check the name");
  if (stage_ == Stage::connecting) finish_connecting();
  if (stage_ != Stage::shaking && stage_ != Stage::open) return false;
  write_some();
  const bool heard = read_some();
  if (!failed()) write_some();
  return heard;
}

void Connection::connect_next(const std::string& before) {
  close_socket();
  std::string why = before;
  while (endpoint_ < lookup_->endpoints.size()) {
    const Endpoint& to = lookup_->endpoints[endpoint_++];
    fd_ = socket(to.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return fail(std::string(std::strerror(errno)) + ", raise the limit of open files");
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto* const where = reinterpret_cast<const sockaddr*>(&to.address);
    if (connect(fd_, where, to.size) == 0 || errno == EINPROGRESS) {
      stage_ = Stage::connecting;
      return;
    }
    why = std::string(std::strerror(errno)) + ", check that a gate runs there";
    close_socket();
  }
  fail(why);
}

void Connection::finish_connecting() {
  pollfd ready{fd_, POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1) return;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    return connect_next(std::string(std::strerror(error)) + ", check that a gate runs there");
  }
  if (!tls_) return set_open();
  stage_ = Stage::shaking;
  stream_.emplace(tls_, lookup_->address.host);
}

void Connection::set_open() {
  stage_ = Stage::open;
  opened_ = true;
}

bool Connection::read_some() {
  std::byte part[16 * 1024];
  std::size_t total = 0;
  while (total < kReadTurn && !failed()) {
    const ssize_t size = recv(fd_, part, sizeof part, 0);
    if (size > 0) {
      total += static_cast<std::size_t>(size);
      take(ByteView(part).first(static_cast<std::size_t>(size)));
    } else if (size < 0 && errno == EINTR) {
      continue;
    } else {
      const bool waits = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
      if (!waits) fail(size == 0 ? "closed by the gate, connect again" : std::strerror(errno));
      break;
    }
  }
  return total != 0;
}

void Connection::take(ByteView bytes) {
  if (!stream_) return frames_.append(bytes);
  Bytes plain;
  const bool good = stream_->take(bytes, plain);
  if (!plain.empty()) frames_.append(plain);
  if (!good) {
    write_some();  // the alert that tells the gate
    return fail(stream_->why() + ", check the certificate");
  }
  if (stream_->ready()) set_open();
}

bool Connection::room() const {
  return out_.size() < kSocketBytes;
}

void Connection::put(ByteView frame) {
  if (!stream_) return put_frame(frame, out_);
  Bytes plain;
  put_frame(frame, plain);
  if (!stream_->put(plain)) return fail(stream_->why());
  const Bytes cipher = stream_->output();
  out_.insert(out_.end(), cipher.begin(), cipher.end());
}

void Connection::flush() {
  if (open()) write_some();
}

bool Connection::wants_write() const {
  return stage_ == Stage::connecting || !out_.empty();
}

void Connection::write_some() {
  if (stream_) {
    const Bytes cipher = stream_->output();
    out_.insert(out_.end(), cipher.begin(), cipher.end());
  }
  std::size_t written = 0;
  while (written < out_.size()) {
    const ssize_t size = send(fd_, out_.data() + written, out_.size() - written, MSG_NOSIGNAL);
    if (size > 0) {
      written += static_cast<std::size_t>(size);
    } else if (errno != EINTR) {
      break;  // a lost connection shows when it is read
    }
  }
  out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(written));
}

}  // namespace starbus::game
