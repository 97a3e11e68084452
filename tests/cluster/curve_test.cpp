// Keys between hosts: who is not listed stays out, and keys change under traffic.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

namespace fs = std::filesystem;

class CurveTest : public ClusterTest {
 protected:
  /// Numbered messages from a to b at a steady pace, until `enough`.
  Task traffic() {
    Bus receiver(loop, cluster.node("b", "receiver"));
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await receiver.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    const bus::Handlers handlers = ledger.handlers();
    CO_OK(co_await receiver.bind("entity/1", handlers, use_awaitable));
    boost::asio::steady_timer pause(loop);
    std::uint32_t number = 0;
    while (!enough) {
      const Numbered numbered{0, number};
      if (sender.send("entity/1", std::as_bytes(std::span(&numbered, 1)), {})) ++number;
      if (number % 20 != 0) continue;
      pause.expires_after(1ms);
      co_await pause.async_wait(use_awaitable);
    }
    CO_OK(co_await sender.flush(10s, use_awaitable));
    EXPECT_EQ(ledger.of(0), number);
    EXPECT_EQ(ledger.wrong(), 0U);
    EXPECT_EQ(sender.counters().failed, 0U);
    EXPECT_EQ(sender.counters().connects, 1U);
    EXPECT_EQ(receiver.counters().connects, 1U);
    ended = true;
  }

  boost::asio::awaitable<bool> more_arrives() {
    const std::uint64_t before = ledger.total();
    co_return co_await until(10s, [&] { return ledger.total() > before + 100; });
  }

  boost::asio::awaitable<bool> reload(const std::string& name) {
    Daemon& daemon = cluster.daemon(name);
    const std::size_t before = daemon.log_lines_with("reloaded ");
    daemon.reload();
    co_return co_await until(10s, [&] { return daemon.log_lines_with("reloaded ") > before; });
  }

  /// The key by which busroot knows the present session of a host; empty without a session.
  std::string key_of(const std::string& host) {
    const auto topology = cluster.root().json("/topology");
    for (const auto& row : topology["hosts"]) {
      if (row["host"] == host && row["connected"]) return row["key"];
    }
    return {};
  }

  std::map<std::string, std::vector<std::string>> present_keys() const {
    return {{"a", {cluster.host_key("a")}}, {"b", {cluster.host_key("b")}}};
  }
  void take_into_use(const std::string& next, const std::string& name) const {
    fs::rename(cluster.folder() / (next + ".key"), cluster.folder() / (name + ".key"));
  }

  Cluster cluster{{.curve = true}};
  Ledger ledger{1};
  bool enough = false;
  bool ended = false;
};

TEST_F(CurveTest, AnUnlistedKeyIsRefusedAndBothSidesSayWhy) {
  run(
      [this]() -> Task {
        EXPECT_EQ(key_of("b"), cluster.host_key("b"));
        const std::string stranger = cluster.make_key("b");
        CO_TRUE(co_await reload("b"));
        Daemon& root = cluster.root();
        Daemon& busd = cluster.busd("b");
        const std::string line = "unauthorized: key " + stranger + " is not on the list";
        CO_TRUE(co_await until(10s, [&] { return root.log_lines_with(line) > 0; }));
        const auto health = [&] { return busd.get("/healthz"); };
        CO_TRUE(co_await until(10s, [&] {
          return health().status == 503 && health().body.find("unauthorized") != std::string::npos;
        }));
        EXPECT_EQ(key_of("b"), "");
        const std::string error = busd.json("/topology")["uplink"]["last_error"];
        EXPECT_NE(error.find("unauthorized"), std::string::npos) << error;

        auto keys = present_keys();
        keys["b"] = {stranger};
        root.configure(cluster.root_config(keys));
        CO_TRUE(co_await reload("root"));
        CO_TRUE(co_await until(10s, [&] { return busd.serves(); }));
        EXPECT_EQ(key_of("b"), stranger);
      },
      40s);
}

TEST_F(CurveTest, AHostChangesItsKeyUnderTraffic) {
  run(
      [this]() -> Task {
        spawn([this] { return traffic(); });
        CO_TRUE(co_await more_arrives());
        const std::string fresh = cluster.make_key("next");
        auto keys = present_keys();
        keys["b"].push_back(fresh);
        cluster.root().configure(cluster.root_config(keys));
        CO_TRUE(co_await reload("root"));
        EXPECT_EQ(key_of("b"), cluster.host_key("b"));

        take_into_use("next", "b");
        CO_TRUE(co_await reload("b"));
        CO_TRUE(co_await until(10s, [&] { return key_of("b") == fresh; }));

        keys["b"] = {fresh};
        cluster.root().configure(cluster.root_config(keys));
        CO_TRUE(co_await reload("root"));
        CO_TRUE(co_await more_arrives());
        EXPECT_EQ(key_of("b"), fresh);
        enough = true;
        CO_TRUE(co_await until(15s, [&] { return ended; }));
      },
      40s);
}

TEST_F(CurveTest, BusrootChangesItsKeyUnderTraffic) {
  run(
      [this]() -> Task {
        spawn([this] { return traffic(); });
        CO_TRUE(co_await more_arrives());
        const std::string fresh = cluster.make_key("next");
        for (const std::string host : {"a", "b"}) {
          const std::vector<std::string> both = {cluster.root_key(), fresh};
          cluster.busd(host).configure(cluster.busd_config(host, both));
          CO_TRUE(co_await reload(host));
        }
        CO_TRUE(co_await more_arrives());

        take_into_use("next", "root");
        cluster.root().process().signal(SIGTERM);
        CO_TRUE(co_await until(5s, [&] { return cluster.root().process().ended().has_value(); }));
        cluster.root().start();
        for (const std::string host : {"a", "b"}) {
          CO_TRUE(co_await until(15s, [&] { return cluster.busd(host).serves(); }));
        }
        CO_TRUE(co_await more_arrives());
        for (const std::string host : {"a", "b"}) {
          const std::vector<std::string> only = {fresh};
          cluster.busd(host).configure(cluster.busd_config(host, only));
          CO_TRUE(co_await reload(host));
          CO_TRUE(co_await until(10s, [&] { return cluster.busd(host).serves(); }));
        }
        CO_TRUE(co_await more_arrives());
        enough = true;
        CO_TRUE(co_await until(15s, [&] { return ended; }));
      },
      50s);
}

}  // namespace
}  // namespace starbus::cluster_test
