// A hundred thousand names of one node.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kNames = 100'000;

std::string item(std::size_t i) {
  return "item/" + std::to_string(1'000'000 + i);  // in order of name, too
}

class NamesTest : public ClusterTest {
 protected:
  Task bind_all(Bus& owner) {
    constexpr std::size_t kAtOnce = 10'000;
    std::size_t bound = 0;
    for (std::size_t i = 0; i < kNames; ++i) {
      owner.bind(item(i), {}, [&](const bus::Result<bus::Bound>& end) {
        EXPECT_TRUE(end);
        ++bound;
      });
      if ((i + 1) % kAtOnce == 0) {
        CO_TRUE(co_await until(20s, [&] { return bound == i + 1; }));
      }
    }
  }

  /// Pages through /names: exactly the items, in order, and some other name is not among them. The
  /// loop runs between two pages: its programs are not to be taken for silent.
  Task expect_pages(const Daemon& daemon) {
    std::size_t count = 0;
    std::string after;
    for (;;) {
      const auto page = daemon.json("/names?prefix=item/&limit=1000&after=" + after);
      EXPECT_TRUE(page["total"].is_null()) << "counting would visit all of them for each page";
      for (const auto& row : page["names"]) {
        CO_TRUE(row["name"] == item(count) && row["owner"] == "a.owner");
        ++count;
      }
      if (page["next"].is_null()) break;
      after = page["next"];
      co_await boost::asio::post(loop, use_awaitable);
    }
    EXPECT_EQ(count, kNames);
  }

  Cluster cluster;
};

TEST_F(NamesTest, AHundredThousandArePagedWatchedAndAnnouncedAnew) {
  run(
      [this]() -> Task {
        const auto begin = std::chrono::steady_clock::now();
        Bus owner(loop, cluster.node("a", "owner"));
        Bus watcher(loop, cluster.node("b", "watcher"));
        CO_OK(co_await owner.connect(use_awaitable));
        CO_OK(co_await watcher.connect(use_awaitable));
        CO_OK(co_await owner.bind("items/other", bus::kNoHandlers, use_awaitable));
        co_await bind_all(owner);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        std::cout << "100,000 names bound in " << spent.count() << " s" << std::endl;
        co_await expect_pages(cluster.busd("a"));
        co_await expect_pages(cluster.root());

        std::unordered_set<std::string> seen;
        bool complete = false;
        std::size_t gone = 0;
        auto watch = watcher.watch("item/", [&](const bus::WatchUpdate& update) {
          for (const auto& row : update.changes) {
            if (row.present) seen.insert(row.name);
            gone += row.present ? 0 : 1;
          }
          complete = update.complete;
        });
        CO_OK(watch);
        CO_TRUE(co_await until(15s, [&] { return complete; }));
        EXPECT_EQ(seen.size(), kNames);

        // Both ends of the way are told everything anew, and the watcher sees nothing of it.
        cluster.root().restart();
        cluster.busd("a").restart();
        CO_TRUE(co_await until(
            20s, [&] { return cluster.root().serves() && cluster.busd("a").serves(); }));
        const auto last = "/route?name=" + item(kNames - 1);
        CO_TRUE(co_await until(15s, [&] { return cluster.root().json(last)["found"] == true; }));
        co_await expect_pages(cluster.root());
        CO_OK(co_await owner.bind("item/late", bus::kNoHandlers, use_awaitable));
        CO_TRUE(co_await until(10s, [&] { return seen.contains("item/late"); }));
        EXPECT_EQ(seen.size(), kNames + 1);
        EXPECT_EQ(gone, 0U);
      },
      100s);
}

}  // namespace
}  // namespace starbus::cluster_test
