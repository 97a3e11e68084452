/// A MiniGate behind a listener on the loopback, in the clear or over TLS with a certificate of its
/// own. Nothing blocks: call service() in turn with the clients. One thread.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <optional>

#include "clients/cpp/io/tls.hpp"
#include "tests/clients/cpp/mini_gate.hpp"

namespace starbus::game::mini {

/// A key and a certificate for 127.0.0.1, signed with itself.
class Certificate {
 public:
  Certificate() : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509_set_version(certificate_, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
    X509_set_pubkey(certificate_, key_);
    X509_NAME* const name = X509_get_subject_name(certificate_);
    const auto* const text = reinterpret_cast<const unsigned char*>("gate");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(certificate_, name);
    X509_EXTENSION* const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate_, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate_, key_, EVP_sha256());
  }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;
  ~Certificate() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  void write(const std::string& path) const {
    BIO* const file = BIO_new_file(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    PEM_write_bio_X509(file, certificate_);
    BIO_free(file);
  }
  EVP_PKEY* key() const { return key_; }
  X509* get() const { return certificate_; }

 private:
  EVP_PKEY* key_;
  X509* certificate_;
};

/// See above.
class LoopGate {
 public:
  explicit LoopGate(const Certificate* certificate = nullptr) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that are closed
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    if (certificate == nullptr) return;
    context_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(context_.get(), certificate->get());
    SSL_CTX_use_PrivateKey(context_.get(), certificate->key());
  }
  LoopGate(const LoopGate&) = delete;
  LoopGate& operator=(const LoopGate&) = delete;
  ~LoopGate() {
    cut();
    close(listener_);
  }

  /// Ends the connection, as a cable does.
  void cut() {
    ssl_.reset();
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
    out_.clear();
  }
  void service() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      cut();
      fd_ = fd;
      ++connections_;
      gate.connected();
      if (context_) {
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_fd(ssl_.get(), fd_);
        SSL_set_accept_state(ssl_.get());
      }
    }
    if (fd_ < 0) return;
    std::byte part[4096];
    for (long size = read(part, sizeof part); size > 0; size = read(part, sizeof part)) {
      gate.received(ByteView(part).first(static_cast<std::size_t>(size)));
    }
    const Bytes more = gate.output();
    out_.insert(out_.end(), more.begin(), more.end());
    if (out_.empty()) return;
    const long size = write(out_.data(), out_.size());
    if (size > 0) out_.erase(out_.begin(), out_.begin() + size);
  }
  const std::string& address() const { return address_; }
  int connections() const { return connections_; }

  MiniGate gate{{"methtypeone", "methtypetwo"}};

 private:
  long read(std::byte* to, std::size_t size) {
    if (ssl_) return SSL_read(ssl_.get(), to, static_cast<int>(size));
    return recv(fd_, to, size, 0);
  }
  long write(const std::byte* from, std::size_t size) {
    if (ssl_) return SSL_write(ssl_.get(), from, static_cast<int>(size));
    return send(fd_, from, size, MSG_NOSIGNAL);
  }

  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  int listener_ = -1;
  int fd_ = -1;
  std::string address_;
  int connections_ = 0;
  Bytes out_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace starbus::game::mini
