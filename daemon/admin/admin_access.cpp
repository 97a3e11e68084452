#include "daemon/admin/admin_access.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "daemon/account_ids.hpp"

namespace starbus::daemon {
namespace {

bool has(const AdminAccess::Members& members, const AdminPeer& peer) {
  return std::ranges::find(members.users, peer.uid) != members.users.end() ||
         std::ranges::find_first_of(members.groups, peer.groups) != members.groups.end();
}

}  // namespace

std::optional<AdminPeer> admin_peer_of(int socket) {
  int family = 0;
  socklen_t size = sizeof family;
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 || family != AF_UNIX) {
    return std::nullopt;
  }
  ucred who{};
  size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  AdminPeer peer{who.uid, who.pid, {who.gid}};
  // The first call says how many there are.
  socklen_t bytes = 0;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nullptr, &bytes) != 0 && errno != ERANGE) {
    return std::nullopt;
  }
  std::vector<gid_t> groups(bytes / sizeof(gid_t));
  if (!groups.empty() &&
      ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) != 0) {
    return std::nullopt;
  }
  peer.groups.insert(peer.groups.end(), groups.begin(), groups.end());
  return peer;
}

Response role_missing(AdminRole needed, AdminRole has, const std::string& caller) {
  const std::string role(name_of(needed));
  const std::string detail =
      caller + ": has the role " + std::string(name_of(has)) + ", and this needs " + role +
      "; an administrator gives it by the key [admin] " + role +
      " of the daemon's configuration, for instance " + role + " = {users = [\"NAME\"]}";
  return Response::json({{"error", "forbidden"},
                         {"detail", detail},
                         {"caller", caller},
                         {"role", name_of(has)},
                         {"needed", role},
                         {"key", "admin." + role}},
                        403);
}

AdminAccess::AdminAccess() {
  add_user(operate_, 0);
  add_user(operate_, ::geteuid());
  add_group(observe_, ::getegid());
}

AdminAccess AdminAccess::read(ConfigReader& admin) {
  AdminAccess access;
  const auto members = [&](const char* key, Members& into) {
    if (!admin.has(key)) return;
    ConfigReader table = admin.table(key);
    if (&into == &access.observe_) into = {};
    for (const std::string& user : table.strings("users")) {
      if (const auto id = user_id(user)) {
        access.add_user(into, *id);
      } else {
        table.problem("users", "'" + user + "' is not known to this system");
      }
    }
    for (const std::string& group : table.strings("groups")) {
      if (const auto id = group_id(group)) {
        access.add_group(into, *id);
      } else {
        table.problem("groups", "'" + group + "' is not known to this system");
      }
    }
  };
  members("observe", access.observe_);
  members("read", access.read_);
  members("operate", access.operate_);
  return access;
}

AdminRole AdminAccess::role_of(const AdminPeer& peer) const {
  if (has(operate_, peer)) return AdminRole::operate;
  if (has(read_, peer)) return AdminRole::read;
  return has(observe_, peer) ? AdminRole::observe : AdminRole::none;
}

std::string AdminAccess::user_text(std::uint32_t uid) const {
  const auto name = names_.find(uid);
  return std::to_string(uid) + (name == names_.end() ? "" : " (" + name->second + ")");
}

void AdminAccess::add_user(Members& members, std::uint32_t uid) {
  if (std::ranges::find(members.users, uid) == members.users.end()) members.users.push_back(uid);
  note_name(uid);
}

void AdminAccess::add_group(Members& members, std::uint32_t gid) {
  members.groups.push_back(gid);
  const ::group* const entry = ::getgrgid(gid);
  if (entry == nullptr) return;
  std::vector<std::string> users;
  for (char** user = entry->gr_mem; *user != nullptr; ++user) users.emplace_back(*user);
  for (const std::string& user : users) {
    if (const passwd* found = ::getpwnam(user.c_str())) names_[found->pw_uid] = user;
  }
}

void AdminAccess::note_name(std::uint32_t uid) {
  if (const passwd* entry = ::getpwuid(uid)) names_[uid] = entry->pw_name;
}

}  // namespace starbus::daemon
