/// Ed25519 keys of tickets, in PEM files as `openssl genpkey -algorithm ed25519` writes them:
///
///   NAME.key   the private half (PKCS 8), mode 0600     for logins alone
///   NAME.pub   the public half                          for accounts, gates and whoever asks
///
/// Keys are values that share what OpenSSL holds; immutable, any thread. To rotate: give the new
/// public key to all accounts beside the old one, then the private one to the login, then (after
/// the life of a reentry) take the old public key away.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/core/bytes.hpp"
#include "nodes/login/error.hpp"

namespace starbus::nodes::login {

/// The first four bytes of the SHA-256 of a public key: says which key a ticket was signed with.
using KeyId = std::array<std::byte, 4>;
/// Bytes of an Ed25519 signature.
inline constexpr std::size_t kSignatureBytes = 64;
using Signature = std::array<std::byte, kSignatureBytes>;

/// The public half.
class VerifyingKey {
 public:
  /// Errors: bad_key.
  static Result<VerifyingKey> read(const std::string& path);
  /// The text of such a file. Errors: bad_key.
  static Result<VerifyingKey> from_pem(std::string_view text);

  const KeyId& id() const { return id_; }
  bool matches(bus::ByteView message, bus::ByteView signature) const;

 private:
  friend class SigningKey;
  VerifyingKey(std::shared_ptr<void> key, const KeyId& id) : key_(std::move(key)), id_(id) {}
  std::shared_ptr<void> key_;  // an EVP_PKEY
  KeyId id_;
};

/// The private half.
class SigningKey {
 public:
  /// A new one, from the system's random source. Errors: bad_key (OpenSSL refuses).
  static Result<SigningKey> generate();
  /// Refuses a file that group or others may read. Errors: bad_key.
  static Result<SigningKey> read(const std::string& path);
  /// The text of such a file. Errors: bad_key.
  static Result<SigningKey> from_pem(std::string_view text);

  const VerifyingKey& verifying() const { return verifying_; }
  Signature sign(bus::ByteView message) const;
  /// Writes both halves, the private one with mode 0600. An existing file is replaced if `replace`,
  /// else refused. Errors: bad_key.
  Result<> write(const std::string& secret_path, const std::string& public_path,
                 bool replace = false) const;

 private:
  explicit SigningKey(VerifyingKey verifying) : verifying_(std::move(verifying)) {}
  static Result<SigningKey> of(std::shared_ptr<void> key);
  VerifyingKey verifying_;  // its key_ has both halves
};

/// The public keys of all logins, old and new. A value.
class VerifyingKeys {
 public:
  VerifyingKeys() = default;
  /// Errors: too_many (kTicketKeys), unless it is there already.
  Result<> add(VerifyingKey key);
  /// nullptr: none has this id.
  const VerifyingKey* find(bus::ByteView id) const;
  std::size_t size() const { return keys_.size(); }
  /// Reads each of the files. Errors: bad_key, too_many.
  static Result<VerifyingKeys> read(const std::vector<std::string>& paths);

 private:
  std::vector<VerifyingKey> keys_;
};

}  // namespace starbus::nodes::login
