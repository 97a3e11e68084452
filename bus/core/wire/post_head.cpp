#include "bus/core/wire/post_head.hpp"

#include <boost/unordered/unordered_flat_set.hpp>
#include <vector>

#include "bus/core/limits.hpp"

namespace starbus::bus {
namespace {

constexpr std::uint8_t kVersion1 = 1;
constexpr std::uint8_t kTraced = 1;
constexpr std::size_t kTraceSize = 24;

}  // namespace

std::uint8_t shard_of(const ChannelId& name) {
  return static_cast<std::uint8_t>(name.high & 0xff);
}

std::string shard_name(std::uint8_t shard) {
  return std::string(kStores) + std::to_string(shard);
}

const Name& shard_channel(std::uint8_t shard) {
  static const std::vector<Name> kChannels = [] {
    std::vector<Name> channels;
    for (std::size_t i = 0; i < kShards; ++i) {
      channels.push_back(Name::of(shard_name(static_cast<std::uint8_t>(i))).value());
    }
    return channels;
  }();
  return kChannels[shard];
}

bool is_shard_channel(const ChannelId& channel) {
  static const boost::unordered_flat_set<ChannelId> kChannels = [] {
    boost::unordered_flat_set<ChannelId> channels;
    for (std::size_t i = 0; i < kShards; ++i) {
      channels.insert(shard_channel(static_cast<std::uint8_t>(i)).id());
    }
    return channels;
  }();
  return kChannels.contains(channel);
}

void encode_post_head(const PostHead& head, Bytes& out) {
  Writer writer(out);
  writer.put(kVersion1);
  writer.put(static_cast<std::uint8_t>(head.target));
  writer.put(static_cast<std::uint8_t>(head.trace.empty() ? 0 : kTraced));
  writer.short_text(head.name);
  writer.short_text(head.key);
  writer.bytes(head.trace);
}

Result<DecodedPost> decode_post(ByteView message) {
  const Error bad{Errc::bad_bytes, "malformed post"};
  Reader reader(message);
  const auto version = reader.get<std::uint8_t>();
  const auto target = reader.get<std::uint8_t>();
  const auto flags = reader.get<std::uint8_t>();
  DecodedPost post;
  post.head.target = static_cast<PostTarget>(target);
  post.head.name = reader.short_text();
  post.head.key = reader.short_text();
  if (flags == kTraced) post.head.trace = reader.take(kTraceSize);
  if (!reader.ok() || version != kVersion1 || flags > kTraced || target < 1 || target > 2)
    return bad;
  if (!check_channel_name(post.head.name) || post.head.key.size() > kMaxPostKey) return bad;
  post.body = reader.rest();
  return post;
}

}  // namespace starbus::bus
