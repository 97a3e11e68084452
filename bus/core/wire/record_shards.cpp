#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {

std::optional<std::uint8_t> shard_in(Kind kind, ByteView payload) {
  constexpr std::size_t kBefore = sizeof(ShardTake::token);
  if (!is_shard(kind) || payload.size() <= kBefore) return std::nullopt;
  return std::to_integer<std::uint8_t>(payload[kBefore]);
}

}  // namespace starbus::bus
