/// What bustop knows about a cluster: the documents of docs/operate/admin-api.md as plain values.
/// Read this header first. Parsed by parse.hpp, fetched by cluster_view.hpp, shown by render_*.hpp.
///
/// Absent fields keep their defaults. Texts come from peers and may hold anything: what prints them
/// goes through text.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/post_head.hpp"

namespace starbus::bustop {

using bus::Errc;
using bus::Error;
using bus::Result;

struct DaemonStatus {
  std::string kind;  // busd or busroot
  std::string name;
  std::string version;
  std::string protocol;
  std::int64_t pid = 0;
  double uptime_s = 0;
  double loop_lag_ms = 0;
  std::optional<double> clock_jump_age_s;  // since the wall clock was set
  std::uint64_t term = 0;
  std::string state;
  std::string mail_state{};                 // of its mail store; empty: it has none
  std::string mail_reason{};                // why that is full or stopped
  std::vector<std::uint8_t> mail_listed{};  // shards of its configuration
  /// Those that its store has, listed or not; no value: it is not open, or too old to say.
  std::optional<std::vector<std::uint8_t>> mail_kept{};
  std::uint64_t mail_damaged = 0;  // places in the files of its mail store
  std::string mail_damage{};       // the first of them
  std::uint64_t mail_lost = 0;     // of those that were mended and not acknowledged: with a loss
  std::uint64_t mail_mended = 0;   // likewise, without one
  std::string mail_note{};         // the first of them
  std::uint64_t mail_bytes = 0;    // of the bodies in them
  std::uint64_t mail_quota = 0;    // for those; 0: none
  std::map<std::string, std::uint64_t> counters;

  bool is_root() const { return kind == "busroot"; }
  std::uint64_t counter(const std::string& key) const {
    const auto found = counters.find(key);
    return found == counters.end() ? 0 : found->second;
  }
};

/// In the order of bus::Lane.
inline constexpr std::array<const char*, 4> kLaneNames = {"control", "call", "sync", "bulk"};

struct LinkInfo {
  std::string id;
  std::string peer;
  std::string kind;  // process, busd or busroot
  std::string address;
  bool greeted = false;
  bool suspect = false;
  double rtt_us = 0;  // 0: not measured yet
  double silence_ms = 0;
  std::uint64_t in_flight_bytes = 0;
  std::array<std::uint64_t, 4> queued_bytes{};
  std::uint64_t bundles_in = 0;
  std::uint64_t bundles_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t records_in = 0;

  std::uint64_t queued() const {
    return queued_bytes[0] + queued_bytes[1] + queued_bytes[2] + queued_bytes[3];
  }
};

/// What a process says of itself, about once a second.
struct Vitals {
  std::uint64_t sent_per_s = 0;
  std::uint64_t resent_per_s = 0;
  std::uint64_t window_bytes = 0;
  std::string stuck_channel;  // its id: the owner is silent
  std::uint64_t stuck_bytes = 0;
  std::string oldest_move;
  double oldest_move_ms = 0;
};

struct ProcessInfo {
  std::string name;  // HOST.NODE
  std::string role;
  std::int64_t pid = 0;
  std::string incarnation;
  bool connected = true;
  std::uint64_t names = 0;
  std::uint64_t max_names = 0;  // 0: the daemon does not say
  std::optional<LinkInfo> link;
  std::string software;
  std::uint64_t recent_sessions = 0;  // of the latest ten minutes
  Vitals vitals{};
};

struct Uplink {
  std::string endpoint;
  bool connected = false;
  double rtt_us = 0;
  double since_s = 0;
  std::string last_error;
};

/// /topology of a busd.
struct HostTopology {
  std::string host;
  std::uint64_t term = 0;
  Uplink uplink;
  std::vector<ProcessInfo> processes;
  std::uint64_t names = 0;
};

/// A host as busroot sees it.
struct HostRow {
  std::string host;
  bool connected = false;
  std::string key;
  std::uint64_t names = 0;
  std::vector<ProcessInfo> processes;  // without links
  std::optional<LinkInfo> link;
  std::string software;
  std::uint64_t recent_sessions = 0;  // of the latest ten minutes
};

/// /topology of busroot.
struct RootTopology {
  std::string name;
  std::string software;
  std::uint64_t term = 0;
  bool grace = false;
  std::vector<std::string> waiting_for;
  std::vector<HostRow> hosts;
  std::uint64_t names = 0;
};

struct NameRow {
  std::string name;
  std::string id;
  std::string owner;  // HOST.NODE
  std::string epoch;  // "3.17"
  std::string lineage;
  std::string state;
};

struct NamesPage {
  std::vector<NameRow> names;
  std::optional<std::string> next;
  std::uint64_t total = 0;
};

struct RouteInfo {
  std::string name;
  std::string id;
  bool found = false;
  std::string owner;  // HOST.NODE
  std::string host;
  std::string epoch;
  std::string lineage;
  bool confirmed = false;
  std::string state;
};

struct FailureRow {
  double age_ms = 0;
  std::string id;
  std::string name;
  std::string origin;
  std::string reason;
  std::string where;  // the daemon that recorded it; not of the document
};

struct TailLine {
  double time_ms = 0;
  std::string lane;
  std::string origin;
  std::uint64_t seq = 0;
  std::uint64_t count = 1;
  std::uint64_t bytes = 0;
  std::string text;
  std::uint64_t skipped = 0;  // a line that only says how many were skipped
};

/// A host as the cluster view merges it: busroot's row, and the host's own account if it answered.
struct HostView {
  std::string name;
  bool local = false;
  std::optional<HostRow> row;
  std::optional<HostTopology> topology;
  Error trouble;  // why the host's own account is missing; ok if it was not asked for

  bool connected() const { return row ? row->connected : topology.has_value(); }
  std::uint64_t names() const { return row ? row->names : topology ? topology->names : 0; }
  /// The host's own rows where there are some: they hold the links.
  const std::vector<ProcessInfo>& processes() const;
  double rtt_us() const;
  std::string software() const { return row ? row->software : std::string(); }
};

struct Cluster {
  DaemonStatus local;  // the daemon that was asked
  std::optional<RootTopology> root;
  Error root_trouble;           // why `root` is missing
  std::vector<HostView> hosts;  // in order of name
};

/// Where the mail of a cluster is.
struct MailPlaces {
  std::array<std::string, bus::kShards> host;  // that serves a shard; empty: nobody
  std::set<std::string> hosts;                 // that have a store, with shards or without
  std::set<std::string> known;                 // all hosts, as busroot knows them
  std::string from;                            // the daemon that said so
  bool from_root = false;                      // who knows of all shards; others of their own

  /// The shards of a host; of "": those that nobody serves.
  std::vector<std::uint8_t> of(const std::string& name) const;
};

/// For people: an HTTP status says enough without the code that wraps it.
inline std::string text_of(const Error& error) {
  return error.code == Errc::handler_failed ? error.detail : error.to_string();
}

/// What one daemon says about itself, for rates and doctor.
struct DaemonReading {
  std::string name;  // "busroot" or the host
  double at_s = 0;   // of this machine's steady clock
  DaemonStatus status;
  std::vector<LinkInfo> links;
  Error trouble;  // not ok: the rest is empty
};

}  // namespace starbus::bustop
