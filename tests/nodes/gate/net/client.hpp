/// A client of a gate that never waits: the test asks it to go on. One thread.
#pragma once

#include <fcntl.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "nodes/gate/net/out_queue.hpp"
#include "nodes/gate/net/peer_address.hpp"
#include "nodes/gate/net/socket_bio.hpp"
#include "tests/nodes/gate/net/certificate.hpp"
#include "tests/nodes/gate/net/client_frames.hpp"

namespace starbus::nodes::gate::net::test {

using ClientContext = std::unique_ptr<SSL_CTX, Frees<SSL_CTX_free>>;
using ClientTls = std::unique_ptr<SSL, Frees<SSL_free>>;

inline ClientContext client_context() {
  ClientContext context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

class Client {
 public:
  explicit Client(const PeerAddress& address)
      : socket_(::socket(address.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_storage system{};
    const socklen_t size = to_system(address, system);
    connected_ = ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&system), size) == 0;
    ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  }

  bool is_connected() const { return connected_; }
  /// Speaks TLS from here on.
  void secure(SSL_CTX* context, SSL_SESSION* session = nullptr) {
    tls_.reset(SSL_new(context));
    BIO* bio = socket_bio(socket_.get());
    SSL_set_bio(tls_.get(), bio, bio);
    SSL_set_connect_state(tls_.get());
    if (session != nullptr) SSL_set_session(tls_.get(), session);
  }
  SSL* tls() { return tls_.get(); }
  int descriptor() const { return socket_.get(); }

  void say(std::string_view bytes) { out_.append(bytes); }
  /// Sends at once, whatever waits, and nothing of TLS; returns how many went.
  ssize_t say_now(std::string_view bytes) const {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  /// Writes and reads what it can. `reads` false: it takes nothing.
  void go_on(bool reads = true) {
    if (tls_ && SSL_is_init_finished(tls_.get()) == 0) {
      failed_ = failed_ || is_failure(SSL_do_handshake(tls_.get()));
      if (SSL_is_init_finished(tls_.get()) == 0) return;
    }
    if (!out_.empty()) {
      const auto sent =
          tls_ ? SSL_write(tls_.get(), out_.data(), static_cast<int>(out_.size())) : say_now(out_);
      if (sent > 0) out_.erase(0, static_cast<std::size_t>(sent));
    }
    while (reads && read()) {
    }
  }
  /// Everything that has come and was not taken.
  std::string& in() { return in_; }
  bool has_ended() const { return ended_; }
  bool has_failed() const { return failed_; }
  /// The first whole frame, without its length; "" if there is none.
  std::string take_frame() {
    if (in_.size() < 4) return {};
    const auto size = bus::load<std::uint32_t>(reinterpret_cast<const std::byte*>(in_.data()));
    if (in_.size() < 4 + size) return {};
    std::string frame = in_.substr(4, size);
    in_.erase(0, 4 + size);
    return frame;
  }
  /// Closes with a reset, as a crashed phone does.
  void reset() {
    const linger none{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    hang_up();
  }
  void hang_up() {
    tls_.reset();
    socket_ = {};
    ended_ = true;
  }

 private:
  bool is_failure(int result) {
    if (result == 1) return false;
    const int error = SSL_get_error(tls_.get(), result);
    return error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE;
  }
  bool read() {
    if (ended_) return false;
    std::string piece(16'384, '\0');
    const auto count = tls_ ? SSL_read(tls_.get(), piece.data(), static_cast<int>(piece.size()))
                            : ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (count > 0) return in_.append(piece, 0, static_cast<std::size_t>(count)), true;
    if (tls_) {
      ended_ = is_failure(static_cast<int>(count));
    } else {
      ended_ = count == 0 || (errno != EAGAIN && errno != EINTR);
    }
    return false;
  }

  FileDescriptor socket_;
  ClientTls tls_;
  bool connected_ = false;
  bool ended_ = false;
  bool failed_ = false;
  std::string out_;
  std::string in_;
};

}  // namespace starbus::nodes::gate::net::test
