/// What a seeded run may do to the cluster, and what its applications do. A plain value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starbus::sim {

struct Profile {
  std::string_view name;
  std::string_view meaning;
  bool deaths = false;    // processes die; hosts and processes are away for longer than the lease
  bool extended = false;  // moving senders, announcements, large bodies, slow readers
  double older = 0;       // share of starts that speak the protocol version before this one
  bool mail = false;      // a mail store with its disk, and posts
  bool broken_disks = false;  // writes of the mail store fail, and may have been kept
  bool pressure = false;      // senders that do not stop, and links that stand still
  bool liars = false;         // a process and a host that lie; busroot does not restart
  bool clients = false;       // processes run the client library, and one of them forges replies
};

inline constexpr Profile kProfiles[] = {
    {"base", "fixed senders, moving receivers; crashes of daemons, links of all sorts", false,
     false},
    {"deaths", "base, and processes die and leases run out", true, false},
    {"extended", "base, and moving senders, announcements, large bodies, slow readers", false, true,
     0.3},
    {"mail", "deaths, and a mail store with its disk, and posts", true, false, 0, true},
    {"disks", "mail, and disks that fail", true, false, 0, true, true},
    {"all", "everything but mail", true, true, 0.3},
    {"pressure", "all, and more messages than links can carry", true, true, 0.3, false, false,
     true},
    {"liars", "extended, and a process and a host that lie", false, true, 0, false, false, false,
     true},
    {"clients", "processes that run the client library, and die", true, false, 0, false, false,
     false, false, true},
};

inline std::optional<Profile> find_profile(std::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return profile;
  }
  return std::nullopt;
}

}  // namespace starbus::sim
