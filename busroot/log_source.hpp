#pragma once

#include <string_view>

namespace starbus::busroot {

/// Whom a line of the router's log is about, so that lines can be limited per source: a peer
/// chooses names of channels and nodes, and under ever new ones a limit for each text is none.
struct LogSource {
  std::string_view name;  // of a host, or an address with its port; points into the text
  bool stranger = false;  // an address: the peer has not said who it is
};
/// "host-a" of "host host-a: session ended" and of "host-a.node claims x/1"; "10.0.0.7:4711" of
/// "10.0.0.7:4711 refused". Any thread.
LogSource log_source(std::string_view text);

}  // namespace starbus::busroot
