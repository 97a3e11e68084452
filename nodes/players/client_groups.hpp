/// Calls methods of many clients at once: of all, or of those that are in a group of their gate.
///
///   players::ClientGroups groups(node.bus());             // one in a process: it numbers its
///   calls host.world().add(groups);
///   ...
///   client().join("town");                                 // in an entity, in on_client
///   world().get<players::ClientGroups>().call<&PlayerClient::said>("town", who, line);
///
/// One message goes to each gate that is up, which encodes nothing again; a client hears each call
/// once, in the order of this process, and also while its session changes its gate. What is said
/// here has no order with what entities say to their clients. Belongs to the loop's thread; the bus
/// outlives it. Failures are values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "bus/client/bus.hpp"
#include "entity/client/announcement.hpp"
#include "entity/client/error.hpp"
#include "entity/objects/client_interface.hpp"

namespace starbus::nodes::players {

class ClientGroups {
 public:
  /// The group that every gate is a member of.
  static constexpr std::string_view kGates = "group/gates";

  explicit ClientGroups(bus::Bus& bus) : bus_(bus) {}
  ClientGroups(const ClientGroups&) = delete;
  ClientGroups& operator=(const ClientGroups&) = delete;

  /// `group`: 1 to kGroupName bytes; empty: all clients. Errors: too_large, for the group or the
  /// arguments (kPartBytes); those of bus::Bus::announce. Nothing was said then.
  template <auto M, class... A>
  bus::Result<> call(std::string group, A&&... arguments) {
    bus::Bytes body;
    if (entity::encode_client_call<M>(body, std::forward<A>(arguments)...) !=
        entity::DataErrc::ok) {
      return entity::sessions::SessionErrc::too_large;
    }
    return say(std::move(group), std::move(body));
  }
  /// Calls that were said.
  std::uint64_t said() const { return said_; }

 private:
  bus::Result<> say(std::string group, bus::Bytes body);

  bus::Bus& bus_;
  std::uint64_t said_ = 0;  // the number of the last one
};

}  // namespace starbus::nodes::players
