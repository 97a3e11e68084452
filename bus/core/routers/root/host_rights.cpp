#include "bus/core/routers/root/host_rights.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr std::string_view kOfHosts[] = {"process/", "node/", "server/"};  // then HOST.NODE
constexpr std::string_view kShardNames = "store/";
/// Bodies of messages and of mail.
constexpr std::string_view kPrivatePaths[] = {"/mail/peek", "/mail/boxes", "/tail"};

}  // namespace

bool HostRights::may_bind(std::string_view host, std::string_view name) const {
  for (const std::string_view kind : kOfHosts) {
    if (name.starts_with(kind) && host_of_process(name.substr(kind.size())) != host) return false;
  }
  if (stores && name.starts_with(kShardNames)) {
    const auto shard = parse_number<unsigned>(name.substr(kShardNames.size()));
    if (!shard || !stores->contains(*shard)) return false;
  }
  return matches_any(bind, name);
}

bool HostRights::may_send(std::string_view name) const {
  return matches_any(send, name);
}

bool HostRights::sends_anywhere() const {
  return matches_any(send, "");
}

bool HostRights::may_ask(std::string_view path) const {
  if (admin != Admin::observe) return admin == Admin::read;
  return std::ranges::none_of(kPrivatePaths,
                              [&](std::string_view hidden) { return path.starts_with(hidden); });
}

}  // namespace starbus::bus
