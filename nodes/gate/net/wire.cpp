#include "nodes/gate/net/wire.hpp"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "nodes/gate/net/socket_bio.hpp"

namespace starbus::nodes::gate::net {
namespace {

constexpr std::size_t kParts = 64;  // of frames in one system call: a head and a body each

bool comes_later(int error) {
  return error == EAGAIN || error == EINTR;
}

}  // namespace

Wire::~Wire() {
  SSL_free(tls_);
}

bool Wire::secure(SSL_CTX* context) {
  tls_ = SSL_new(context);
  if (tls_ == nullptr) return false;
  BIO* bio = socket_bio(socket_.get());
  if (bio == nullptr) return false;
  SSL_set_bio(tls_, bio, bio);
  SSL_set_accept_state(tls_);
  return true;
}

Wire::Io Wire::why(int result) {
  switch (SSL_get_error(tls_, result)) {
    case SSL_ERROR_WANT_READ:
      return Io::would_read;
    case SSL_ERROR_WANT_WRITE:
      return Io::would_write;
    case SSL_ERROR_ZERO_RETURN:
      return Io::ended;
    default:
      return Io::failed;
  }
}

Wire::Io Wire::shake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(tls_);
  return result == 1 ? Io::done : why(result);
}

Wire::Moved Wire::read(std::span<std::byte> into) {
  if (tls_ == nullptr) return read_raw(into);
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_read_ex(tls_, into.data(), into.size(), &count);
  if (result == 1) return {Io::done, count, SSL_has_pending(tls_) == 0};
  return {why(result), 0};
}

Wire::Io Wire::peek() const {
  std::byte first{};
  const auto count = ::recv(socket_.get(), &first, 1, MSG_PEEK);
  if (count > 0) return Io::done;
  if (count == 0) return Io::ended;
  return comes_later(errno) ? Io::would_read : Io::failed;
}

Wire::Moved Wire::read_raw(std::span<std::byte> into) const {
  const auto count = ::recv(socket_.get(), into.data(), into.size(), 0);
  const auto bytes = static_cast<std::size_t>(count);
  if (count > 0) return {Io::done, bytes, bytes < into.size()};
  if (count == 0) return {Io::ended, 0};
  return {comes_later(errno) ? Io::would_read : Io::failed, 0};
}

Wire::Moved Wire::write_bare(const OutQueue& queue) const {
  std::array<iovec, kParts> parts{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = queue.gather(parts);
  const auto count = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  if (count >= 0) return {Io::done, static_cast<std::size_t>(count)};
  return {comes_later(errno) ? Io::would_write : Io::failed, 0};
}

Wire::Moved Wire::write_secure(OutQueue& queue, std::span<std::byte> scratch) {
  const std::size_t size = queue.copy(scratch);
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_write_ex(tls_, scratch.data(), size, &count);
  if (result == 1) return {Io::done, count};
  const Io io = why(result);
  // OpenSSL has encrypted these bytes, and counts them when they have gone.
  if (io == Io::would_write || io == Io::would_read) queue.promise(size);
  return {io, 0};
}

Wire::Moved Wire::write(OutQueue& queue, std::size_t most, std::span<std::byte> scratch) {
  Moved total;
  while (!queue.empty() && total.bytes < most) {
    const Moved moved = tls_ == nullptr ? write_bare(queue) : write_secure(queue, scratch);
    total.io = moved.io;
    if (moved.io != Io::done) return total;
    queue.sent(moved.bytes);
    total.bytes += moved.bytes;
  }
  return total;
}

void Wire::end_writing() {
  ERR_clear_error();
  if (tls_ != nullptr && SSL_is_init_finished(tls_) == 1) SSL_shutdown(tls_);
  ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace starbus::nodes::gate::net
