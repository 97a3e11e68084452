/// What a host may do in the cluster, by its key: names, receivers, mail shards, questions,
/// amounts.
///
/// Whatever its rights say, a host has no part in the names of other hosts' processes and nodes. A
/// plain value of RootRouter, given by the shell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/limits.hpp"
#include "bus/core/routers/limits.hpp"

namespace starbus::bus {

struct HostRights {
  /// none: asks nothing. observe: about links, names and queues. read: also about mail and
  /// messages.
  enum class Admin : std::uint8_t { none, observe, read };
  std::vector<std::string> bind = {""};        // prefixes of names that its processes may own
  std::vector<std::string> send = {""};        // prefixes of receivers
  std::optional<std::set<unsigned>> stores{};  // mail shards that it may keep; none: any
  Admin admin = Admin::read;
  std::size_t max_names = kMaxNamesPerHost;
  std::size_t max_processes = kMaxProcesses;

  /// Whether a process of `host` may own the name.
  bool may_bind(std::string_view host, std::string_view name) const;
  bool may_send(std::string_view name) const;
  bool sends_anywhere() const;
  /// Whether the host may ask another daemon for this path of its admin interface.
  bool may_ask(std::string_view path) const;

  friend bool operator==(const HostRights&, const HostRights&) = default;
};

}  // namespace starbus::bus
