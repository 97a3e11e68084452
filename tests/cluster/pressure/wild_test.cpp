/// Chaos of game code in a process: what another process sends is handled once and in order, each
/// call ends once, each throw is counted once, by kind and by method, and the process ends with
/// exit code 0. 3 s; STARBUS_LONG=1: 60 s.
#include <array>

#include "tests/cluster/pressure/node/wild.hpp"
#include "tests/cluster/pressure/pressure_fixture.hpp"

namespace starbus::cluster_test {
namespace {

using nodes::entities::wild::Imp;

class WildNodeTest : public PressureTest {
 protected:
  struct Sent {
    Stream hits, asks, ponders;
  };

  template <auto M>
  void ask(std::size_t imp, Stream& stream) {
    const std::uint64_t number = stream.next();
    ++begun;
    rpc::call<M>(endpoint, "imp/" + std::to_string(imp), {.deadline = 20s},
                 number)([this, number](const rpc::Reply<std::uint64_t>& reply) {
      ++ended;
      if (reply) {
        EXPECT_EQ(*reply, number);
        return;
      }
      ++failed;
      EXPECT_EQ(reply.error(), rpc::Errc::failed) << reply.error().to_string();
    });
  }
  void round() {
    for (std::size_t i = 0; i < kImps; ++i) {
      for (int j = 0; j < 4; ++j) {
        EXPECT_TRUE(
            rpc::send<&Imp::hit>(endpoint, "imp/" + std::to_string(i), {}, sent[i].hits.next()));
        ask<&Imp::ask>(i, sent[i].asks);
        ask<&Imp::ponder>(i, sent[i].ponders);
      }
    }
    for (int j = 0; j < 40; ++j) EXPECT_TRUE(bus.send(kRaw, std::to_string(raw.next())));
  }
  static void expect_whole(const nlohmann::json& got, std::uint64_t number, const char* what) {
    EXPECT_EQ(got["last"], number) << what;
    EXPECT_EQ(got["wrong"], 0) << what;
  }
  bool heard_all(const nlohmann::json& now) const {
    bool all = now["settled"] == true && now["raw"]["last"] == raw.sent;
    for (std::size_t i = 0; i < kImps; ++i) {
      all = all && now["imps"][i]["hits"]["last"] == sent[i].hits.sent;
    }
    return all;
  }

  std::uint64_t begun = 0, ended = 0, failed = 0;
  std::array<Sent, kImps> sent;
  Stream raw;
};

TEST_F(WildNodeTest, EachThrowIsCountedNoMessageIsLostOrDoubledAndItEndsWithCode0) {
  const auto length = starbus::long_runs() ? 60s : 3s;
  run(
      [this, length]() -> Task {
        const auto node = pressed("wild", "[loop]\ntick = '1ms'\n");
        node->start();
        CO_OK(co_await bus.connect(use_awaitable));
        const bool serves = co_await until(
            20s, [&] { return node->serves() && node->json("/entities")["published"] == kImps; });
        CO_TRUE(serves);
        const bool wild = co_await work(true);
        CO_TRUE(wild);
        const auto end = std::chrono::steady_clock::now() + length;
        while (std::chrono::steady_clock::now() < end) {
          round();
          const bool answered = co_await until(30s, [this] { return ended == begun; });
          CO_TRUE(answered);
        }
        const bool calm = co_await work(false);
        CO_TRUE(calm);
        nlohmann::json now;
        for (int i = 0; i < 100; ++i) {
          now = co_await report();
          CO_TRUE(!now.is_null());
          if (heard_all(now)) break;
          co_await pause(50ms);
        }
        EXPECT_EQ(now["settled"], true);
        for (std::size_t i = 0; i < kImps; ++i) {
          expect_whole(now["imps"][i]["hits"], sent[i].hits.sent, "hits");
          expect_whole(now["imps"][i]["asks"], sent[i].asks.sent, "asks");
          expect_whole(now["imps"][i]["ponders"], sent[i].ponders.sent, "ponders");
        }
        expect_whole(now["raw"], raw.sent, "raw");
        EXPECT_EQ(now["posted"]["wrong"], 0);
        EXPECT_EQ(now["notes"]["wrong"], 0);
        const auto threw = [&](const char* method) {
          return now["methods"].value(method, std::uint64_t{0});
        };
        EXPECT_EQ(failed, threw("wild_imp.ask") + threw("wild_imp.ponder"))
            << "each throw of a method is the error of its call";

        auto counted = metrics(*node);
        for (const auto& [kind, number] : now["kinds"].items()) {
          EXPECT_EQ(counted["starbus_node_exceptions_total{kind=\"" + kind + "\"}"],
                    number.get<double>())
              << kind;
        }
        for (const char* const method : {"wild_imp.hit", "wild_imp.ask", "wild_imp.ponder"}) {
          EXPECT_GT(threw(method), 20U);
          EXPECT_EQ(
              counted["starbus_node_rpc_exceptions_total{method=\"" + std::string(method) + "\"}"],
              static_cast<double>(threw(method)))
              << method;
        }
        for (const char* const kind : {"message", "method", "coroutine", "completion", "timer",
                                       "closure", "tick", "listener", "hook", "deadline"}) {
          EXPECT_GT(now["kinds"][kind], 20) << kind;
        }

        const bool again = co_await work(true);
        CO_TRUE(again);
        co_await pause(100ms);
        EXPECT_EQ(node->terminate(20s), 0) << "its code throws to the end";
      },
      length + 60s);
}

}  // namespace
}  // namespace starbus::cluster_test
