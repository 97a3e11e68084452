/// A host and its processes, as busroot knows them. Plain data of RootRouter, which owns it and
/// alone changes it. Admin and metrics read it between two events.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/routers/recent_times.hpp"
#include "bus/core/routers/root/directory.hpp"
#include "bus/core/routers/root/host_rights.hpp"
#include "bus/core/wire/data.hpp"

namespace starbus::bus {

struct RootHost;

/// One process of a host, with the names that it owns (Directory::Owner).
struct RootProcess : Directory::Owner {
  RootProcess(const Process& id, RootHost& where);

  RootHost& host;
  std::string node;
  std::string role;
  std::uint32_t pid = 0;
  bool pending = false;     // not all its rows are reported: the names that it owned stay
  bool witness = false;     // all were reported once: it got later names from this busroot
  bool over_share = false;  // it has claimed more than there was room for
  std::vector<ChannelId> left_out{};  // of the report that is being read

  /// HOST.NODE
  std::string full_name() const;
};

struct RootHost {
  std::string name;
  std::uint32_t id = 0;
  std::uint64_t incarnation = 0;  // of its busd
  std::uint64_t attempt = 0;      // its latest session with this busroot
  std::string key;                // CURVE, Z85; empty without CURVE
  HostRights rights{};
  std::string address;
  std::string software;
  std::uint64_t link = 0;      // of the session; 0: not connected
  bool complete = false;       // the session's table is complete: its names can be routed to
  bool announced = false;      // a table was complete since this busroot started
  Time since{};                // the session began, or ended
  RecentTimes sessions{};      // when they began
  std::size_t name_count = 0;  // names of all its processes
  boost::unordered_flat_map<Process, std::unique_ptr<RootProcess>> processes;

  bool connected() const { return link != 0; }
  /// Number of names of all its processes.
  std::size_t names() const { return name_count; }
};

inline std::string RootProcess::full_name() const {
  return host.name + "." + node;
}

inline RootProcess::RootProcess(const Process& id, RootHost& where)
    : Owner(id, &where.name_count), host(where) {}

}  // namespace starbus::bus
