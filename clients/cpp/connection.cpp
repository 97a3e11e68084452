#include "clients/cpp/connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "clients/cpp/limits.hpp"

namespace starbus::game {

namespace {

/// Bytes of one call of recv(); fewer that come were all.
constexpr std::size_t kPart = 16 * 1024;

/// Connections of one address of this host, which has fewer ports than a program may have clients.
bool bind_to(int socket, const std::string& from) {
  sockaddr_storage address{};
  auto* const four = reinterpret_cast<sockaddr_in*>(&address);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&address);
  socklen_t size = sizeof *four;
  if (inet_pton(AF_INET, from.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
  } else if (inet_pton(AF_INET6, from.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    size = sizeof *six;
  } else {
    errno = EINVAL;
    return false;
  }
  const int on = 1;  // the port is chosen when it is known where to
  setsockopt(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  return bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0;
}

}  // namespace

Connection::Connection(const std::string& address, Way way, std::shared_ptr<Resolver> resolver)
    : address_(address),
      way_(std::move(way)),
      resolver_(std::move(resolver)),
      why_(address + ": no answer in time, check that a gate runs there") {
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
    if (!way_.from.empty() && !bind_to(fd_, way_.from)) {
      return fail("from " + way_.from + ": " + std::strerror(errno) +
                  ", use an address of this host");
    }
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
  stage_ = Stage::shaking;
  if (way_.web_socket) web_socket_.emplace(address_, *way_.web_socket);
  if (way_.tls) stream_.emplace(way_.tls, lookup_->address.host);
  if (!stream_) shake_hands();
}

/// TLS is done, or there is none.
void Connection::shake_hands() {
  if (!web_socket_ || web_socket_->ready()) return set_open();
  put_bytes(web_socket_->output());
}

void Connection::set_open() {
  stage_ = Stage::open;
  opened_ = true;
  why_.clear();
}

bool Connection::read_some() {
  std::byte part[kPart];
  std::size_t total = 0;
  while (total < kReadTurn && !failed()) {
    const std::size_t most = std::min(kPart, left_);
    if (most == 0) {
      fail(std::string(kWasCut));
      break;
    }
    const ssize_t size = recv(fd_, part, most, 0);
    if (size > 0) {
      const auto read = static_cast<std::size_t>(size);
      total += read;
      pass(read, traffic_.in);
      take(ByteView(part).first(read));
      if (read < most) break;  // what comes after it is told by the socket
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

/// Counts bytes that have come or gone.
void Connection::pass(std::size_t bytes, std::uint64_t& way) {
  way += bytes;
  if (left_ != kNoCut) left_ -= bytes;
}

void Connection::take(ByteView bytes) {
  if (!stream_) return take_plain(bytes);
  const bool was_ready = stream_->ready();
  Bytes plain;
  const bool good = stream_->take(bytes, plain);
  if (good && !was_ready && stream_->ready()) shake_hands();
  if (!plain.empty() && !failed()) take_plain(plain);
  if (good || failed()) return;
  write_some();  // the alert that tells the gate
  fail(stream_->why() + ", check the certificate");
}

void Connection::take_plain(ByteView bytes) {
  if (!web_socket_) return frames_.append(bytes);
  const bool was_ready = web_socket_->ready();
  Bytes frames;
  const bool good = web_socket_->take(bytes, frames);
  if (!was_ready && web_socket_->ready()) set_open();
  if (!frames.empty()) frames_.append(frames);
  if (!good) return fail(web_socket_->why());
  if (const Bytes answer = web_socket_->output(); !answer.empty()) put_bytes(answer);
}

bool Connection::room() const {
  return out_.size() < kSocketBytes;
}

void Connection::put(ByteView frame) {
  if (!stream_ && !web_socket_) return put_frame(frame, out_);
  Bytes plain;
  web_socket_ ? web_socket_->put(frame, plain) : put_frame(frame, plain);
  put_bytes(plain);
}

void Connection::put_bytes(ByteView plain) {
  if (!stream_) {
    out_.insert(out_.end(), plain.begin(), plain.end());
    return;
  }
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
  while (written < out_.size() && left_ != 0) {
    const std::size_t most = std::min(out_.size() - written, left_);
    const ssize_t size = send(fd_, out_.data() + written, most, MSG_NOSIGNAL);
    if (size > 0) {
      written += static_cast<std::size_t>(size);
      pass(static_cast<std::size_t>(size), traffic_.out);
    } else if (errno != EINTR) {
      break;  // a lost connection shows when it is read
    }
  }
  out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(written));
}

}  // namespace starbus::game
