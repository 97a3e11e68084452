#include "nodes/login/tickets/keys.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include <algorithm>
#include <stdexcept>

#include "nodes/login/tickets/key_files.hpp"
#include "nodes/login/tickets/limits.hpp"

namespace starbus::nodes::login {
namespace {

constexpr std::size_t kRawKeyBytes = 32;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<&BIO_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freed<&EVP_MD_CTX_free>>;
using KeyMaker = std::unique_ptr<EVP_PKEY_CTX, Freed<&EVP_PKEY_CTX_free>>;

EVP_PKEY* handle(const std::shared_ptr<void>& key) {
  return static_cast<EVP_PKEY*>(key.get());
}
std::shared_ptr<void> owned(EVP_PKEY* key) {
  return {key, [](void* held) { EVP_PKEY_free(static_cast<EVP_PKEY*>(held)); }};
}
const unsigned char* bytes_of(bus::ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
Error bad_key(const std::string& what) {
  return {Errc::bad_key, what};
}

Result<KeyId> id_of(EVP_PKEY* key) {
  std::array<unsigned char, kRawKeyBytes> raw{};
  std::size_t size = raw.size();
  if (EVP_PKEY_id(key) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1 || size != raw.size()) {
    return bad_key("not an Ed25519 key; make a pair with starbus-keygen login");
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(raw.data(), raw.size(), hash.data());
  KeyId id{};
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = std::byte{hash[i]};
  return id;
}

/// A PEM file that asks for a password is refused, and nobody is asked.
int no_password(char*, int, int, void*) {
  return -1;
}

Result<std::string> text_of(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  if (size <= 0) return bad_key("key: OpenSSL cannot write it as PEM");
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

Result<VerifyingKey> VerifyingKey::from_pem(std::string_view text) {
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  EVP_PKEY* read = bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, &no_password, nullptr) : nullptr;
  if (!read) return bad_key("no public key in PEM; take a .pub file of starbus-keygen login");
  auto key = owned(read);
  const auto id = id_of(read);
  if (!id) return id.error();
  return VerifyingKey(std::move(key), *id);
}

Result<VerifyingKey> VerifyingKey::read(const std::string& path) {
  const auto text = read_key_file(path, KeyFile::shown);
  if (!text) return text.error();
  auto key = from_pem(*text);
  if (!key) return bad_key(path + ": " + key.error().detail);
  return key;
}

bool VerifyingKey::matches(bus::ByteView message, bus::ByteView signature) const {
  const Digest digest(EVP_MD_CTX_new());
  return digest &&
         EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, handle(key_)) == 1 &&
         EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

Result<SigningKey> SigningKey::of(std::shared_ptr<void> key) {
  const auto id = id_of(handle(key));
  if (!id) return id.error();
  return SigningKey(VerifyingKey(std::move(key), *id));
}

Result<SigningKey> SigningKey::generate() {
  const KeyMaker maker(EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nullptr));
  EVP_PKEY* made = nullptr;
  if (!maker || EVP_PKEY_keygen_init(maker.get()) != 1 ||
      EVP_PKEY_keygen(maker.get(), &made) != 1) {
    return bad_key("key: OpenSSL cannot make an Ed25519 pair");
  }
  return of(owned(made));
}

Result<SigningKey> SigningKey::from_pem(std::string_view text) {
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  EVP_PKEY* read =
      bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr) : nullptr;
  if (!read) return bad_key("no private key in PEM; take a .key file of starbus-keygen login");
  return of(owned(read));
}

Result<SigningKey> SigningKey::read(const std::string& path) {
  auto text = read_key_file(path, KeyFile::secret);
  if (!text) return text.error();
  auto key = from_pem(*text);
  OPENSSL_cleanse(text->data(), text->size());
  if (!key) return bad_key(path + ": " + key.error().detail);
  return key;
}

Signature SigningKey::sign(bus::ByteView message) const {
  Signature signature{};
  std::size_t size = signature.size();
  const Digest digest(EVP_MD_CTX_new());
  if (!digest ||
      EVP_DigestSignInit(digest.get(), nullptr, nullptr, nullptr, handle(verifying_.key_)) != 1 ||
      EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes_of(message), message.size()) != 1 ||
      size != signature.size()) {
    throw std::runtime_error("OpenSSL does not sign with Ed25519");
  }
  return signature;
}

Result<> SigningKey::write(const std::string& secret_path, const std::string& public_path,
                           bool replace) const {
  const Bio secret(BIO_new(BIO_s_mem()));
  const Bio shown(BIO_new(BIO_s_mem()));
  if (!secret || !shown ||
      PEM_write_bio_PKCS8PrivateKey(secret.get(), handle(verifying_.key_), nullptr, nullptr, 0,
                                    nullptr, nullptr) != 1 ||
      PEM_write_bio_PUBKEY(shown.get(), handle(verifying_.key_)) != 1) {
    return bad_key("key: OpenSSL cannot write it as PEM");
  }
  const auto secret_text = text_of(secret);
  if (!secret_text) return secret_text.error();
  const auto shown_text = text_of(shown);
  if (!shown_text) return shown_text.error();
  auto written = write_key_file(secret_path, *secret_text, KeyFile::secret, replace);
  if (written) written = write_key_file(public_path, *shown_text, KeyFile::shown, replace);
  return written;
}

Result<> VerifyingKeys::add(VerifyingKey key) {
  if (find(key.id())) return {};
  if (keys_.size() >= kTicketKeys) {
    return Error(Errc::too_many, "public keys of logins: " + std::to_string(kTicketKeys) +
                                     " at most; take old ones away");
  }
  keys_.push_back(std::move(key));
  return {};
}

const VerifyingKey* VerifyingKeys::find(bus::ByteView id) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const VerifyingKey& key) {
    return std::equal(id.begin(), id.end(), key.id().begin(), key.id().end());
  });
  return found == keys_.end() ? nullptr : &*found;
}

Result<VerifyingKeys> VerifyingKeys::read(const std::vector<std::string>& paths) {
  VerifyingKeys keys;
  for (const std::string& path : paths) {
    auto key = VerifyingKey::read(path);
    if (!key) return key.error();
    if (auto added = keys.add(*std::move(key)); !added) return added.error();
  }
  return keys;
}

}  // namespace starbus::nodes::login
