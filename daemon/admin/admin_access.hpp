/// Who may do what at the admin socket of a daemon.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/core/wire/admin_role.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/config/config.hpp"

namespace starbus::daemon {

using bus::AdminRole;

/// The process at the other end of a unix socket, as the kernel reports it.
struct AdminPeer {
  std::uint32_t uid = 0;
  std::int64_t pid = 0;
  std::vector<std::uint32_t> groups;  // with the one that is its primary group
};

/// The peer of a connected unix socket; nullopt for a socket that has none (TCP), or if the kernel
/// does not say its groups (before Linux 4.13).
std::optional<AdminPeer> admin_peer_of(int socket);

/// 403: the role that is needed, the role of the caller, and the key that gives it. `caller`:
/// "uid 1000 (alice)".
Response role_missing(AdminRole needed, AdminRole has, const std::string& caller);

/// The roles of users and groups. A plain value; it asks the system's user database only while it
/// is read, so that no request waits for that.
class AdminAccess {
 public:
  struct Members {
    std::vector<std::uint32_t> users;
    std::vector<std::uint32_t> groups;
    bool operator==(const Members&) const = default;
  };

  /// Without a configuration: root and the user of this process operate, its group observes.
  AdminAccess();
  /// Reads [admin.observe], [admin.read] and [admin.operate], each with `users` and `groups`: names
  /// or ids. What is listed for `observe` replaces this process's group; root and the user of this
  /// process operate in any case. A name that the system does not know is a problem.
  static AdminAccess read(ConfigReader& admin);

  /// The highest role that the user or one of the groups has.
  AdminRole role_of(const AdminPeer& peer) const;
  /// "1000 (alice)"; "1000" for a user that was not seen when this was read.
  std::string user_text(std::uint32_t uid) const;

  bool operator==(const AdminAccess&) const = default;

 private:
  void add_user(Members& members, std::uint32_t uid);
  void add_group(Members& members, std::uint32_t gid);
  void note_name(std::uint32_t uid);

  Members observe_;
  Members read_;
  Members operate_;
  std::map<std::uint32_t, std::string> names_;  // for log lines
};

}  // namespace starbus::daemon
