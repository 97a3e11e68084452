/// The model of a cluster that bustop shows. Read this header first. The documents of
/// docs/operate/admin-api.md come from daemon/report; cluster_view.hpp fetches and merges them,
/// render.hpp shows them.
///
/// Texts come from peers and may hold any bytes: code that prints them uses text.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/post_head.hpp"
#include "daemon/report/daemon_status.hpp"
#include "daemon/report/messages.hpp"
#include "daemon/report/names.hpp"
#include "daemon/report/topology.hpp"

namespace starbus::bustop {

using bus::Errc;
using bus::Error;
using bus::Result;

using report::DaemonStatus;
using report::FailureRow;
using report::HostRow;
using report::HostTopology;
using report::kLaneNames;
using report::LinkInfo;
using report::MailStatus;
using report::NameRow;
using report::NamesPage;
using report::ProcessInfo;
using report::RootTopology;
using report::RouteInfo;
using report::TailLine;
using report::Uplink;
using report::Vitals;

/// A host as the cluster view merges it: busroot's row, and the host's own report if it answered.
struct HostView {
  std::string name;
  bool local = false;
  std::optional<HostRow> row;
  std::optional<HostTopology> topology;
  Error trouble;  // why `topology` is missing; ok if it was not requested

  bool connected() const { return row ? row->connected : topology.has_value(); }
  std::uint64_t names() const { return row ? row->names : topology ? topology->names : 0; }
  /// The host's own rows if there are any: they have links.
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

/// The hosts of the mail shards of a cluster.
struct MailPlaces {
  std::array<std::string, bus::kShards> host;  // that serves a shard; empty: no host
  std::set<std::string> hosts;                 // that have a store, with shards or without
  std::set<std::string> known;                 // all hosts, as busroot knows them
  std::string from;                            // the daemon that reported it
  bool from_root = false;  // which knows all shards; other daemons know their own

  /// The shards of a host; for "" the shards without a host.
  std::vector<std::uint8_t> of(const std::string& name) const;
};

/// For people: omits the code of an error that wraps an HTTP status.
inline std::string text_of(const Error& error) {
  return error.code == Errc::handler_failed ? error.detail : error.to_string();
}

/// The status and the links of one daemon, for rates and doctor.
struct DaemonReading {
  std::string name;  // "busroot" or the host
  double at_s = 0;   // of this machine's steady clock
  DaemonStatus status;
  std::vector<LinkInfo> links;
  Error trouble;  // not ok: the rest is empty
};

}  // namespace starbus::bustop
