#include "bus/client/parts/channel_names.hpp"

#include <gtest/gtest.h>

namespace starbus::bus {
namespace {

TEST(ChannelNamesTest, HashesATextOnceAndKeepsItsId) {
  ChannelNames names;
  const auto name = names.name_of("entity/1");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->id(), channel_id("entity/1"));
  EXPECT_EQ(*names.id_of("entity/1"), name->id());
  EXPECT_EQ(*names.id_of("entity/2"), channel_id("entity/2"));
  EXPECT_EQ(names.name_of("entity").error(), Errc::bad_name);
}

TEST(ChannelNamesTest, NamesOnlyChannelsThatItWasToldToRemember) {
  ChannelNames names;
  const auto name = names.name_of("entity/1");
  ASSERT_TRUE(name);
  EXPECT_EQ(names.text_of(name->id()), "");
  names.remember(*name);
  EXPECT_EQ(names.text_of(name->id()), "entity/1");
}

}  // namespace
}  // namespace starbus::bus
