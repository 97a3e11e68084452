#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "nodes/gate/net/ticket_keys.hpp"

namespace starbus::nodes::gate::net {

/// How a listener speaks TLS.
struct TlsFiles {
  std::string certificates;  // PEM: the gate's first, then those that signed it
  std::string key;           // PEM, without a password
  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// TLS 1.3 with one certificate, as OpenSSL wants it. Immutable: fresh files make a fresh one, and
/// connections go on with theirs. Owns the context, shares the keys of tickets. The thread of the
/// keys.
class TlsContext {
 public:
  /// `protocol` is what ALPN must agree on, if the client asks at all. Errors: bad_config, with the
  /// file and what OpenSSL says.
  static Result<std::shared_ptr<const TlsContext>> load(const TlsFiles& files, std::string protocol,
                                                        std::shared_ptr<TicketKeys> keys);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// The caller must not change it.
  SSL_CTX* get() const { return context_; }
  /// Seconds since 1970 at which the certificate ends.
  std::int64_t expires() const { return expires_; }

 private:
  TlsContext(SSL_CTX* context, std::string protocol, std::shared_ptr<TicketKeys> keys);
  void configure();
  Result<> take_files(const TlsFiles& files);
  static int choose_protocol(SSL* ssl, const unsigned char** out, unsigned char* out_size,
                             const unsigned char* in, unsigned in_size, void* self);
  static int ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                        EVP_MAC_CTX* mac, int encrypt);

  SSL_CTX* context_;
  const std::string protocol_;
  const std::shared_ptr<TicketKeys> keys_;
  std::int64_t expires_ = 0;
};

/// Where a client's list of protocols (ALPN: each with a byte of length before it) has this one,
/// not empty; the view is of the list. nullopt: it does not, or not before the list is malformed.
std::optional<std::string_view> find_protocol(std::string_view list, std::string_view wanted);

/// What OpenSSL has to say of this thread's last failure; forgets it.
std::string openssl_text();

}  // namespace starbus::nodes::gate::net
