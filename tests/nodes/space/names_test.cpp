#include "nodes/space/names.hpp"

#include <gtest/gtest.h>

#include "nodes/space/limits.hpp"

namespace starbus::nodes::space {
namespace {

TEST(SpaceNames, GoThereAndBack) {
  const SpaceName lines[] = {{{"town", ""}, 3},
                             {{"dungeon", "team7"}, 1},
                             {{"match_5v5", "A-b_0-9"}, static_cast<std::uint32_t>(kMaxLines)}};
  for (const SpaceName& name : lines) EXPECT_EQ(space_of_channel(channel_name(name)), name);
  EXPECT_EQ(channel_name(lines[0]), "space/town-3");
  EXPECT_EQ(channel_name(lines[1]), "space/dungeon.team7-1");
}

TEST(SpaceNames, OfAnotherFormAreRefused) {
  for (const std::string_view wrong :
       {"", "space/", "town-1", "space/town", "space/town-", "space/town-0", "space/town-01",
        "space/town-4097", "space/Town-1", "space/town.-1", "space/town.a b-1", "space/-1",
        "space/town.a.b-1", "space/town-1 ", "space/town-+1", "player/town-1"}) {
    EXPECT_EQ(space_of_channel(wrong), std::nullopt) << wrong;
  }
  EXPECT_TRUE(check_type(std::string(kMaxTypeName, 'a')));
  EXPECT_EQ(check_type(std::string(kMaxTypeName + 1, 'a')).error(), Errc::bad_name);
  EXPECT_EQ(check_type("a-b").error(), Errc::bad_name);
  EXPECT_TRUE(check_key(std::string(kMaxKey, 'Z')));
  EXPECT_EQ(check_key(std::string(kMaxKey + 1, 'Z')).error(), Errc::bad_name);
  EXPECT_EQ(check_key("").error(), Errc::bad_name);
}

}  // namespace
}  // namespace starbus::nodes::space
