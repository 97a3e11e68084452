/// Users and groups of this machine, as configuration names them.
///
/// Plain functions, from the thread that reads the configuration: a look-up may ask a directory
/// service, and waits for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starbus::daemon {

/// The id of a user, by its name or as a number; nullopt if this system does not know the name.
std::optional<std::uint32_t> user_id(const std::string& user);
/// The same for a group.
std::optional<std::uint32_t> group_id(const std::string& group);

}  // namespace starbus::daemon
