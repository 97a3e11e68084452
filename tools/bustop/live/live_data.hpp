/// The requests and the data of the live view: plain values, passed from the fetching thread to the
/// drawing one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cluster/cluster_view.hpp"
#include "tools/cluster/model.hpp"

namespace starbus::bustop {

enum class LiveLevel { cluster, host, process };

/// The place that is shown: everything, one host, or one process of a host.
struct LiveWant {
  LiveLevel level = LiveLevel::cluster;
  std::string host;
  std::string process;  // HOST.NODE
  friend bool operator==(const LiveWant&, const LiveWant&) = default;
};

struct LiveData {
  LiveWant want;
  double at_s = 0;     // steady clock, for rates
  double unix_ms = 0;  // for people
  Error error;         // not ok: what follows is empty
  Cluster cluster;
  std::optional<HostTopology> host;
  Error host_trouble;
  std::vector<NameRow> names;  // of the process
  std::uint64_t names_scanned = 0;
  std::uint64_t names_total = 0;
};

/// Number of names of a host that are searched for the names of one process.
inline constexpr std::size_t kNamesScanned = 5000;

LiveData fetch_live(const ClusterView& view, const LiveWant& want);

}  // namespace starbus::bustop
