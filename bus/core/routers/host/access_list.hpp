/// The roles of a host: which users have them, and what they allow. Plain values; one thread.
///
/// A role follows from the user of a process, as the kernel states it. A process may ask for one of
/// several roles that list its user, and for no other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_session.hpp"

namespace starbus::bus {

/// The user of a process, by the kernel. Groups are the primary one and the others.
struct User {
  std::uint32_t uid = kNobody;
  std::uint32_t gid = kNobody;
  std::vector<std::uint32_t> groups{};

  /// No process has it: (uid_t)-1.
  static constexpr std::uint32_t kNobody = 0xffff'ffff;
};

/// The permissions of one role. A prefix list with "" allows all names, an empty one none.
/// Rates of 0 are unlimited.
struct Role {
  std::string name;
  std::vector<std::uint32_t> users;   // user ids that have the role
  std::vector<std::uint32_t> groups;  // or group ids; both lists empty: users without another role
  std::vector<std::string> bind;
  std::vector<std::string> send;
  std::vector<std::string> watch{""};
  std::vector<std::string> nodes{"*"};  // its node names; a trailing * stands for any ending
  std::uint32_t max_names = static_cast<std::uint32_t>(kMaxNamesPerProcess);
  std::uint32_t max_sessions = kMaxProcesses;  // processes of one user on this host
  std::uint64_t messages_per_second = 0;
  std::uint64_t bytes_per_second = 0;
  Trust trust = Trust::client;

  /// Whether a prefix of the list allows the name.
  bool may_bind(std::string_view channel_name) const;
  bool may_send(std::string_view channel_name) const;
  /// Whether a prefix of the list allows all names under `prefix`. Gates and servers are for all:
  /// a process must know them to judge its callers.
  bool may_watch(std::string_view prefix) const;
  /// Names that a process may hold: max_names, `process/HOST.NODE` among them, and a server its
  /// `server/HOST.NODE`.
  std::size_t name_limit() const { return max_names + (trust == Trust::server ? 1 : 0); }
  /// False if every channel is open to it, so that nothing needs to be checked per message.
  bool restricted() const;
  friend bool operator==(const Role&, const Role&) = default;
};

class AccessList {
 public:
  /// An empty list means one role, "node", which may do everything.
  explicit AccessList(std::vector<Role> roles = {});

  /// The role of the user: the first that lists it, or else the first that lists no user. With
  /// `asked`, that one of these roles; "" and "node" (what programs say that were not told) ask for
  /// none unless there is such a role. unauthorized if the user has no role, or asks for another.
  /// The role stays valid after the list was replaced.
  Result<std::shared_ptr<const Role>> admit(std::string_view asked, const User& user) const;

  /// denied if the role may not use the node name. Where several roles match a name, the longest
  /// pattern has it: "gate-*" reserves such names against "*".
  Result<> check_node(const Role& role, std::string_view node) const;

 private:
  std::vector<std::shared_ptr<const Role>> roles_;
};

}  // namespace starbus::bus
