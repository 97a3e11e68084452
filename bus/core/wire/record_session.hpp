/// Records that begin, keep and end a session. docs/design/protocol.md, "Sessions".
#pragma once

#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/record_kind.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::bus {

enum class PartyKind : std::uint8_t { process = 1, busd = 2 };

/// First record of a session, from the connecting side. Its complete table follows: for a busd
/// process_up and table records, for a process table records; then table_end.
struct Hello {
  static constexpr Kind kKind = Kind::hello;
  static constexpr bool kExtensible = true;
  std::uint8_t minor = 0;  // highest minor version spoken; the session uses the lower of both
  PartyKind party = PartyKind::process;
  std::string name;               // node name, or the busd's host name
  std::string role;               // processes: for the access list
  std::uint64_t incarnation = 0;  // drawn at start; see Process
  Epoch highest_term;             // busd: highest epoch term seen; a lower busroot is refused
  std::string software;           // "starbus 0.1.0": for people
  /// Grows with each session of one incarnation: a hello that was under way while its sender gave
  /// up and connected again must not replace the newer session.
  std::uint64_t attempt = 0;
  template <class A>
  void fields(A& a) {
    a(minor, party, name, role, incarnation, highest_term, software, attempt);
  }
};

/// How far others trust what a process says: as far as a client of the game, or as a server.
enum class Trust : std::uint8_t { client = 0, server = 1 };

/// Answer to hello: the identity and the rights of the connecting side. An empty prefix list
/// forbids everything; a list with "" allows everything.
struct Welcome {
  static constexpr Kind kKind = Kind::welcome;
  static constexpr bool kExtensible = true;
  std::uint8_t minor = 0;
  Process you;
  std::string host;  // the host's name; busroot answers with its own
  Epoch term;        // busroot's term (n = 0); from a busd: the one it knows, 0 if none
  std::vector<std::string> bind_prefixes;
  std::vector<std::string> send_prefixes;
  std::uint32_t max_names = 0;
  std::string software;
  std::uint32_t lease_ms = 0;   // a link lost for so long: the names that it served are freed
  Trust trust = Trust::client;  // from minor 2 on; server: the process owns `server/HOST.NODE`, too
  std::uint64_t granted = 0;    // from minor 2 on, from busroot: its highest number of `term`
  template <class A>
  void fields(A& a) {
    a(minor, you, host, term, bind_prefixes, send_prefixes, max_names, software, lease_ms);
    if (minor >= kTrustMinor) a(trust, granted);
  }
};

/// Ends a session. The receiver closes its link; the reason decides whether it dials again.
struct Reset {
  static constexpr Kind kKind = Kind::reset;
  Errc reason = Errc::ok;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(reason, detail);
  }
};

/// A process leaves for good: its names are free at once.
struct Bye {
  static constexpr Kind kKind = Kind::bye;
  template <class A>
  void fields(A&) {}
};

/// Times are the sender's monotonic boot clock in nanoseconds. `echo` returns the peer's latest
/// `sent_at`, `echo_age` is the time since it came, so that the peer knows the round trip.
/// `lease_age`, from a busd to its processes: the age of its latest heartbeat that busroot has
/// echoed; kNoLease if busroot has echoed none.
struct Heartbeat {
  static constexpr Kind kKind = Kind::heartbeat;
  static constexpr std::uint64_t kNoLease = ~std::uint64_t{0};
  std::uint64_t sent_at = 0;
  std::uint64_t echo = 0;
  std::uint64_t echo_age = 0;
  std::uint64_t lease_age = kNoLease;
  template <class A>
  void fields(A& a) {
    a(sent_at, echo, echo_age, lease_age);
  }
};

}  // namespace starbus::bus
