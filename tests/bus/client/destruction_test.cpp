// A Bus that is destroyed, or closed, within one of its own callbacks.
#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>

#include "bus/client/bus.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class DestructionTest : public LoopTest {
 protected:
  /// A node that the test destroys in a callback.
  Task make_node() {
    node = std::make_unique<Bus>(loop, cluster.node("a", "node"));
    CO_OK(co_await node->connect(use_awaitable));
  }
  Task make_peer() {
    peer = std::make_unique<Bus>(loop, cluster.node("b", "peer"));
    CO_OK(co_await peer->connect(use_awaitable));
  }
  /// Lets everything come that is still under way.
  Task settle() {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(co_await until([&] { return std::chrono::steady_clock::now() - start > 100ms; }));
  }

  testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  std::unique_ptr<Bus> node;
  std::unique_ptr<Bus> peer;
};

/// More messages follow in the same bundle, and pieces of a large one in the next.
TEST_F(DestructionTest, InAMessageHandlerHandsOverNothingMore) {
  run([this]() -> Task {
    co_await make_node();
    co_await make_peer();
    int handled = 0;
    Handlers handlers;
    handlers.on_message = [&](Message& message) {
      if (++handled == 3) node.reset();
      EXPECT_EQ(message.channel(), "entity/7");
    };
    CO_OK(co_await node->bind("entity/7", handlers, use_awaitable));
    const Bytes large(300'000);
    for (int i = 0; i < 5; ++i) CO_OK(peer->send("entity/7", "small"));
    CO_OK(peer->send("entity/7", large));
    EXPECT_TRUE(co_await until([&] { return !node; }));
    co_await settle();
    EXPECT_EQ(handled, 3);
  });
}

/// The record is put together of pieces in the session, which the handler ends.
TEST_F(DestructionTest, InTheHandlerOfALargeMessage) {
  run([this]() -> Task {
    co_await make_node();
    co_await make_peer();
    int handled = 0;
    Handlers handlers;
    handlers.on_message = [&](Message& message) {
      ++handled;
      node.reset();
      EXPECT_EQ(message.body().size(), 300'000U);
    };
    CO_OK(co_await node->bind("entity/7", handlers, use_awaitable));
    const Bytes large(300'000);
    for (int i = 0; i < 3; ++i) CO_OK(peer->send("entity/7", large));
    EXPECT_TRUE(co_await until([&] { return !node; }));
    co_await settle();
    EXPECT_EQ(handled, 1);
  });
}

TEST_F(DestructionTest, InACallHandlerEndsTheCall) {
  run([this]() -> Task {
    co_await make_node();
    co_await make_peer();
    Handlers handlers;
    handlers.on_call = [&](Call& call) {
      node.reset();
      EXPECT_EQ(call.reply("too late").error(), Errc::closed);
    };
    CO_OK(co_await node->bind("entity/7", handlers, use_awaitable));
    CallOptions options;
    options.deadline = 1s;
    const auto reply = co_await peer->call("entity/7", "", options, use_awaitable);
    EXPECT_FALSE(reply);
    EXPECT_FALSE(node);
  });
}

TEST_F(DestructionTest, InACompletionAndInTheReplyOfACall) {
  run([this]() -> Task {
    co_await make_node();
    co_await make_peer();
    Handlers handlers;
    handlers.on_call = [](Call& call) { (void)call.reply("yes"); };
    CO_OK(co_await peer->bind("entity/7", handlers, use_awaitable));
    int ended = 0;
    for (int i = 0; i < 3; ++i) {
      node->call("entity/7", "", CallOptions(), [&](const Result<Bytes>&) {
        ++ended;
        node.reset();
      });
    }
    EXPECT_TRUE(co_await until([&] { return ended == 3; }));
  });
}

TEST_F(DestructionTest, InAWatch) {
  run([this]() -> Task {
    co_await make_node();
    co_await make_peer();
    int seen = 0;
    std::vector<WatchHandle> watches;
    for (int i = 0; i < 3; ++i) {
      auto watch = node->watch("entity/", [&](const WatchUpdate& update) {
        if (update.changes.empty()) return;
        ++seen;
        node.reset();
      });
      CO_OK(watch);
      watches.push_back(std::move(*watch));
    }
    const Handlers none;
    CO_OK(co_await peer->bind("entity/7", none, use_awaitable));
    EXPECT_TRUE(co_await until([&] { return !node; }));
    co_await settle();
    EXPECT_EQ(seen, 1);
  });
}

/// The callback's own captures live until it returns.
TEST_F(DestructionTest, WhenAMessageFails) {
  run([this]() -> Task {
    co_await make_node();
    const auto text = std::make_shared<std::string>(100, 'x');
    int failed = 0;
    node->on_undelivered([this, &failed, text](const Undelivered& message) {
      ++failed;
      node.reset();
      EXPECT_EQ(text->size(), 100U);
      EXPECT_EQ(message.reason, Errc::no_owner);
    });
    for (int i = 0; i < 3; ++i) CO_OK(node->send("entity/nobody", "hello"));
    EXPECT_TRUE(co_await until([&] { return !node; }));
    co_await settle();
    EXPECT_EQ(failed, 1);
  });
}

TEST_F(DestructionTest, WhenAMessageExpires) {
  run([this]() -> Task {
    co_await make_node();
    cluster.crash_root();
    const auto text = std::make_shared<std::string>(100, 'x');
    int failed = 0;
    node->on_undelivered([this, &failed, text](const Undelivered&) {
      ++failed;
      node.reset();
      EXPECT_EQ(text->size(), 100U);
    });
    SendOptions options;
    options.ttl = 30ms;
    for (int i = 0; i < 3; ++i) CO_OK(node->send("entity/nobody", "hello", options));
    EXPECT_TRUE(co_await until([&] { return !node; }));
    co_await settle();
    EXPECT_EQ(failed, 1);
  });
}

TEST_F(DestructionTest, WhenTheLinkIsLostAndMade) {
  run([this]() -> Task {
    for (const LinkState when : {LinkState::disconnected, LinkState::connected}) {
      co_await make_node();
      const auto text = std::make_shared<std::string>(100, 'x');
      node->on_link([this, when, text](LinkState state, const Error&) {
        if (state == when) node.reset();
        EXPECT_EQ(text->size(), 100U);
      });
      cluster.crash_busd("a");
      cluster.start_busd("a");
      EXPECT_TRUE(co_await until([&] { return !node; }));
      co_await settle();
    }
  });
}

TEST_F(DestructionTest, CloseInAHandlerAcknowledgesWhatItHandled) {
  run([this]() -> Task {
    co_await make_node();
    co_await make_peer();
    int handled = 0;
    bool closed = false;
    Handlers handlers;
    handlers.on_message = [&](Message&) {
      ++handled;
      node->close(1s, [&](const Result<>&) {
        closed = true;
        node.reset();
      });
    };
    CO_OK(co_await node->bind("entity/7", handlers, use_awaitable));
    const Bytes body(3);
    CO_OK(co_await peer->send_acknowledged("entity/7", body, SendOptions(), use_awaitable));
    EXPECT_TRUE(co_await until([&] { return closed; }));
    EXPECT_EQ(handled, 1);
  });
}

}  // namespace
}  // namespace starbus::bus
