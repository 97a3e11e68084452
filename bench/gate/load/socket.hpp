// Socket: a TCP connection of a load process to a server on this machine, in the clear or over
// TLS 1.3, that never blocks once it is connected. One thread uses it; failures are values.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "bench/harness/result.hpp"

namespace starbus::bench::gate {

using TlsContext = std::shared_ptr<SSL_CTX>;
// Of clients that believe any certificate. nullptr if OpenSSL refuses.
TlsContext client_tls();

class Socket {
 public:
  // `tls`: nullptr for none; then its handshake is made here, too. Blocks.
  static Result<Socket> connect(int port, const TlsContext& tls);
  explicit Socket(int handle) : handle_(handle) {}  // of accept(2)
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  int handle() const { return handle_; }
  // Appends what has come; false once the other side has hung up.
  bool read(std::string& to);
  // Sends it with what is left of earlier calls, as far as it goes; false as above.
  bool write(std::string_view bytes);
  bool has_unsent() const { return !unsent_.empty(); }

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  Result<void> shake_hands(const TlsContext& tls);
  ssize_t write_some(std::string_view bytes);

  int handle_ = -1;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  std::string unsent_;
};

// Lets this process have so many files open. Refuses if the system does not allow it.
Result<void> allow_files(std::size_t count);
// As many as a gate or a load with a client in each needs; they have their limits from here. Says
// on standard error if that cannot be.
void allow_client_files();

}  // namespace starbus::bench::gate
