#pragma once

#include <string>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/routers/host/access_list.hpp"
#include "bus/core/wire/version.hpp"
#include "bus/io/link.hpp"
#include "bus/io/reconnect.hpp"
#include "daemon/config/config.hpp"
#include "mail/mail.hpp"
#include "mail/repair/scrubber.hpp"

namespace starbus::busd {

/// The settings of busd.toml, checked and resolved. A plain value.
struct Settings {
  std::string host;
  std::vector<std::string> listen;
  unsigned socket_mode = 0660;
  std::string socket_group;
  std::size_t max_processes = bus::kMaxProcesses;
  bus::Time lease = bus::kLease;
  std::uint8_t minor = bus::kVersionMinor;

  std::vector<std::string> endpoints;
  std::vector<std::string> server_keys;
  bus::io::CurveKeys keys;  // empty: no CURVE

  std::vector<bus::Role> roles;

  bool keeps_mail = false;                // [mail] is present: this host has a store
  std::vector<std::uint8_t> mail_shards;  // kept here unless they have moved
  std::string mail_folder;                // empty: "mail" in the state folder
  mail::MailQuota mail_quota;
  mail::ScrubSettings mail_scrub;

  /// Every endpoint with every server key: while busroot's key changes, one of two is valid.
  std::vector<bus::io::Reconnect::Target> targets() const;
};

/// Reads [busd], [busroot], [[role]] and [mail]; errors go to the reader's problems.
Settings read_settings(daemon::ConfigReader& reader);

}  // namespace starbus::busd
