#include "nodes/players/client_groups.hpp"

#include "entity/client/limits.hpp"

namespace starbus::nodes::players {

namespace sessions = entity::sessions;

bus::Result<> ClientGroups::say(std::string group, bus::Bytes body) {
  if (group.size() > sessions::kGroupName || body.size() > sessions::kPartBytes) {
    return sessions::SessionErrc::too_large;
  }
  bus::Bytes word;
  encode(sessions::Announcement{said_ + 1, std::move(group), std::move(body)}, word);
  auto announced = bus_.announce(kGates, bus::ByteView(word));
  if (announced) ++said_;
  return announced;
}

}  // namespace starbus::nodes::players
