/// How much a caller of a daemon's admin interface may do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starbus::bus {

/// Each role may do what the ones before it may. The numbers are those of the wire.
enum class AdminRole : std::uint8_t {
  none = 0,     // metrics and health
  observe = 1,  // how the cluster is: status, links, topology, names, routes, failures
  read = 2,     // what belongs to others: messages, mailboxes, properties of entities, documents
  operate = 3,  // changes
};

/// "observe".
constexpr std::string_view name_of(AdminRole role) {
  constexpr std::string_view kNames[] = {"none", "observe", "read", "operate"};
  return kNames[static_cast<std::size_t>(role)];
}

}  // namespace starbus::bus
