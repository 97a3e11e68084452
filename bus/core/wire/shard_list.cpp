#include "bus/core/wire/shard_list.hpp"

#include <bitset>

#include "base/numbers.hpp"
#include "bus/core/wire/post_head.hpp"

namespace starbus::bus {
namespace {

std::optional<unsigned> parse_shard(std::string_view text) {
  const auto shard = parse_number<unsigned>(text);
  return shard && *shard < kShards ? shard : std::nullopt;
}

/// Without the spaces around it.
std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> parse_shards(std::string_view text) {
  std::vector<std::uint8_t> shards;
  std::bitset<kShards> seen;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const std::string_view range = trimmed(text.substr(0, comma));
    if (more) text.remove_prefix(comma + 1);
    const std::size_t dash = range.find('-');
    const auto first = parse_shard(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_shard(range.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    for (unsigned shard = *first; shard <= *last; ++shard) {
      if (seen.test(shard)) return std::nullopt;
      seen.set(shard);
      shards.push_back(static_cast<std::uint8_t>(shard));
    }
  }
  return shards;
}

std::string shards_text(const std::vector<std::uint8_t>& shards) {
  std::string text;
  for (std::size_t i = 0; i < shards.size();) {
    std::size_t end = i + 1;
    while (end < shards.size() && shards[end] == shards[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(shards[i]);
    if (end - i > 1) text += "-" + std::to_string(shards[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace starbus::bus
