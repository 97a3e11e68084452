#include "mail/batch/post_keys.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class PostKeysTest : public BatchTest {
 protected:
  const std::string key_ = post_key(shard(), box(), "key");
};

TEST_F(PostKeysTest, TheBatchIsAskedBeforeTheDisk) {
  EXPECT_EQ(seen_before(*mail_, batch_, key_).value(), std::nullopt);
  store_.put(key_, encode(KeyRow{3, shell_.now_ms}));
  EXPECT_EQ(seen_before(*mail_, batch_, key_).value(), 3U);
  batch_.keys[key_] = {4, shell_.now_ms};
  EXPECT_EQ(seen_before(*mail_, batch_, key_).value(), 4U);
}

TEST_F(PostKeysTest, AnExpiredKeyDoesNotCount) {
  store_.put(key_, encode(KeyRow{3, shell_.now_ms}));
  shell_.now_ms += in_ms(kKeyLife) + 1;
  EXPECT_EQ(seen_before(*mail_, batch_, key_).value(), std::nullopt);
}

TEST_F(PostKeysTest, AMalformedRowIsCorrupt) {
  store_.put(key_, "x");
  EXPECT_EQ(seen_before(*mail_, batch_, key_).error(), Errc::corrupt);
}

}  // namespace
}  // namespace starbus::mail::test
