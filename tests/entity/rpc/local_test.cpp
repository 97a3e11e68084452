// Calls within a process: nothing is encoded, and nothing else differs.
#include <gmock/gmock.h>
#include <boost/asio/post.hpp>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;
using ::testing::ElementsAre;

class RpcLocal : public RpcTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    const auto bound = co_await server.bind("entity/7", chat, use_awaitable);
    co_return bound.has_value();
  }
  std::vector<std::string> numbers(int from, int to) {
    std::vector<std::string> all;
    for (int i = from; i < to; ++i) all.push_back(std::to_string(i));
    return all;
  }
  Chat chat;
};

TEST_F(RpcLocal, AMessageIsHandledInALaterTurnWithItsOwnCopies) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await call<&Chat::join>(server, "entity/7", {}, "x"));  // opens the way
    const std::uint64_t remote = server.counters().remote;
    std::string text = "before";
    CO_OK(send<&Chat::said>(server, "entity/7", {}, text));
    text = "after";
    EXPECT_TRUE(chat.lines.empty());
    co_await sleep(1ms);
    EXPECT_THAT(chat.lines, ElementsAre("before"));
    EXPECT_EQ(server.counters().remote, remote) << "no bytes";
    EXPECT_EQ(server.counters().local, 2U);
    EXPECT_EQ(server.counters().fences, 1U);
  });
}

TEST_F(RpcLocal, EarlierMessagesByTheBusComeFirst) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await caller.bind("entity/7", chat, use_awaitable));
    Chat mine;
    // While another process owns the name, then while this one does: in one stream.
    for (int i = 0; i < 100; ++i) {
      CO_OK(send<&Chat::said>(server, "entity/8", {}, std::to_string(i)));
    }
    CO_OK(co_await server.bind("entity/8", mine, use_awaitable));
    for (int i = 0; i < 50; ++i) {
      Bytes bytes;
      EXPECT_TRUE((encode_call<&Chat::said>(bytes, Behalf::none, 0, std::to_string(i))));
      CO_OK(server_bus.send("entity/8", ByteView(bytes)));
    }
    for (int i = 50; i < 100; ++i) {
      CO_OK(send<&Chat::said>(server, "entity/8", {}, std::to_string(i)));
    }
    CO_OK(co_await call<&Chat::join>(server, "entity/8", {}, "x"));
    const auto expected = numbers(0, 100);
    // What was sent to nobody has failed or has been handled first; the rest is in order.
    EXPECT_GE(mine.lines.size(), 100U);
    EXPECT_TRUE(std::equal(expected.rbegin(), expected.rend(), mine.lines.rbegin()));
  });
}

TEST_F(RpcLocal, OrderHoldsThroughAMoveAndBack) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    auto here = std::make_unique<Chat>();
    std::unique_ptr<Chat> there;
    std::vector<std::string> state;
    CO_OK(co_await server.bind("entity/9", *here, use_awaitable));
    bus::ArrivalHandlers arrivals;
    arrivals.arrived = [&](bus::Arrival& arrival) {
      there = std::make_unique<Chat>();
      there->lines = state;
      return caller.adopt(arrival.name, *there);
    };
    caller_bus.on_arrival("entity/", arrivals);
    bus::ArrivalHandlers returns;
    returns.arrived = [&](bus::Arrival& arrival) {
      here = std::make_unique<Chat>();
      here->lines = state;
      return server.adopt(arrival.name, *here);
    };
    server_bus.on_arrival("entity/", returns);

    int next = 0;
    const auto say = [&](int count) {
      for (int i = 0; i < count; ++i) {
        EXPECT_TRUE((send<&Chat::said>(server, "entity/9", {}, std::to_string(next++))));
      }
    };
    say(10);
    CO_OK(co_await call<&Chat::join>(server, "entity/9", {}, "x"));
    say(10);  // in the local queue when the move begins
    bool moved = false;
    server.move(
        "entity/9", "a.caller",
        [&] {
          state = here->lines;
          return Bytes();
        },
        [&](bus::Result<> result) {
          EXPECT_TRUE(result);
          moved = true;
        });
    for (int i = 0; i < 500 && !moved; ++i) {
      say(1);
      co_await sleep(1ms);
    }
    EXPECT_TRUE(moved);
    here.reset();
    say(10);
    co_await settle(server_bus);
    EXPECT_TRUE(there != nullptr);
    if (!there) co_return;
    EXPECT_EQ(there->lines, numbers(0, next));

    say(5);
    moved = false;
    caller.move(
        "entity/9", "b.server",
        [&] {
          state = there->lines;
          return Bytes();
        },
        [&](bus::Result<> result) {
          EXPECT_TRUE(result);
          moved = true;
        });
    for (int i = 0; i < 500 && !moved; ++i) {
      say(1);
      co_await sleep(1ms);
    }
    EXPECT_TRUE(moved);
    say(10);
    CO_OK(co_await call<&Chat::join>(server, "entity/9", {}, "x"));
    EXPECT_TRUE(here != nullptr);
    if (!here) co_return;
    EXPECT_EQ(here->lines, numbers(0, next));
  });
}

