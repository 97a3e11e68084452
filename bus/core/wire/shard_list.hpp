#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::bus {

/// Shards of mail as people write them: "7", "0-127", "0-12,40". In the order of the text; no value
/// for anything else, and for a shard that is named twice.
std::optional<std::vector<std::uint8_t>> parse_shards(std::string_view text);

/// "0-12, 40", of numbers in order.
std::string shards_text(const std::vector<std::uint8_t>& shards);

}  // namespace starbus::bus
