/// /topology: the processes of a host as its busd knows them, the hosts as busroot knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/link_info.hpp"

namespace starbus::report {

/// Figures that a process reports about itself, about once a second.
struct Vitals {
  std::uint64_t sent_per_s = 0;    // messages
  std::uint64_t resent_per_s = 0;  // messages
  std::uint64_t window_bytes = 0;  // sent and not acknowledged
  std::string stuck_channel;       // id of the channel with the fullest window and a silent owner
  std::uint64_t stuck_bytes = 0;
  std::uint64_t moves = 0;  // channels that are leaving or arriving
  std::string oldest_move;  // channel name
  double oldest_move_ms = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("sent_per_s", self.sent_per_s);
    visit("resent_per_s", self.resent_per_s);
    visit("window_bytes", self.window_bytes);
    visit("stuck_channel", or_null(self.stuck_channel));
    visit("stuck_bytes", self.stuck_bytes);
    visit("moves", self.moves);
    visit("oldest_move", or_null(self.oldest_move));
    visit("oldest_move_ms", whole(self.oldest_move_ms));
  }
  friend bool operator==(const Vitals&, const Vitals&) = default;
};

/// One process of a host.
struct ProcessInfo {
  std::string name;  // HOST.NODE
  std::string role;
  std::int64_t pid = 0;
  std::string incarnation;
  bool connected = true;
  std::uint64_t names = 0;
  std::uint64_t max_names = 0;  // 0: the daemon does not report it
  std::optional<LinkInfo> link;
  std::string software;
  std::uint64_t recent_sessions = 0;  // of the latest ten minutes
  Vitals vitals{};

  /// The fields of a process that busroot knows.
  template <class Self, class Visit>
  static void short_fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("role", self.role);
    visit("pid", self.pid);
    visit("names", self.names);
  }
  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    short_fields(self, visit);
    visit("incarnation", identifier(self.incarnation));
    visit("connected", self.connected);
    if (Visit::kReads || self.max_names != 0) visit("max_names", self.max_names);
    visit("link", self.link);
    visit("software", self.software);
    visit("recent_sessions", self.recent_sessions);
    visit("vitals", self.vitals);
  }
  friend bool operator==(const ProcessInfo&, const ProcessInfo&) = default;
};

/// The link of a busd to busroot.
struct Uplink {
  std::string endpoint;
  bool connected = false;
  double rtt_us = 0;
  double since_s = 0;
  std::string last_error;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("endpoint", self.endpoint);
    visit("connected", self.connected);
    visit("rtt_us", whole(self.rtt_us));
    visit("since_s", whole(self.since_s));
    visit("last_error", self.last_error);
  }
  friend bool operator==(const Uplink&, const Uplink&) = default;
};

/// /topology of a busd.
struct HostTopology {
  std::string host;
  std::uint64_t term = 0;
  Uplink uplink;
  std::vector<ProcessInfo> processes;
  std::uint64_t names = 0;
  std::string kind = "busd";

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("kind", self.kind);
    visit("host", self.host);
    visit("term", self.term);
    visit("uplink", self.uplink);
    visit("processes", sorted_by_name(self.processes));
    visit("names", self.names);
  }
  friend bool operator==(const HostTopology&, const HostTopology&) = default;
};

/// A host as busroot sees it.
struct HostRow {
  std::string host;
  bool connected = false;
  std::string key;
  std::uint64_t names = 0;
  std::vector<ProcessInfo> processes;  // with their short fields
  std::optional<LinkInfo> link;
  std::string software;
  std::uint64_t recent_sessions = 0;  // of the latest ten minutes

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("host", self.host);
    visit("connected", self.connected);
    visit("key", self.key);
    visit("names", self.names);
    visit("processes", short_rows(self.processes));
    visit("link", self.link);
    visit("software", self.software);
    visit("recent_sessions", self.recent_sessions);
  }
  friend bool operator==(const HostRow&, const HostRow&) = default;
};

/// /topology of busroot.
struct RootTopology {
  std::string name;
  std::string software;
  std::uint64_t term = 0;
  bool grace = false;
  std::vector<std::string> waiting_for;  // hosts
  std::vector<HostRow> hosts;
  std::uint64_t names = 0;
  std::string kind = "busroot";

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("kind", self.kind);
    visit("name", self.name);
    visit("software", self.software);
    visit("term", self.term);
    visit("grace", self.grace);
    visit("waiting_for", self.waiting_for);
    visit("hosts", self.hosts);
    visit("names", self.names);
  }
  friend bool operator==(const RootTopology&, const RootTopology&) = default;
};

}  // namespace starbus::report
