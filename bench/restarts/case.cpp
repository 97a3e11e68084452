#include "bench/restarts/case.hpp"

#include "bench/bus/peer.hpp"

namespace starbus::bench::restarts {

// What stays on the sender's host meets that host's daemon alone.
bool Case::concerns(Address owner) const {
  return way == Way::kNone || host == kSenderHost || owner.host != kSenderHost;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases{{"undisturbed", Way::kNone, 0}};
  const std::pair<const char*, int> daemons[] = {
      {"root", kRoot}, {"sender", kSenderHost}, {"owner", kOwnerHost}};
  const std::pair<const char*, Way> ways[] = {
      {"takeover", Way::kTakeover}, {"restart", Way::kRestart}, {"kill", Way::kKill}};
  for (const auto& [daemon, host] : daemons) {
    for (const auto& [name, way] : ways) {
      cases.push_back({std::string(daemon) + "." + name, way, host});
    }
  }
  return cases;
}

}  // namespace starbus::bench::restarts
