/// The roles of a host: which users may claim them, and what they allow. Plain values; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {

/// The permissions of one role. A prefix list with "" allows all names, an empty one none.
/// Rates of 0 are unlimited.
struct Role {
  std::string name;
  std::vector<std::uint32_t> users;   // user ids that may claim the role
  std::vector<std::uint32_t> groups;  // or group ids; both lists empty: all users
  std::vector<std::string> bind;
  std::vector<std::string> send;
  std::uint32_t max_names = static_cast<std::uint32_t>(kMaxNamesPerProcess);
  std::uint64_t messages_per_second = 0;
  std::uint64_t bytes_per_second = 0;

  /// Whether a prefix of the list allows the name.
  bool may_bind(std::string_view channel_name) const;
  bool may_send(std::string_view channel_name) const;
  /// False if every channel is open to it, so that nothing needs to be checked per message.
  bool restricted() const;
  friend bool operator==(const Role&, const Role&) = default;
};

class AccessList {
 public:
  /// An empty list means the roles "" and "node", which may do everything.
  explicit AccessList(std::vector<Role> roles = {});

  /// unauthorized if there is no such role, or it is not for this user and group. The role stays
  /// valid after the list was replaced.
  Result<std::shared_ptr<const Role>> admit(const std::string& role, std::uint32_t uid,
                                            std::uint32_t gid) const;

 private:
  std::vector<std::shared_ptr<const Role>> roles_;
};

}  // namespace starbus::bus
