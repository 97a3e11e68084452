#include "nodes/service/names.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "bus/core/wire/name.hpp"
#include "nodes/service/host_report.hpp"
#include "nodes/service/limits.hpp"

namespace starbus::nodes::service {
namespace {

TEST(ServiceNames, AreThoseOfTheDocument) {
  const InstanceId chat{"chat", 2, 0};
  EXPECT_EQ(channel_name(chat), "service/chat#2");
  EXPECT_EQ(claim_name(chat), "instance/chat/2");
  const InstanceId rank{"rank", 3, 16};
  EXPECT_EQ(channel_name(rank), "partition/rank/3of16");
  EXPECT_EQ(claim_name(rank), "instance/rank/3of16");
  EXPECT_EQ(partition_prefix("rank"), "partition/rank/");
  EXPECT_FALSE(bus::is_shared_name("partition/rank")) << "no call to any of them at random";
}

TEST(ServiceNames, OfAnotherFormAreNone) {
  for (const char* const name : {"",
                                 "instance/",
                                 "instance/chat",
                                 "instance/chat/",
                                 "instance/chat/0",
                                 "instance/chat/01",
                                 "instance/chat/-1",
                                 "instance/chat/+1",
                                 "instance/chat/1 ",
                                 "instance/chat/4097",
                                 "instance/chat/99999999999",
                                 "instance/Chat/1",
                                 "instance//1",
                                 "instance/rank/3of",
                                 "instance/rank/of16",
                                 "instance/rank/17of16",
                                 "instance/rank/1of0",
                                 "instance/rank/1of4097",
                                 "instance/rank/1of2of3",
                                 "instance/rank/1/2",
                                 "partition/rank/1of2"}) {
    EXPECT_FALSE(instance_of_claim(name)) << name;
  }
  EXPECT_FALSE(instance_of_partition("partition/rank/1"));
  EXPECT_FALSE(instance_of_partition("instance/rank/1of2"));
  EXPECT_FALSE(check_type(""));
  EXPECT_FALSE(check_type("a-b"));
  EXPECT_FALSE(check_type(std::string(kMaxTypeName + 1, 'a')));
  EXPECT_TRUE(check_type(std::string(kMaxTypeName, 'a')));
  EXPECT_FALSE(check_label("a b"));
  EXPECT_TRUE(check_label("Big-1"));
}

RC_GTEST_PROP(ServiceNames, AreReadAsTheyWereWritten, ()) {
  InstanceId id;
  id.type = *rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("abz09_"))));
  id.partitions = *rc::gen::inRange(0u, 4'097u);
  id.number = *rc::gen::inRange(1u, (id.partitions == 0 ? 4'096u : id.partitions) + 1);
  RC_PRE(id.type.size() <= kMaxTypeName);
  RC_ASSERT(check_instance(id).has_value());
  RC_ASSERT(instance_of_claim(claim_name(id)) == id);
  RC_ASSERT(bus::check_channel_name(channel_name(id)).has_value());
  if (id.partitions != 0) RC_ASSERT(instance_of_partition(channel_name(id)) == id);
}

RC_GTEST_PROP(ServiceNames, AnyTextIsAnInstanceOrNone, (const std::string& text)) {
  const auto id = instance_of_claim("instance/" + text);
  if (id) RC_ASSERT(claim_name(*id) == "instance/" + text);
}

/// State is divided by these numbers: they must never change.
TEST(ServiceKeys, BelongToTheSamePartitionInEveryBuild) {
  EXPECT_EQ(hash_of_key(""), 0xf52a'15e9'a9b5'e89bULL);
  EXPECT_EQ(hash_of_key("player/42"), 0xb7e9'9a42'ff80'6918ULL);
  EXPECT_EQ(hash_of_key(std::string("\0\xff", 2)), 0xa70b'ee94'c6c8'447bULL);
  EXPECT_EQ(partition_of("player/42", 16), 9u);
  EXPECT_EQ(partition_of("anything", 1), 1u);
}

TEST(ServiceKeys, AreSpreadEvenly) {
  std::map<std::uint32_t, int> counts;
  for (int i = 0; i < 16'000; ++i) ++counts[partition_of("player/" + std::to_string(i), 16)];
  ASSERT_EQ(counts.size(), 16u);
  for (const auto& [partition, count] : counts) {
    EXPECT_GT(count, 850) << partition;  // five standard deviations of 1,000
    EXPECT_LT(count, 1'150) << partition;
  }
}

TEST(ServiceErrors, HaveNames) {
  EXPECT_EQ(name_of(Errc::ok), "ok");
  EXPECT_EQ(name_of(static_cast<Errc>(200)), "unknown");
  EXPECT_EQ(name_of(static_cast<InstanceState>(99)), "unknown");
}

}  // namespace
}  // namespace starbus::nodes::service
