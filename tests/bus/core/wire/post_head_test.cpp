/// What stands before a posted body.
#include "bus/core/wire/post_head.hpp"

#include <gtest/gtest.h>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

Bytes encoded(const PostHead& head, std::string_view body) {
  Bytes bytes;
  encode_post_head(head, bytes);
  const ByteView view = as_bytes(body);
  bytes.insert(bytes.end(), view.begin(), view.end());
  return bytes;
}

TEST(PostHeadTest, SurvivesTheTrip) {
  const Bytes trace(24, std::byte{7});
  const Bytes bytes = encoded({PostTarget::log, "guild/1", "key", trace}, "body");
  const auto post = decode_post(bytes);
  ASSERT_TRUE(post);
  EXPECT_EQ(post->head.target, PostTarget::log);
  EXPECT_EQ(post->head.name, "guild/1");
  EXPECT_EQ(post->head.key, "key");
  EXPECT_EQ(post->head.trace.size(), 24u);
  EXPECT_EQ(as_text(post->body), "body");
}

TEST(PostHeadTest, RefusesWhatIsNone) {
  const Bytes good = encoded({PostTarget::mailbox, "player/1", "", {}}, "");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decode_post(ByteView(good).first(size))) << size;
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    Bytes wrong = good;
    wrong[at] = std::byte{9};
    EXPECT_EQ(decode_post(wrong).error(), Errc::bad_bytes) << at;
  }
  EXPECT_FALSE(decode_post(encoded({PostTarget::mailbox, "no kind", "", {}}, "")));
  const std::string key(kMaxPostKey + 1, 'k');
  EXPECT_FALSE(decode_post(encoded({PostTarget::mailbox, "player/1", key, {}}, "")));
}

TEST(PostHeadTest, AShardIsTheFirstByteOfTheId) {
  EXPECT_EQ(shard_name(17), "store/17");
  EXPECT_EQ(shard_of({0x1122334455667788, 0}), 0x88);
  EXPECT_EQ(channel_id("player/1").to_string().substr(0, 2).size(), 2u);
}

}  // namespace
}  // namespace starbus::bus
