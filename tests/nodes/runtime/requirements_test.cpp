#include "nodes/runtime/requirements.hpp"

#include <gtest/gtest.h>

#include "nodes/runtime/node_limits.hpp"
#include "nodes/runtime/presence.hpp"

namespace starbus::nodes {
namespace {

using bus::Errc;
using bus::WatchUpdate;

bus::WatchRow row(std::string name, bool present = true) {
  bus::WatchRow made;
  made.present = present;
  made.name = std::move(name);
  return made;
}

TEST(Requirements, OneThatLooksMisspelledSaysWhatItMayMean) {
  Requirements needs;
  ASSERT_TRUE(needs.add({"servce/db"}));
  needs.update(0, {{}, true});
  EXPECT_EQ(needs.missing(), "servce/db (0 of 1)");
  needs.hint("servce/db", "service/db");
  EXPECT_EQ(needs.missing(), "servce/db (0 of 1; did you mean service/db?)");
  needs.update(0, {{row("servce/db")}, true});
  EXPECT_TRUE(needs.met()) << "if there is such a name, nobody knows better";
}

TEST(Requirements, EachFormIsMetByItsNames) {
  Requirements needs;
  ASSERT_TRUE(needs.add({"service/db", 2}));
  ASSERT_TRUE(needs.add({"ready/space/"}));
  ASSERT_TRUE(needs.add({"store/7"}));
  EXPECT_EQ(needs.rows()[0].prefix, "service/db#");
  EXPECT_EQ(needs.rows()[1].prefix, "ready/space/");
  EXPECT_EQ(needs.rows()[2].prefix, "store/7");
  EXPECT_EQ(needs.missing(), "service/db (0 of 2), ready/space/ (0 of 1), store/7 (0 of 1)");
  needs.update(0, {{row("service/db#1"), row("service/db#1")}, true});
  needs.update(1, {{row("ready/space/a.x")}, true});
  needs.update(2, {{row("store/70")}, true});
  EXPECT_EQ(needs.missing(), "service/db (1 of 2), store/7 (0 of 1)") << "70 is not 7";
  needs.update(0, {{row("service/db#2")}, true});
  needs.update(2, {{row("store/7")}, true});
  EXPECT_TRUE(needs.met());
  needs.update(0, {{row("service/db#1", false)}, true});
  EXPECT_FALSE(needs.met());
}

TEST(Requirements, WhatIsKnownInPartIsNotMet) {
  Requirements needs;
  ASSERT_TRUE(needs.add({"ready/db/"}));
  needs.update(0, {{row("ready/db/a.db")}, false});
  EXPECT_FALSE(needs.met());
  needs.update(0, {{}, true});
  EXPECT_TRUE(needs.met());
}

TEST(Requirements, AreReadWithTheirNumber) {
  EXPECT_EQ(read_requirement("service/db")->name, "service/db");
  EXPECT_EQ(read_requirement("service/db")->count, 1u);
  EXPECT_EQ(read_requirement("ready/space/ >= 3")->name, "ready/space/");
  EXPECT_EQ(read_requirement("ready/space/ >= 3")->count, 3u);
}

TEST(Requirements, NoneAreMet) {
  EXPECT_TRUE(Requirements().met());
}

TEST(Requirements, MistakesAreRefused) {
  Requirements needs;
  EXPECT_EQ(needs.add({"db"}).error(), Errc::bad_name);
  EXPECT_EQ(needs.add({""}).error(), Errc::bad_name);
  EXPECT_EQ(needs.add({"service/db", 0}).error(), Errc::bad_config);
  EXPECT_EQ(needs.add({"store/7", 2}).error(), Errc::bad_config);
  for (const char* text :
       {"service/db >= ", "service/db >= 2x", "service/db >= -1", " >= 2", "ready/db/>=2",
        "ready/db/ > 2", "ready/db/  >=  2", "service/db >= 99999999999999999999"}) {
    EXPECT_EQ(read_requirement(text).error(), Errc::bad_config) << text;
  }
  EXPECT_EQ(needs.add(read_requirement("service/db >= 0").value()).error(), Errc::bad_config);
  for (std::size_t i = 0; i < kMaxRequirements; ++i) {
    ASSERT_TRUE(needs.add({"service/s" + std::to_string(i)}));
  }
  EXPECT_EQ(needs.add({"service/more"}).error(), Errc::bad_config);
  EXPECT_TRUE(needs.add({"service/s0", 3})) << "of two with one name the larger count holds";
  EXPECT_EQ(needs.rows()[0].wanted.count, 3u);
  EXPECT_EQ(needs.rows().size(), kMaxRequirements);
}

TEST(Presence, AReadyNodeIsReadFromItsName) {
  bus::WatchRow seen = row(ready_name("space", "host-a.space-1"));
  seen.owner_name = "host-a.space-1";
  const auto node = ready_node(seen);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->role, "space");
  EXPECT_EQ(node->process, "host-a.space-1");
}

TEST(Presence, NobodyIsReadyInTheNameOfAnother) {
  bus::WatchRow forged = row(ready_name("gate", "host-a.gate-1"));
  forged.owner_name = "host-b.villain";
  EXPECT_FALSE(ready_node(forged));
  for (const char* name : {"node/a.b", "ready/", "ready/gate", "ready/gate/", "ready//a.b"}) {
    EXPECT_FALSE(ready_node(row(name, false))) << name;
  }
  EXPECT_TRUE(ready_node(row("ready/gate/a.b", false)));
}

}  // namespace
}  // namespace starbus::nodes
