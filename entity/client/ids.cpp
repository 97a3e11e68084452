#include "entity/client/ids.hpp"

#include "base/little_endian.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::entity::sessions {

Key seal_of(const Key& secret) {
  char bytes[21] = {'p', 'a', 's', 's', '/'};  // no name of a process, which has no hash
  bus::store(reinterpret_cast<std::byte*>(bytes) + 5, secret.high);
  bus::store(reinterpret_cast<std::byte*>(bytes) + 13, secret.low);
  const bus::ChannelId hash = bus::channel_id({bytes, sizeof bytes});
  return {hash.high, hash.low};
}

std::string_view name_of(Reason reason) {
  switch (reason) {
    case Reason::replaced:
      return "replaced";
    case Reason::switched:
      return "switched";
    case Reason::away:
      return "away";
    case Reason::too_slow:
      return "too_slow";
    case Reason::ended:
      return "ended";
    case Reason::fault:
      return "fault";
  }
  return "unknown";
}

std::uint64_t client_number(const SessionId& session, const Bind& bind) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t each : {session.high, session.low, bind.epoch, bind.counter}) {
    mixed = (mixed ^ each) * 0x9e37'79b9'7f4a'7c15ULL;
    mixed ^= mixed >> 29;
  }
  return mixed;
}

}  // namespace starbus::entity::sessions
