/// Channel names, prefixes, node names, and the ids that stand for them.
#include "bus/core/wire/name.hpp"

#include <gtest/gtest.h>

#include "bus/core/limits.hpp"

namespace starbus::bus {
namespace {

TEST(ChannelName, TakesKindAndName) {
  for (const char* name : {"entity/7f3a", "player/42", "service/chat#2", "space/town-3", "a/b/c",
                           "stadt/K\xc3\xb6ln", "x/\xf0\x9f\x98\x80", "x/ "}) {
    EXPECT_TRUE(check_channel_name(name)) << name;
  }
}

TEST(ChannelName, NeedsBothHalves) {
  for (const char* name : {"", "entity", "/x", "entity/", "/"}) {
    EXPECT_EQ(check_channel_name(name).error(), Errc::bad_name) << name;
  }
}

TEST(ChannelName, MayHave255Bytes) {
  EXPECT_TRUE(check_channel_name("a/" + std::string(kMaxName - 2, 'x')));
  EXPECT_EQ(check_channel_name("a/" + std::string(kMaxName - 1, 'x')).error(), Errc::bad_name);
}

TEST(ChannelName, HoldsNoControlCharacter) {
  for (const std::string& text :
       {std::string("a/\n"), std::string("a/\0b", 4), std::string("a/\x7f"),
        std::string("a/\xc2\x85"), std::string("a/\x1f")}) {
    EXPECT_EQ(check_channel_name(text).error(), Errc::bad_name);
  }
  EXPECT_TRUE(check_channel_name("a/\xc2\xa0"));
}

TEST(ChannelName, IsUtf8) {
  for (const char* text : {"a/\x80", "a/\xc0\xaf", "a/\xc1\xbf", "a/\xe0\x9f\xbf", "a/\xed\xa0\x80",
                           "a/\xf0\x8f\xbf\xbf", "a/\xf4\x90\x80\x80", "a/\xf5\x80\x80\x80",
                           "a/\xff", "a/\xe2\x82", "a/\xc3"}) {
    EXPECT_EQ(check_channel_name(text).error(), Errc::bad_name) << text;
  }
  EXPECT_TRUE(check_channel_name("a/\xf4\x8f\xbf\xbf"));
  EXPECT_TRUE(check_channel_name("a/\xed\x9f\xbf"));
}

TEST(Prefix, MayStopAnywhere) {
  for (const char* prefix : {"", "e", "entity/", "/", "x/\xc3", "x/\xf0\x9f\x98"}) {
    EXPECT_TRUE(check_prefix(prefix)) << prefix;
  }
  EXPECT_EQ(check_prefix("a/\n").error(), Errc::bad_name);
  EXPECT_EQ(check_prefix("\xc0x").error(), Errc::bad_name);
  EXPECT_EQ(check_prefix(std::string(kMaxName + 1, 'x')).error(), Errc::bad_name);
}

TEST(NodeName, IsPlain) {
  EXPECT_TRUE(check_node_name("space-1_B"));
  EXPECT_TRUE(check_node_name(std::string(100, 'a')));
  for (const std::string& name :
       {std::string(), std::string(101, 'a'), std::string("a.b"), std::string("a b"),
        std::string("a/b"), std::string("\xc3\xb6")}) {
    EXPECT_EQ(check_node_name(name).error(), Errc::bad_name) << name;
  }
}

TEST(ChannelIds, AreTheFirst128BitsOfSha256) {
  // printf entity/7 | sha256sum
  EXPECT_EQ(channel_id("entity/7"), channel_id("entity/7"));
  EXPECT_NE(channel_id("entity/7"), channel_id("entity/8"));
  EXPECT_EQ(channel_id("abc").to_string(), "eacf018fbf1678ba2322ae5dde404141");
}

TEST(ChannelIds, OfAProcessNeedNoName) {
  const std::string name = process_channel_name("hostA", "space-1");
  EXPECT_EQ(host_of_process("hostA.space-1"), "hostA");
  EXPECT_EQ(name, "process/hostA.space-1");
  const Process process{host_id("hostA"), slot_id("space-1"), 9};
  EXPECT_EQ(channel_id(name), process.channel());
  EXPECT_EQ(channel_id(name).high, kProcessTag);
}

TEST(Names, ThatAreHeldForLifeNameTheirProcess) {
  const ChannelId process = channel_id("process/hostA.space-1");
  EXPECT_EQ(holder_for_life("process/hostA.space-1"), process);
  EXPECT_EQ(holder_for_life("server/hostA.space-1"), process);
  EXPECT_EQ(holder_for_life("gate/hostA.space-1"), process);
  EXPECT_EQ(holder_for_life("gate/1"), std::nullopt);
  EXPECT_EQ(holder_for_life("entity/hostA.space-1"), std::nullopt);
}

TEST(Names, OfSetsHaveNoInstance) {
  EXPECT_TRUE(is_shared_name("service/chat"));
  EXPECT_FALSE(is_shared_name("service/chat#1"));
  EXPECT_FALSE(is_shared_name("group/gates"));
  EXPECT_TRUE(is_group_name("group/gates"));
  EXPECT_FALSE(is_group_name("group/gates#a.b"));
}

TEST(Names, AreCheckedOnce) {
  const auto name = Name::of("entity/7");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->text(), "entity/7");
  EXPECT_EQ(name->id(), channel_id("entity/7"));
  EXPECT_FALSE(Name::of("entity"));
}

TEST(Epochs, CompareByTermFirst) {
  EXPECT_LT(Epoch::of(1, 1'000'000'000'000), Epoch::of(2, 1));
  EXPECT_LT(Epoch::of(2, 1), Epoch::of(2, 2));
  EXPECT_EQ(Epoch::of(3, 17).to_string(), "3.17");
  EXPECT_EQ(Epoch::of(3, 17).term(), 3u);
  EXPECT_EQ(Epoch::of(3, 17).n(), 17u);
  EXPECT_FALSE(Epoch{});
}

}  // namespace
}  // namespace starbus::bus