TEST_F(RpcLocal, TheQueueIsBounded) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await call<&Chat::join>(server, "entity/7", {}, "x"));
    for (std::size_t i = 0; i < kLocalMessages; ++i) {
      EXPECT_TRUE((send<&Chat::said>(server, "entity/7", {}, "x")));
    }
    EXPECT_EQ((send<&Chat::said>(server, "entity/7", {}, "x")).error(), Errc::would_block);
    const auto refused = co_await call<&Chat::join>(server, "entity/7", {}, "x");
    EXPECT_EQ(refused.error(), Errc::would_block);
    for (int i = 0; i < 200 && chat.lines.size() < kLocalMessages; ++i) co_await sleep(1ms);
    EXPECT_EQ(chat.lines.size(), kLocalMessages);
    CO_OK(send<&Chat::said>(server, "entity/7", {}, "x"));
  });
}

TEST_F(RpcLocal, APassIsBoundedSoThatOthersRun) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await call<&Chat::join>(server, "entity/7", {}, "x"));
    // The answer has come within a pass. What is sent now could be handled by the rest of that one,
    // or by the next, as its time allows; behind the sleep there is none under way.
    co_await sleep(1ms);
    for (std::size_t i = 0; i < 3 * kLocalPass; ++i) {
      EXPECT_TRUE((send<&Chat::said>(server, "entity/7", {}, "x")));
    }
    std::size_t seen = 0;
    boost::asio::post(loop, [&] { seen = chat.lines.size(); });
    for (int i = 0; i < 2000 && chat.lines.size() < 3 * kLocalPass; ++i) co_await sleep(1ms);
    EXPECT_EQ(chat.lines.size(), 3 * kLocalPass);
    EXPECT_GT(seen, 0U);
    EXPECT_LE(seen, kLocalPass);
  });
}

TEST_F(RpcLocal, AnObjectUnderTwoNamesIsReachedByBoth) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await server.bind("player/7", chat, use_awaitable));
    CO_OK(co_await call<&Chat::join>(server, "entity/7", {}, "x"));
    CO_OK(co_await call<&Chat::join>(server, "player/7", {}, "x"));
    const auto name = bus::Name::of("player/7");
    CO_OK(name);
    CO_OK(co_await call<&Chat::join>(server, *name, {}, "x"));
    EXPECT_EQ(chat.entered, 3);
    EXPECT_EQ(server.counters().local, 3U);
    CO_OK(co_await server.unbind("player/7", use_awaitable));
    // A stream that had an owner ends as owner_lost.
    const auto gone = co_await call<&Chat::join>(server, "player/7", {}, "x");
    EXPECT_TRUE(is_absent(gone.error()) || gone.error() == bus::Errc::owner_lost);
    CO_OK(co_await call<&Chat::join>(server, "entity/7", {}, "x"));
  });
}

/// The fence may have been handled or not; what is held behind it has not.
TEST_F(RpcLocal, MessagesHeldByAFailedFenceDoNotRun) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    Bytes bytes;
    EXPECT_TRUE((encode_call<&Chat::said>(bytes, Behalf::none, 0, "x")));
    CO_OK(server_bus.send("entity/7", ByteView(bytes)));
    co_await settle(server_bus);
    // The name goes, and the object does not know yet. A stream that had an owner ends as
    // owner_lost.
    server_bus.unbind("entity/7", [](const bus::Result<>&) {});
    const auto lost = co_await call<&Chat::join>(server, "entity/7", {}, "x");
    EXPECT_EQ(lost.error(), bus::Errc::no_owner);
    EXPECT_EQ(chat.entered, 0);
  });
}

/// The process has talked to the owner before, and the bus takes the fence for one to that.
TEST_F(RpcLocal, WhoComesToAProcessThatKnewAFormerOwnerIsHeardAtOnce) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    for (int i = 0; i < 5; ++i) {
      const std::string name = "entity/" + std::to_string(20 + i);
      Chat former;
      CO_OK(co_await caller.bind(name, former, use_awaitable));
      CO_OK(co_await call<&Chat::join>(server, name, {}, "x"));
      CO_OK(co_await caller.unbind(name, use_awaitable));
      Chat present;
      CO_OK(co_await server.bind(name, present, use_awaitable));
      CO_OK(co_await call<&Chat::join>(server, name, {}, "x"));
      EXPECT_EQ(present.entered, 1);
      CO_OK(co_await server.unbind(name, use_awaitable));
    }
  });
}

TEST_F(RpcLocal, TheEndOfAnObjectBeforeItsNameIsGrantedGivesTheNameBack) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    auto brief = std::make_unique<Chat>();
    Code end;
    server.bind("entity/5", *brief,
                [&](bus::Result<bus::Bound> bound) { end = bound.error().code; });
    brief.reset();
    for (int i = 0; i < 200 && end == bus::Errc::ok; ++i) co_await sleep(5ms);
    EXPECT_EQ(end, bus::Errc::not_bound);
    CO_OK(co_await caller.bind("entity/5", chat, use_awaitable));
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
