#include "bus/core/routers/host/access_list.hpp"

#include <algorithm>

namespace starbus::bus {
namespace {

Role unrestricted(std::string name) {
  Role role;
  role.name = std::move(name);
  role.bind = {""};
  role.send = {""};
  return role;
}

bool is_for(const Role& role, std::uint32_t uid, std::uint32_t gid) {
  if (role.users.empty() && role.groups.empty()) return true;
  return std::ranges::count(role.users, uid) != 0 || std::ranges::count(role.groups, gid) != 0;
}

}  // namespace

bool Role::may_bind(std::string_view channel_name) const {
  return matches_any(bind, channel_name);
}

bool Role::may_send(std::string_view channel_name) const {
  return matches_any(send, channel_name);
}

bool Role::restricted() const {
  return std::ranges::count(send, "") == 0;
}

AccessList::AccessList(std::vector<Role> roles) {
  if (roles.empty()) roles = {unrestricted(""), unrestricted("node")};
  for (Role& role : roles) roles_.push_back(std::make_shared<const Role>(std::move(role)));
}

Result<std::shared_ptr<const Role>> AccessList::admit(const std::string& role, std::uint32_t uid,
                                                      std::uint32_t gid) const {
  const auto found = std::ranges::find_if(roles_, [&](const auto& r) { return r->name == role; });
  if (found == roles_.end()) return Error{Errc::unauthorized, "no role \"" + role + "\" here"};
  if (!is_for(**found, uid, gid)) {
    return Error{Errc::unauthorized, "role \"" + role + "\" is not for user " +
                                         std::to_string(uid) + ", group " + std::to_string(gid)};
  }
  return *found;
}

}  // namespace starbus::bus
