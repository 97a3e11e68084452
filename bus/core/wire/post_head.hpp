/// The head before the body of a message to a mail shard (`store/N`): where it is to be stored. A
/// daemon looks at the name in it, on behalf of roles that may not send everywhere.
///
///   u8 1 (version), u8 target (1 mailbox, 2 log), u8 flags (1: a trace context of 24 bytes
///   follows) u8 length and name, u8 length and idempotency key, [trace], then the body
#pragma once

#include <string>
#include <string_view>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {

/// The shards of all mail. A name's shard is the first byte of its id, so it never changes.
inline constexpr std::size_t kShards = 256;
std::uint8_t shard_of(const ChannelId& name);
inline constexpr std::string_view kStores = "store/";
/// "store/17".
std::string shard_name(std::uint8_t shard);
/// The same with its id, made once.
const Name& shard_channel(std::uint8_t shard);
bool is_shard_channel(const ChannelId& channel);

/// Largest body of a posted message: below kMaxBody by the bytes that may stand around it later, in
/// the record that a reader gets, in a dead letter, and in a page of a shard that moves. Beyond it:
/// too_large.
inline constexpr std::size_t kMaxPostBody = kMaxBody - 128 * 1024;

enum class PostTarget : std::uint8_t { mailbox = 1, log = 2 };

struct PostHead {
  PostTarget target = PostTarget::mailbox;
  std::string_view name;
  std::string_view key;  // empty: none
  ByteView trace;        // empty, or 24 bytes
};

/// Appends the head. `name` and `key` are checked before: kMaxName, kMaxPostKey.
void encode_post_head(const PostHead& head, Bytes& out);

/// A decoded message to a shard. `body` points into the decoded bytes.
struct DecodedPost {
  PostHead head;
  ByteView body;
};
/// Views into `message`. bad_bytes if it is malformed.
Result<DecodedPost> decode_post(ByteView message);

}  // namespace starbus::bus
