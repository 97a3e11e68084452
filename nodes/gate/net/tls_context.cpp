#include "nodes/gate/net/tls_context.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace starbus::nodes::gate::net {
namespace {

constexpr std::string_view kContextName = "starbus gate";
constexpr int kIvBytes = 16;  // of AES

/// A key with a password would stop the gate and ask at a terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writes*/, void* /*pointer*/) {
  return 0;
}

std::int64_t end_of(const X509* certificate) {
  std::tm utc{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &utc) != 1) {
    return 0;
  }
  return static_cast<std::int64_t>(::timegm(&utc));
}

Error bad_file(const std::string& file, const std::string& problem) {
  return {bus::Errc::bad_config, file + ": " + problem + " (" + openssl_text() + ")"};
}

}  // namespace

std::string openssl_text() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "no reason given";
  const char* reason = ERR_reason_error_string(code);
  if (reason != nullptr) return reason;
  std::array<char, 256> text{};
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

std::optional<std::string_view> find_protocol(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::size_t size = static_cast<unsigned char>(list.front());
    list.remove_prefix(1);
    if (size == 0 || size > list.size()) return std::nullopt;
    const std::string_view offer = list.substr(0, size);
    if (offer == wanted) return offer;
    list.remove_prefix(size);
  }
  return std::nullopt;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsFiles& files,
                                                           std::string protocol,
                                                           std::shared_ptr<TicketKeys> keys) {
  ERR_clear_error();
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return Error(bus::Errc::io_error, "TLS: " + openssl_text());
  const std::shared_ptr<TlsContext> made(
      new TlsContext(context, std::move(protocol), std::move(keys)));
  made->configure();
  if (auto taken = made->take_files(files); !taken) return taken.error();
  return std::shared_ptr<const TlsContext>(made);
}

TlsContext::TlsContext(SSL_CTX* context, std::string protocol, std::shared_ptr<TicketKeys> keys)
    : context_(context), protocol_(std::move(protocol)), keys_(std::move(keys)) {}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

void TlsContext::configure() {
  SSL_CTX_set_min_proto_version(context_, TLS1_3_VERSION);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context_, SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Frames have lengths: who hangs up within one is told apart without TLS.
  SSL_CTX_set_options(context_, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_read_ahead(context_, 1);  // a record in one system call
  // Resumption is the client's ticket alone: nothing is kept here.
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context_,
                                 reinterpret_cast<const unsigned char*>(kContextName.data()),
                                 static_cast<unsigned>(kContextName.size()));
  SSL_CTX_set_num_tickets(context_, 1);
  SSL_CTX_set_app_data(context_, this);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context_, &TlsContext::ticket_key);
  SSL_CTX_set_alpn_select_cb(context_, &TlsContext::choose_protocol, this);
  SSL_CTX_set_default_passwd_cb(context_, no_password);
}

Result<> TlsContext::take_files(const TlsFiles& files) {
  if (SSL_CTX_use_certificate_chain_file(context_, files.certificates.c_str()) != 1) {
    return bad_file(files.certificates,
                    "not a chain of certificates; give a PEM file with the gate's first");
  }
  if (SSL_CTX_use_PrivateKey_file(context_, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_file(files.key, "not the private key of " + files.certificates +
                                   "; give its PEM file, without a password");
  }
  if (SSL_CTX_check_private_key(context_) != 1) {
    return bad_file(files.key, "does not fit " + files.certificates);
  }
  expires_ = end_of(SSL_CTX_get0_certificate(context_));
  return {};
}

int TlsContext::choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                                const unsigned char* in, unsigned in_size, void* self) {
  const std::string_view list(reinterpret_cast<const char*>(in), in_size);
  const auto found = find_protocol(list, static_cast<const TlsContext*>(self)->protocol_);
  if (!found) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = in + (found->data() - list.data());
  *out_size = static_cast<unsigned char>(found->size());
  return SSL_TLSEXT_ERR_OK;
}

int TlsContext::ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                           EVP_MAC_CTX* mac, int encrypt) {
  const auto* self = static_cast<const TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  const TicketKeys::Key* current = self->keys_->current();
  const TicketKeys::Key* key = current;
  if (encrypt == 0) key = self->keys_->find({name, key == nullptr ? 0 : key->name.size()});
  if (key == nullptr) return encrypt == 0 ? 0 : -1;
  TicketKeys::Key copy = *key;  // the library's form of a parameter is not const
  std::array<char, 7> digest = {"SHA256"};
  const std::array<OSSL_PARAM, 3> parameters = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, copy.mac.data(), copy.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  bool good = EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
  if (encrypt != 0) {
    std::ranges::copy(key->name, name);
    good = good && RAND_bytes(iv, kIvBytes) == 1 &&
           EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, copy.cipher.data(), iv) == 1;
  } else {
    good =
        good && EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, copy.cipher.data(), iv) == 1;
  }
  OPENSSL_cleanse(&copy, sizeof copy);
  if (!good) return -1;
  return encrypt == 0 && key != current ? 2 : 1;  // 2: the client gets a ticket of today's key
}

}  // namespace starbus::nodes::gate::net
