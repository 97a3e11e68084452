#include "bench/gate/load/handshakes.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/gate/load/epoll.hpp"
#include "bench/gate/load/socket.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {
namespace {

using Json = nlohmann::json;

constexpr const char* kCiphers = "TLS_AES_128_GCM_SHA256";

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
struct Attempt {
  int handle = -1;
  std::unique_ptr<SSL, FreeSsl> ssl{};
  bool ticket = false;
};

int note_ticket(SSL* ssl, SSL_SESSION*) {
  static_cast<Attempt*>(SSL_get_app_data(ssl))->ticket = true;
  return 0;  // not kept: every handshake is a full one
}

class Handshakes {
 public:
  explicit Handshakes(const HandshakeOptions& options) : options_(options), tls_(client_tls()) {
    SSL_CTX_set_ciphersuites(tls_.get(), kCiphers);
    SSL_CTX_set1_groups_list(tls_.get(), options.group);
    SSL_CTX_set_session_cache_mode(tls_.get(),
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(tls_.get(), note_ticket);
    attempts_.resize(static_cast<std::size_t>(options.at_once));
  }

  Result<Json> run() {
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
      if (!begin(i)) return fail("cannot connect");
    }
    const std::int64_t start = now_ns();
    const std::int64_t end = start + static_cast<std::int64_t>(options_.seconds * kSecond);
    std::uint64_t done = 0;
    while (now_ns() < end) {
      for (const epoll_event& event : epoll_.wait(10)) {
        const std::size_t number = event.data.u64;
        const auto state = go_on(attempts_[number]);
        if (!state) return state.error();
        if (!*state) continue;
        ++done;
        if (!begin(number)) return fail("cannot connect");
      }
    }
    const double passed = static_cast<double>(now_ns() - start) / kSecond;
    for (Attempt& each : attempts_) ::close(each.handle);
    return Json{{"handshakes", done}, {"seconds", passed}};
  }

 private:
  bool begin(std::size_t number) {
    Attempt& attempt = attempts_[number];
    attempt.ssl.reset();
    if (attempt.handle >= 0) ::close(attempt.handle);
    attempt.ticket = false;
    attempt.handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // Closed with RST: ports do not stay taken.
    const linger hard{1, 0};
    ::setsockopt(attempt.handle, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(static_cast<std::uint16_t>(options_.port));
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int met =
        ::connect(attempt.handle, reinterpret_cast<const sockaddr*>(&where), sizeof where);
    if (met != 0 && errno != EINPROGRESS) return false;
    attempt.ssl.reset(SSL_new(tls_.get()));
    SSL_set_app_data(attempt.ssl.get(), &attempt);
    SSL_set_fd(attempt.ssl.get(), attempt.handle);
    SSL_set_connect_state(attempt.ssl.get());
    epoll_.add(attempt.handle, number, EPOLLIN | EPOLLOUT | EPOLLET);
    return true;
  }

  // Whether it is done.
  Result<bool> go_on(Attempt& attempt) {
    char byte = 0;
    const int got = SSL_read(attempt.ssl.get(), &byte, 1);  // makes the handshake first
    if (attempt.ticket || got > 0) return true;
    const int why = SSL_get_error(attempt.ssl.get(), got);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return false;
    return fail("a handshake has failed");
  }

  const HandshakeOptions options_;
  TlsContext tls_;
  Epoll epoll_;
  std::vector<Attempt> attempts_;
};

}  // namespace

int run_handshakes(const HandshakeOptions& options) {
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto result = Handshakes(options).run();
    if (!result) {
      std::cout << Json{{"error", result.error().what}} << std::endl;
      return 1;
    }
    std::cout << *result << std::endl;
  }
  return 0;
}

}  // namespace starbus::bench::gate
