#include "daemon/account_ids.hpp"

#include <grp.h>
#include <pwd.h>

#include "base/numbers.hpp"

namespace starbus::daemon {

std::optional<std::uint32_t> user_id(const std::string& user) {
  if (const passwd* entry = ::getpwnam(user.c_str())) return entry->pw_uid;
  return parse_number<std::uint32_t>(user);
}

std::optional<std::uint32_t> group_id(const std::string& group) {
  if (const ::group* entry = ::getgrnam(group.c_str())) return entry->gr_gid;
  return parse_number<std::uint32_t>(group);
}

}  // namespace starbus::daemon
