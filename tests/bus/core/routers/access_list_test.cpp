#include "bus/core/routers/host/access_list.hpp"

#include <gtest/gtest.h>

namespace starbus::bus::test {
namespace {

Role role(std::string name, std::vector<std::uint32_t> users,
          std::vector<std::uint32_t> groups = {}) {
  Role role;
  role.name = std::move(name);
  role.users = std::move(users);
  role.groups = std::move(groups);
  return role;
}

/// The name of the role that the list gives; "-" if it refuses.
std::string given(const AccessList& list, std::string_view asked, const User& user) {
  const auto role = list.admit(asked, user);
  return role ? (*role)->name : "-";
}

TEST(AccessListTest, TheFirstRoleThatListsTheUserIsItsRole) {
  const AccessList list({role("others", {}), role("gate", {10}), role("node", {11}, {500})});
  EXPECT_EQ(given(list, "", {10, 500}), "gate");
  EXPECT_EQ(given(list, "", {11, 1}), "node");
  EXPECT_EQ(given(list, "", {12, 500}), "node");
  EXPECT_EQ(given(list, "", {12, 1, {7, 500}}), "node") << "by a supplementary group";
  EXPECT_EQ(given(list, "", {12, 1}), "others");
}

TEST(AccessListTest, ARoleIsNotChosen) {
  // The attacker runs as the user of a gate, whose group is that of all nodes, and asks for more.
  const AccessList list({role("gate", {10}), role("everything", {11}), role("others", {})});
  EXPECT_EQ(given(list, "everything", {10, 1}), "-");
  EXPECT_EQ(given(list, "others", {10, 1}), "-");
  const auto refused = list.admit("everything", {10, 1});
  EXPECT_EQ(refused.error(), Errc::unauthorized);
  EXPECT_NE(refused.error().detail.find("\"gate\""), std::string::npos) << refused.error().detail;
  EXPECT_NE(refused.error().detail.find("\"everything\""), std::string::npos);
}

TEST(AccessListTest, OneOfSeveralRolesThatListTheUserMayBeAskedFor) {
  const AccessList list({role("gate", {10}), role("space", {10}), role("db", {11})});
  EXPECT_EQ(given(list, "", {10, 1}), "gate");
  EXPECT_EQ(given(list, "space", {10, 1}), "space");
  EXPECT_EQ(given(list, "db", {10, 1}), "-");
}

TEST(AccessListTest, NodeAsksForNothingUnlessThereIsSuchARole) {
  EXPECT_EQ(given(AccessList({role("gate", {10})}), "node", {10, 1}), "gate");
  EXPECT_EQ(given(AccessList({role("gate", {10}), role("node", {10})}), "node", {10, 1}), "node");
}

TEST(AccessListTest, AUserWithoutARoleIsToldWhatToDo) {
  const auto refused = AccessList({role("gate", {10})}).admit("", {12, 1});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("user 12, group 1: no role; add the user to a [[role]]"),
            std::string::npos)
      << refused.error().detail;
}

TEST(AccessListTest, AnEmptyListAllowsEverything) {
  const auto role = AccessList().admit("", {12, 1});
  ASSERT_TRUE(role);
  EXPECT_TRUE((*role)->may_bind("x/1"));
  EXPECT_TRUE((*role)->may_watch(""));
  EXPECT_EQ((*role)->trust, Trust::server);
}

TEST(AccessListTest, ALongerPatternReservesANodeName) {
  Role gate = role("gate", {10});
  gate.nodes = {"gate-*"};
  Role store = role("store", {1});
  store.nodes = {"store"};
  const Role tools = role("tools", {11});
  const AccessList list({gate, store, tools});
  EXPECT_TRUE(list.check_node(gate, "gate-1"));
  EXPECT_EQ(list.check_node(gate, "space-1").error(), Errc::denied);
  EXPECT_EQ(list.check_node(gate, "gate").error(), Errc::denied);
  EXPECT_TRUE(list.check_node(tools, "space-1"));
  EXPECT_TRUE(list.check_node(tools, "store-1"));
  EXPECT_EQ(list.check_node(tools, "gate-1").error(), Errc::denied);
  const auto refused = list.check_node(tools, "store");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("which role \"store\" reserves"), std::string::npos)
      << refused.error().detail;
}

TEST(AccessListTest, WatchesStayBelowThePrefixesOfTheRole) {
  Role gate = role("gate", {10});
  gate.watch = {"service/", "process/"};
  EXPECT_TRUE(gate.may_watch("service/"));
  EXPECT_TRUE(gate.may_watch("service/chat#"));
  EXPECT_FALSE(gate.may_watch("serv"));
  EXPECT_FALSE(gate.may_watch(""));
  EXPECT_FALSE(gate.may_watch("player/"));
  EXPECT_TRUE(gate.may_watch("gate/")) << "every process must know the gates";
  EXPECT_TRUE(gate.may_watch("server/"));
  gate.watch = {};
  EXPECT_FALSE(gate.may_watch("service/"));
}

}  // namespace
}  // namespace starbus::bus::test
