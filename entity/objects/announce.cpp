#include "entity/objects/announce.hpp"

#include "entity/client/announcement.hpp"
#include "entity/client/limits.hpp"

namespace starbus::entity {

Result<> announce_call(rpc::Endpoint& endpoint, std::string_view group, Bytes call) {
  if (call.size() > sessions::kPartBytes || group.size() > sessions::kGroupName) {
    return sessions::SessionErrc::too_large;
  }
  Bytes word;
  encode(
      sessions::Announcement{
          sessions::next_announcement(), std::string(group), {}, std::move(call)},
      word);
  bus::SendOptions options;
  options.lane = bus::Lane::sync;  // as all that goes down to clients
  return endpoint.bus().announce(sessions::kGatesGroup, bus::ByteView(word), options);
}

}  // namespace starbus::entity
