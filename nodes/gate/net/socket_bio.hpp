#pragma once

#include <openssl/bio.h>

namespace starbus::nodes::gate::net {

/// OpenSSL's way to a connected, non-blocking socket. Unlike OpenSSL's own it never raises SIGPIPE.
/// It does not own the descriptor. nullptr without memory. Belongs to the thread of its SSL.
BIO* socket_bio(int descriptor);

}  // namespace starbus::nodes::gate::net
