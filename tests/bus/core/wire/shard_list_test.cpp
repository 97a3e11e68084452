#include "bus/core/wire/shard_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(ShardList, IsReadAsPeopleWriteIt) {
  EXPECT_THAT(*parse_shards("7"), ElementsAre(7));
  EXPECT_THAT(*parse_shards("0-2, 40,255"), ElementsAre(0, 1, 2, 40, 255));
  EXPECT_THAT(*parse_shards("0-255"), SizeIs(256));
}

TEST(ShardList, RefusesWhatIsNone) {
  for (const char* wrong :
       {"", ",", "1,", "256", "-1", "2-1", "1-", "a", "1 2", "1-2-3", "5,4-6"}) {
    EXPECT_FALSE(parse_shards(wrong)) << wrong;
  }
}

TEST(ShardList, IsWrittenShort) {
  EXPECT_EQ(shards_text({}), "");
  EXPECT_EQ(shards_text({3}), "3");
  EXPECT_EQ(shards_text({0, 1, 2, 40, 254, 255}), "0-2, 40, 254-255");
}

}  // namespace
}  // namespace starbus::bus
