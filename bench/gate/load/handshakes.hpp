// Handshakes: full TLS 1.3 handshakes with a server, as many as it makes. A handshake counts when
// the server has sent a session ticket: then it has taken the client's last word, too.
#pragma once

namespace starbus::bench::gate {

struct HandshakeOptions {
  int port = 0;
  int at_once = 32;  // connections under way
  double seconds = 1;
  const char* group = "X25519";
};

// Prints "ready"; on a line of standard input it runs, and prints {"handshakes", "seconds"}. The
// exit code.
int run_handshakes(const HandshakeOptions& options);

}  // namespace starbus::bench::gate
