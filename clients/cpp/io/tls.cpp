#include "clients/cpp/io/tls.hpp"

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>

#include <algorithm>

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

std::string openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  if (code == 0) return "no detail";
  char text[160];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}
bool is_pin(const std::string& pin) {
  const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return pin.size() == 2 * SHA256_DIGEST_LENGTH && std::all_of(pin.begin(), pin.end(), digit);
}

}  // namespace

std::string pin_of(X509* certificate) {
  unsigned char* key = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
  if (size <= 0) return {};
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(key, static_cast<std::size_t>(size), hash);
  OPENSSL_free(key);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string pin;
  for (const unsigned char each : hash) {
    pin += kDigits[each >> 4];
    pin += kDigits[each & 15];
  }
  return pin;
}

std::shared_ptr<const Tls> Tls::make(const TlsOptions& options, std::string& why) {
  if (!std::all_of(options.pins.begin(), options.pins.end(), is_pin)) {
    why = "pin: malformed, give 64 digits of 0-9 and a-f";
    return nullptr;
  }
  if (options.pins_alone && options.pins.empty()) {
    why = "pins: none, give one or let the certificate be checked";
    return nullptr;
  }
  ERR_clear_error();
  auto tls = std::make_shared<Tls>();
  tls->options_ = options;
  tls->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = tls->context_.get();
  bool good = context != nullptr && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1;
  if (good && !options.pins_alone) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    good = options.ca_file.empty()
               ? SSL_CTX_set_default_verify_paths(context) == 1
               : SSL_CTX_load_verify_locations(context, options.ca_file.c_str(), nullptr) == 1;
  }
  if (!good) {
    why = "certificates " + options.ca_file + ": not read (" + openssl_error() +
          "), name a file in PEM form";
    return nullptr;
  }
  return tls;
}

TlsStream::TlsStream(std::shared_ptr<const Tls> tls, const std::string& host)
    : tls_(std::move(tls)), ssl_(SSL_new(tls_->context())) {
  from_ = BIO_new(BIO_s_mem());
  to_ = BIO_new(BIO_s_mem());
  if (!ssl_ || from_ == nullptr || to_ == nullptr) {
    BIO_free(from_);
    BIO_free(to_);
    ssl_.reset();
    fail("no memory");
    return;
  }
  SSL_set_bio(ssl_.get(), from_, to_);
  SSL_set_connect_state(ssl_.get());
  const std::string& name = tls_->options().name.empty() ? host : tls_->options().name;
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl_.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) != 1) {  // a name, then
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (SSL_set1_host(ssl_.get(), name.c_str()) != 1 ||
        SSL_set_tlsext_host_name(ssl_.get(), name.c_str()) != 1) {
      fail("the name " + name + " is not usable");
      return;
    }
  }
  shake_hands();
}

bool TlsStream::take(ByteView cipher, Bytes& plain) {
  if (!why_.empty()) return false;
  if (BIO_write(from_, cipher.data(), static_cast<int>(cipher.size())) !=
      static_cast<int>(cipher.size())) {
    return fail("no memory");
  }
  if (!ready_ && !shake_hands()) return false;
  if (!ready_) return true;
  std::byte part[16 * 1024];
  while (true) {
    ERR_clear_error();
    const int size = SSL_read(ssl_.get(), part, sizeof part);
    if (size > 0) {
      plain.insert(plain.end(), part, part + size);
      continue;
    }
    const int error = SSL_get_error(ssl_.get(), size);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return true;
    return fail(error == SSL_ERROR_ZERO_RETURN ? "closed" : openssl_error());
  }
}

bool TlsStream::put(ByteView plain) {
  if (!why_.empty()) return false;
  if (plain.empty()) return true;
  ERR_clear_error();
  const int size = SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size()));
  return size == static_cast<int>(plain.size()) || fail(openssl_error());
}

Bytes TlsStream::output() {
  Bytes bytes;
  if (!ssl_) return bytes;
  bytes.resize(BIO_ctrl_pending(to_));
  if (!bytes.empty()) BIO_read(to_, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

bool TlsStream::shake_hands() {
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_.get());
  if (done == 1) {
    ready_ = check_pins();
    return ready_ || fail("the gate's key is not one of the pins");
  }
  const int error = SSL_get_error(ssl_.get(), done);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return true;
  const long verified = SSL_get_verify_result(ssl_.get());
  if (verified != X509_V_OK) return fail(X509_verify_cert_error_string(verified));
  return fail(openssl_error());
}

bool TlsStream::check_pins() {
  const auto& pins = tls_->options().pins;
  if (pins.empty()) return true;
  X509* const certificate = SSL_get1_peer_certificate(ssl_.get());
  if (certificate == nullptr) return false;
  const std::string pin = pin_of(certificate);
  X509_free(certificate);
  return std::find(pins.begin(), pins.end(), pin) != pins.end();
}

bool TlsStream::fail(const std::string& what) {
  if (why_.empty()) why_ = "TLS: " + what;
  return false;
}

}  // namespace starbus::game
