#include "bus/core/routers/host/access_list.hpp"

#include <algorithm>

namespace starbus::bus {
namespace {

constexpr std::string_view kUntold = "node";  // Options::role of a program that names none

Role unrestricted() {
  Role role;
  role.name = kUntold;
  role.bind = {""};
  role.send = {""};
  role.trust = Trust::server;
  return role;
}

bool lists(const Role& role, const User& user) {
  const auto has_group = [&](std::uint32_t gid) {
    return gid == user.gid || std::ranges::count(user.groups, gid) != 0;
  };
  return std::ranges::count(role.users, user.uid) != 0 ||
         std::ranges::any_of(role.groups, has_group);
}

bool is_for_others(const Role& role) {
  return role.users.empty() && role.groups.empty();
}

/// Length of the longest pattern that matches the name, plus 1; 0 if none does.
std::size_t best_match(const Role& role, std::string_view node) {
  std::size_t best = 0;
  for (const std::string_view pattern : role.nodes) {
    const bool open = pattern.ends_with('*');
    const std::string_view fixed = pattern.substr(0, pattern.size() - (open ? 1 : 0));
    const bool matches = open ? node.starts_with(fixed) : node == fixed;
    if (matches) best = std::max(best, pattern.size() + 1);
  }
  return best;
}

std::string text_of(const User& user) {
  return "user " + std::to_string(user.uid) + ", group " + std::to_string(user.gid);
}

}  // namespace

bool Role::may_bind(std::string_view channel_name) const {
  return matches_any(bind, channel_name);
}

bool Role::may_send(std::string_view channel_name) const {
  return matches_any(send, channel_name);
}

bool Role::may_watch(std::string_view prefix) const {
  return prefix == kGatePrefix || prefix == kServerPrefix || matches_any(watch, prefix);
}

bool Role::restricted() const {
  return std::ranges::count(send, "") == 0;
}

AccessList::AccessList(std::vector<Role> roles) {
  if (roles.empty()) roles = {unrestricted()};
  for (Role& role : roles) roles_.push_back(std::make_shared<const Role>(std::move(role)));
}

Result<std::shared_ptr<const Role>> AccessList::admit(std::string_view asked,
                                                      const User& user) const {
  std::vector<std::shared_ptr<const Role>> mine;
  std::ranges::copy_if(roles_, std::back_inserter(mine),
                       [&](const auto& role) { return lists(*role, user); });
  if (mine.empty()) {
    std::ranges::copy_if(roles_, std::back_inserter(mine),
                         [](const auto& role) { return is_for_others(*role); });
  }
  if (mine.empty()) {
    return Error{Errc::unauthorized, text_of(user) + ": no role; add the user to a [[role]] of " +
                                         "this host's busd.toml and reload busd"};
  }
  const auto found = std::ranges::find_if(mine, [&](const auto& r) { return r->name == asked; });
  if (found != mine.end()) return *found;
  if (asked.empty() || asked == kUntold) return mine.front();
  return Error{Errc::unauthorized, text_of(user) + ": its role is \"" + mine.front()->name +
                                       "\", it asks for \"" + std::string(asked) +
                                       "\"; ask for none, or add the user to that [[role]]"};
}

Result<> AccessList::check_node(const Role& role, std::string_view node) const {
  const std::size_t own = best_match(role, node);
  const auto reserved = std::ranges::find_if(
      roles_, [&](const auto& other) { return best_match(*other, node) > own; });
  if (own != 0 && reserved == roles_.end()) return {};
  return Error{Errc::denied,
               "role \"" + role.name + "\" may not use the node name \"" + std::string(node) +
                   "\"" + (own == 0 ? "" : ", which role \"" + (*reserved)->name + "\" reserves")};
}

}  // namespace starbus::bus
