// What servers say to groups of clients: its bytes, and what the decoder does with others.
#include "entity/client/announcement.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "entity/client/limits.hpp"

namespace starbus::entity::sessions {
namespace {

bus::Bytes encoded(const Announcement& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return bytes;
}

TEST(Announcements, HaveGoldenBytes) {
  const Announcement word{300, "guild/7", "ann", {std::byte{'h'}, std::byte{'i'}}};
  const bus::Bytes bytes = encoded(word);
  EXPECT_EQ(hex_of(bus::as_text(bytes)),
            "df"
            "ac02"
            "076775696c642f37"
            "03616e6e"
            "026869");
  EXPECT_EQ(decode_announcement(bytes).value(), word);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_announcement(bus::ByteView(bytes).first(size))) << size;
  }
}

TEST(Announcements, AreBounded) {
  EXPECT_TRUE(decode_announcement(encoded({1, std::string(kGroupName, 'g'), {}, {}})));
  EXPECT_EQ(decode_announcement(encoded({1, std::string(kGroupName + 1, 'g'), {}, {}})).error(),
            DataErrc::too_large);
  EXPECT_TRUE(decode_announcement(encoded({1, {}, {}, bus::Bytes(kPartBytes)})));
  EXPECT_EQ(decode_announcement(encoded({1, {}, {}, bus::Bytes(kPartBytes + 1)})).error(),
            DataErrc::too_large);
  EXPECT_TRUE(decode_announcement(encoded({1, {}, std::string(kOperatorName, 'o'), {}})));
  EXPECT_EQ(decode_announcement(encoded({1, {}, std::string(kOperatorName + 1, 'o'), {}})).error(),
            DataErrc::too_large);
}

TEST(Announcements, NumbersOfAProcessGrow) {
  const std::uint64_t first = next_announcement();
  EXPECT_GT(first, 0U);
  EXPECT_GT(next_announcement(), first);
}

}  // namespace
}  // namespace starbus::entity::sessions
