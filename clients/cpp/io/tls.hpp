/// TLS 1.3 of a client: whom it trusts (Tls, immutable, shared by any number of clients and
/// threads), and one connection as a transformer of bytes (TlsStream, of one thread, no sockets).
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

/// Whom a client trusts.
struct TlsOptions {
  std::string ca_file{};  // PEM; empty: the authorities of the system
  std::string name{};     // that the certificate must have; empty: the host of the address
  /// SHA-256 of public keys (SubjectPublicKeyInfo), 64 hexadecimal digits each. If there is one,
  /// the gate's key must be among them.
  std::vector<std::string> pins{};
  /// The pins alone count: neither authority nor name are checked. For gates that have signed their
  /// certificate themselves.
  bool pins_alone = false;
};

/// See above.
class Tls {
 public:
  /// Null if the file cannot be read or a pin is malformed; `why` says what to do.
  static std::shared_ptr<const Tls> make(const TlsOptions& options, std::string& why);

  SSL_CTX* context() const { return context_.get(); }
  const TlsOptions& options() const { return options_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  TlsOptions options_;
  std::unique_ptr<SSL_CTX, Free> context_;
};

/// See above.
class TlsStream {
 public:
  TlsStream(std::shared_ptr<const Tls> tls, const std::string& host);

  /// Bytes from the socket; what is plain is appended to `plain`. False: failed, see why().
  bool take(ByteView cipher, Bytes& plain);
  /// Bytes for the other side; only after ready(). False: failed.
  bool put(ByteView plain);
  /// What is to be written to the socket.
  Bytes output();
  /// The handshake is over, and the other side is whom it should be.
  bool ready() const { return ready_; }
  const std::string& why() const { return why_; }

 private:
  bool shake_hands();
  bool check_pins();
  bool fail(const std::string& what);

  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::shared_ptr<const Tls> tls_;
  std::unique_ptr<SSL, Free> ssl_;
  BIO* from_ = nullptr;  // both are the ssl's
  BIO* to_ = nullptr;
  bool ready_ = false;
  std::string why_;
};

/// The pin of a certificate's key, for TlsOptions::pins.
std::string pin_of(X509* certificate);

}  // namespace starbus::game
