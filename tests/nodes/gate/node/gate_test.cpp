// From a client's socket to its player and back, through gates that change, drain and die.
#include "entity/client/announcement.hpp"
#include "entity/objects/announce.hpp"
#include "tests/daemon/support.hpp"
#include "tests/nodes/gate/node/gate_fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(GateNodeTest, AClientLogsInAsksAndIsTold) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address()});
    EXPECT_TRUE(co_await enter(ada));
    EXPECT_THAT(ada.entries, ElementsAre(false));
    ada.ask<&Fighter::buy>(7);
    EXPECT_TRUE(co_await plays([&] { return ada.fates.size() == 3 && ada.copy->gold.get() == 7; }));
    EXPECT_THAT(ada.fates, Each(game::Fate::replied));
    hit(1);
    hit(2);
    EXPECT_TRUE(co_await plays([&] { return ada.hits.size() == 2; }));
    EXPECT_THAT(ada.hits, ElementsAre(1, 2));
    ada.client.bye();
    EXPECT_TRUE(co_await plays([&] { return ada.ended.has_value(); }));
    EXPECT_TRUE(co_await plays([&] { return !fighter()->client(); }));
  });
}

TEST_F(GateNodeTest, ALostConnectionGoesOnWithNothingMissed) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address(), two->address()});
    EXPECT_TRUE(co_await enter(ada));
    const int fulls = ada.fulls;
    std::vector<int> said;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 5; ++i) {
        said.push_back(static_cast<int>(said.size()) + 1);
        hit(said.back());
      }
      ada.ask<&Fighter::buy>(1);
      ::shutdown(ada.client.fd(), SHUT_RDWR);  // the network goes, and what was under way with it
      EXPECT_TRUE(co_await plays([&] { return ada.hits.size() == said.size(); }));
    }
    EXPECT_EQ(ada.hits, said);
    EXPECT_TRUE(co_await plays([&] { return ada.fates.size() == 5; }));
    EXPECT_EQ(ada.fulls, fulls) << "no stretch began anew";
    EXPECT_EQ(fighter()->bought, 3);
    EXPECT_THAT(ada.entries, SizeIs(4));
  });
}

TEST_F(GateNodeTest, AnotherDeviceTakesThePlayerOver) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& phone = device({one->address()});
    EXPECT_TRUE(co_await enter(phone));
    Device& desk = device({two->address()});
    desk.log_in();
    EXPECT_TRUE(co_await plays([&] { return desk.subject == "player/ada.1"; }));
    EXPECT_TRUE(co_await plays([&] { return phone.ended.has_value(); }));
    EXPECT_EQ(phone.ended, game::EndReason::replaced);
    hit(3);
    EXPECT_TRUE(co_await plays([&] { return desk.hits.size() == 1; }));
    EXPECT_TRUE(phone.hits.empty());
  });
}

TEST_F(GateNodeTest, ADrainHandsItsClientsToAnotherGate) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address(), two->address()});
    EXPECT_TRUE(co_await enter(ada));
    const int fulls = ada.fulls;
    GateHome& from = one->gate->sessions() == 1 ? *one : *two;
    GateHome& to = &from == one.get() ? *two : *one;
    bool drained = false;
    from.gate->drain([&](const bus::Result<>&) { drained = true; });
    for (int i = 1; i <= 20; ++i) hit(i);
    ada.ask<&Fighter::buy>(5);
    EXPECT_TRUE(co_await plays([&] { return drained && ada.hits.size() == 20; }));
    EXPECT_TRUE(co_await plays([&] { return ada.fates.size() == 3; }));
    EXPECT_TRUE(co_await plays([&] { return ada.entries.size() == 2; }));
    EXPECT_EQ(ada.fulls, fulls) << "the session has gone on";
    EXPECT_EQ(ada.entries.back(), true);
    EXPECT_EQ(to.gate->sessions(), 1U);
    EXPECT_EQ(fighter()->bought, 1);
  });
}

TEST_F(GateNodeTest, AGateThatDiesCostsAReconnect) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address(), two->address()});
    EXPECT_TRUE(co_await enter(ada));
    const int fulls = ada.fulls;
    auto& dies = one->gate->sessions() == 1 ? one : two;
    dies->gate.reset();  // its connections are cut
    const auto left = co_await dies->bus.close(0ms, use_awaitable);
    static_cast<void>(left);
    dies.reset();
    EXPECT_TRUE(co_await plays([&] { return ada.fulls > fulls; }));
    EXPECT_EQ(ada.subject, "player/ada.1");
    EXPECT_FALSE(ada.ended.has_value());
    ada.ask<&Fighter::buy>(5);
    EXPECT_TRUE(co_await plays([&] { return ada.fates.size() == 3; }));
    EXPECT_EQ(ada.fates.back(), game::Fate::replied);
    EXPECT_TRUE(co_await plays([&] { return ada.copy->gold.get() == 5; }));
    ada.ask<&Fighter::buy>(2);
    EXPECT_TRUE(co_await plays([&] { return ada.copy->gold.get() == 7; }));
  });
}

