#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/routers/root/host_rights.hpp"
#include "bus/core/wire/version.hpp"
#include "bus/io/link.hpp"
#include "busroot/allow_list.hpp"
#include "daemon/config/config.hpp"

namespace starbus::busroot {

/// The settings of busroot.toml. A plain value. The keys log, admin, state_directory and
/// drain_deadline are those of every daemon.
///
///   [busroot]
///   name = "busroot"                   # for people
///   listen = ["tcp://0.0.0.0:7600"]
///   session_ports = "7700-7999"        # ports of tcp:// sessions; default: any free ones
///   lease = "30s"                      # for names of a lost host; as in every busd.toml
///   protocol = "1.2"                   # the highest version that is spoken: this release's, or
///                                      # the one before it
///   [security]
///   curve = true
///   insecure = false                   # true: curve = false also beyond this machine
///   secret_key_file = "/etc/starbus/busroot.key"
///   [[security.hosts]]
///   name = "host-a"
///   keys = ["..."]                     # public keys; two while one replaces the other
///   bind = [""]                        # prefixes of names that its processes may own
///   send = [""]                        # prefixes of receivers
///   stores = ["0-127"]                 # mail shards that it may keep; default: any
///   admin = "read"                     # questions to other daemons: none, observe, read
///   max_names = 250000
///   max_processes = 4096
struct Settings {
  std::string name;
  std::vector<std::string> listen;
  unsigned short first_session_port = 0;
  unsigned short last_session_port = 0;
  bus::Time lease = bus::kLease;
  std::uint8_t minor = bus::kVersionMinor;

  bool curve = true;
  bus::io::CurveKeys keys;  // empty: no CURVE
  AllowList::Hosts hosts;
  std::map<std::string, bus::HostRights> rights;  // of the same hosts
};

/// Errors go to the reader's problems.
Settings read_settings(daemon::ConfigReader& reader);

}  // namespace starbus::busroot
