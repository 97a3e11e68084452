/// Which name a misspelled requirement means.
#include "nodes/runtime/near_names.hpp"

#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes {
namespace {

using boost::asio::use_awaitable;

TEST(NearNames, OneEditIsAnInsertionARemovalAChangeOrASwap) {
  for (const char* other : {"servicee", "servce", "serbice", "sevrice", "xservice", "ervice"}) {
    EXPECT_TRUE(one_edit_apart("service", other)) << other;
    EXPECT_TRUE(one_edit_apart(other, "service")) << other;
  }
  for (const char* other : {"service", "servi", "secvire", "", "serviceee", "sarbice"}) {
    EXPECT_FALSE(one_edit_apart("service", other)) << other;
  }
  EXPECT_TRUE(one_edit_apart("", "a"));
  EXPECT_FALSE(one_edit_apart("", ""));
}

TEST(NearNames, AreThoseOfTheKindThatIsMeant) {
  EXPECT_EQ(kind_of_requirement("service/db"), "service/");
  EXPECT_EQ(kind_of_requirement("servce/db"), "service/");
  EXPECT_EQ(kind_of_requirement("entity/7"), "") << "too many to look at";
  EXPECT_EQ(as_requirement("service/db#2"), "service/db");
  EXPECT_EQ(as_requirement("ready/space/a.x"), "ready/space/");
  EXPECT_EQ(as_requirement("db/main"), "db/main");
  const std::set<std::string> names = {"service/chat", "service/db"};
  EXPECT_EQ(near_name("servce/db", names), "service/db");
  EXPECT_EQ(near_name("service/dbb", names), "service/db");
  EXPECT_EQ(near_name("service/rank", names), std::nullopt) << "another one, not up yet";
  EXPECT_EQ(near_name("service/db", names), std::nullopt);
  EXPECT_EQ(near_name("servce/rank", names), "service/rank") << "not up yet, and misspelled";
}

class NearNamesTest : public bus::LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a"}}};
};

TEST_F(NearNamesTest, AreFoundAmongTheNamesThatTheBusShows) {
  run([this]() -> bus::Task {
    bus::Bus owner(loop, cluster.node("a", "owner"));
    bus::Bus reader(loop, cluster.node("a", "reader"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await reader.connect(use_awaitable));
    CO_OK(co_await owner.bind("db/main", bus::kNoHandlers, use_awaitable));
    CO_OK(co_await owner.bind("ready/space/a.owner", bus::kNoHandlers, use_awaitable));
    std::vector<std::string> found;
    NearNames near(reader, [&](const std::string& wanted, const std::string& meant) {
      found.push_back(wanted + " " + meant);
    });
    near.look("db/mian");
    near.look("db/mian");
    near.look("db/main");
    near.look("ready/spce/");
    EXPECT_TRUE(co_await until([&] { return found.size() == 2; }));
    std::ranges::sort(found);
    EXPECT_EQ(found, (std::vector<std::string>{"db/mian db/main", "ready/spce/ ready/space/"}));
  });
}

}  // namespace
}  // namespace starbus::nodes