/// Others may have its sessions: it ends them, and its clients come in again.
TEST_F(GateNodeTest, AGateThatLostItsLeaseBeginsAnew) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address()});
    EXPECT_TRUE(co_await enter(ada));
    const int fulls = ada.fulls;
    ada.ask<&Fighter::buy>(1);
    ada.client.service();
    one->gate->lost();
    EXPECT_EQ(one->gate->sessions(), 0U);
    EXPECT_TRUE(co_await plays([&] { return ada.fulls > fulls && ada.fates.size() == 3; }));
    EXPECT_FALSE(ada.ended.has_value());
    ada.ask<&Fighter::buy>(5);
    EXPECT_TRUE(co_await plays([&] { return ada.fates.size() == 4; }));
    EXPECT_EQ(ada.fates.back(), game::Fate::replied);
    EXPECT_LE(fighter()->bought, 2);
  });
}

TEST_F(GateNodeTest, AnAnnouncementReachesAGroupOnAllGates) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address()});
    EXPECT_TRUE(co_await enter(ada));
    bus::Bytes to_arena, to_all, to_others;
    sessions::encode(sessions::Announcement{1, "arena", {}, bus::Bytes(10)}, to_arena);
    sessions::encode(sessions::Announcement{2, "", {}, bus::Bytes(10)}, to_all);
    sessions::encode(sessions::Announcement{3, "elsewhere", {}, bus::Bytes(10)}, to_others);
    for (const bus::Bytes* word : {&to_arena, &to_arena, &to_others, &to_all}) {
      EXPECT_TRUE(home->bus.announce("group/gates", bus::ByteView(*word)));
    }
    EXPECT_TRUE(co_await plays([&] { return ada.heard.size() == 2; }));
    EXPECT_THAT(ada.heard, ElementsAre("arena", "")) << "the double was seen";
  });
}

TEST_F(GateNodeTest, AMethodOfClientsIsCalledInAGroup) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address()});
    EXPECT_TRUE(co_await enter(ada));
    auto& endpoint = home->endpoint;
    EXPECT_TRUE(entity::announce<&players::FighterClient::hit>(endpoint, "arena", 7));
    EXPECT_TRUE(entity::announce<&players::FighterClient::hit>(endpoint, "elsewhere", 8));
    EXPECT_TRUE(entity::announce<&entity::AnyClient::notice>(endpoint, "", "we restart at five"));
    EXPECT_TRUE(co_await plays([&] { return ada.heard.size() == 2; }));
    EXPECT_THAT(ada.heard, ElementsAre("arena", ""));
    EXPECT_THAT(ada.heard_hits, ElementsAre(7));
    EXPECT_THAT(ada.notices, ElementsAre("we restart at five"));
    const std::string group(sessions::kGroupName + 1, 'g');
    EXPECT_EQ(entity::announce<&players::FighterClient::hit>(endpoint, group, 7).error(),
              sessions::SessionErrc::too_large);
    EXPECT_EQ(entity::announce_call(endpoint, "", bus::Bytes(sessions::kPartBytes + 1)).error(),
              sessions::SessionErrc::too_large);
  });
}

TEST_F(GateNodeTest, WhatAnOperatorAnnouncesIsInTheAuditLog) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    const daemon::test::LogCapture log;
    bus::Bytes word;
    sessions::encode(sessions::Announcement{1, "arena", "ann", bus::Bytes(10)}, word);
    EXPECT_TRUE(home->bus.announce("group/gates", bus::ByteView(word)));
    EXPECT_TRUE(co_await plays([&] { return one->gate->cluster().counters().announcements == 1; }));
    EXPECT_THAT(log.text(), HasSubstr("a.x, by \"ann\" as it says: announcement 1 to group "
                                      "\"arena\", 10 bytes"));
  });
}

/// One gate deflates for clients that can read it, and the other does not.
TEST_F(GateNodeTest, ALargePacketComesDeflatedToWhoReadsThat) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    Device& ada = device({one->address()});
    EXPECT_TRUE(co_await enter(ada));
    bus::Bytes first, second;
    sessions::encode(sessions::Announcement{1, "arena", {}, bus::Bytes(4'000)}, first);
    sessions::encode(sessions::Announcement{2, "", {}, bus::Bytes(4'000)}, second);
    EXPECT_TRUE(home->bus.announce("group/gates", bus::ByteView(first)));
    EXPECT_TRUE(co_await plays([&] { return ada.heard.size() == 1; }));
    EXPECT_EQ(one->gate->clients().deflated().packets, 1U);
    EXPECT_LT(one->gate->clients().deflated().after, 100U);
    Device& desk = device({two->address()});
    desk.log_in();
    EXPECT_TRUE(co_await plays([&] { return desk.subject == "player/ada.1"; }));
    EXPECT_TRUE(home->bus.announce("group/gates", bus::ByteView(second)));
    EXPECT_TRUE(co_await plays([&] { return desk.heard.size() == 1; }));
    EXPECT_EQ(two->gate->clients().deflated().packets, 0U);
  });
}

}  // namespace
}  // namespace starbus::nodes::gate
