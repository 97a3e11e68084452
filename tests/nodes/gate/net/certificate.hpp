/// Keys and certificates that a test makes for itself, with OpenSSL. One thread.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "nodes/gate/net/tls_context.hpp"

namespace starbus::nodes::gate::net::test {

template <auto release>
struct Frees {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
using KeyPointer = std::unique_ptr<EVP_PKEY, Frees<EVP_PKEY_free>>;
using CertificatePointer = std::unique_ptr<X509, Frees<X509_free>>;

inline CertificatePointer sign(EVP_PKEY* key, const std::string& name) {
  CertificatePointer made(X509_new());
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3'600);
  X509_set_pubkey(made.get(), key);
  X509_NAME* subject = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made.get(), subject);
  X509_EXTENSION* const address =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
  X509_add_ext(made.get(), address, -1);
  X509_EXTENSION_free(address);
  X509_sign(made.get(), key, EVP_sha256());
  return made;
}

/// Writes a fresh key and its certificate for `name` to NAME.pem and NAME.key of the folder.
inline TlsFiles make_certificate(const std::filesystem::path& folder, const std::string& name) {
  const TlsFiles files{(folder / (name + ".pem")).string(), (folder / (name + ".key")).string()};
  const KeyPointer key(EVP_EC_gen("P-256"));
  const CertificatePointer certificate = sign(key.get(), name);
  std::FILE* file = std::fopen(files.certificates.c_str(), "w");
  PEM_write_X509(file, certificate.get());
  std::fclose(file);
  file = std::fopen(files.key.c_str(), "w");
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  return files;
}

/// Of the certificate that the peer of a client has shown.
inline std::string name_of_peer(const SSL* ssl) {
  const X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return {};
  std::string name(64, '\0');
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                             name.data(), static_cast<int>(name.size()));
  name.resize(static_cast<std::size_t>(std::max(size, 0)));
  return name;
}

}  // namespace starbus::nodes::gate::net::test
