// Ranges of ids: none is granted twice, whoever is paused, killed or superseded.
#include <algorithm>
#include <cstdlib>

#include "nodes/manager/id_blocks.hpp"
#include "nodes/manager/id_source.hpp"
#include "nodes/manager/limits.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "tests/cluster/manager/manager_fixture.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

ClusterOptions with_store() {
  ClusterOptions options;
  options.more["b"] = "[mail]\nshards = ['0-255']\n";
  return options;
}

class IdsTest : public ManagerTest {
 protected:
  IdsTest() : ManagerTest(with_store()) {}

  /// Asks for one block after another, from whoever is the manager, and waits in between.
  Task ask_for_blocks(Observer& observer, std::string channel, std::chrono::milliseconds pause) {
    boost::asio::steady_timer timer(loop);
    rpc::CallOptions options;
    options.deadline = 1s;
    while (asking) {
      auto range = co_await rpc::call<&ManagerService::allocate>(observer.endpoint, channel,
                                                                 options, "entities");
      if (range) {
        granted.push_back(range->first);
        EXPECT_EQ(range->last, range->first + nodes::manager::kIdBlock - 1);
      } else {
        ++refused;
      }
      timer.expires_after(pause);
      co_await timer.async_wait(use_awaitable);
    }
    ++asked_enough;
  }
  void spawn_three(Observer& observer) {
    for (int i = 0; i < 3; ++i) {
      spawn([this, &observer] {
        return ask_for_blocks(observer, std::string(kManagerChannel), 2ms);
      });
    }
  }
  boost::asio::awaitable<bool> three_ended() {
    asking = false;
    co_return co_await until(10s, [this] { return asked_enough == 3; });
  }
  void expect_unique() {
    std::vector<std::uint64_t> sorted = granted;
    std::ranges::sort(sorted);
    EXPECT_TRUE(std::ranges::adjacent_find(sorted) == sorted.end()) << "a block came twice";
  }
  /// The store of a cluster that was started a moment ago may not be open yet: waits for it.
  boost::asio::awaitable<bool> store_serves(Observer& observer) {
    const auto number =
        co_await observer.bus.append("log/counter.entities", "test", {}, use_awaitable);
    co_return number.has_value();
  }
  boost::asio::awaitable<bool> granted_more(std::size_t more) {
    const std::size_t wanted = granted.size() + more;
    co_return co_await until(20s, [this, wanted] { return granted.size() >= wanted; });
  }

  bool asking = true;
  int asked_enough = 0;
  std::vector<std::uint64_t> granted;
  std::size_t refused = 0;
};

/// What two managers are to a counter when both believe that they are the one.
class Granter : public rpc::Callable<Granter> {
 public:
  explicit Granter(Bus& bus) : bus_(bus) {}
  rpc::Task<bus::Result<IdRange>> grant(rpc::Caller&, std::string counter) {
    auto granting = nodes::manager::allocate_ids(bus_, counter);
    const auto range = co_await std::move(granting);
    co_return range;
  }
  static constexpr auto kRpc = rpc::methods("granter", rpc::method<&Granter::grant>("grant"));

 private:
  Bus& bus_;
};

TEST_F(IdsTest, NoBlockComesTwiceWhenManagersAndStoresDie) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("a", "observer"))};
        CO_TRUE(co_await begin(observer));
        CO_TRUE(co_await store_serves(observer));
        Daemon& first = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(1));
        manager("b", "manager-2");
        spawn_three(observer);
        CO_TRUE(co_await granted_more(20));
        cluster.busd("b").restart();  // kill -9 of the store
        CO_TRUE(co_await granted_more(20));
        first.stop();
        boost::asio::steady_timer pause(loop, 1500ms);
        co_await pause.async_wait(use_awaitable);
        first.cont();
        CO_TRUE(co_await granted_more(20));
        first.kill();  // and the other one takes over
        CO_TRUE(co_await until(20s, [&] { return ready.contains("b.manager-2"); }));
        first.start();
        CO_TRUE(co_await granted_more(20));
        CO_TRUE(co_await three_ended());
        expect_unique();
        EXPECT_GT(*std::ranges::min_element(granted), 0u) << "0 is no id";
      },
      90s);
}

TEST_F(IdsTest, TwoWhoBothGrantNeverGrantTheSame) {
  run(
      [this]() -> Task {
        Observer one{Bus(loop, cluster.node("a", "one"))};
        Observer other{Bus(loop, cluster.node("b", "other"))};
        CO_TRUE(co_await begin(one));
        CO_TRUE(co_await begin(other));
        CO_TRUE(co_await store_serves(other));
        Granter granter(one.bus);
        Granter rival(other.bus);
        CO_OK(co_await one.endpoint.bind("manager/one", granter, use_awaitable));
        CO_OK(co_await other.endpoint.bind("manager/other", rival, use_awaitable));
        const auto ask = [this](Observer& observer, const char* channel) -> Task {
          for (int i = 0; i < 30; ++i) {
            const auto range =
                co_await rpc::call<&Granter::grant>(observer.endpoint, channel, {}, "entities");
            if (range) granted.push_back(range->first);
          }
          ++asked_enough;
        };
        spawn([&] { return ask(one, "manager/one"); });
        spawn([&] { return ask(other, "manager/other"); });
        CO_TRUE(co_await until(30s, [&] { return asked_enough == 2; }));
        expect_unique();
        EXPECT_GE(granted.size(), 50u);
        const auto wrong =
            co_await rpc::call<&Granter::grant>(one.endpoint, "manager/one", {}, "no/name");
        EXPECT_TRUE(!wrong && wrong.error().error == Errc::bad_name);
      },
      90s);
}

TEST_F(IdsTest, SkippingIsBeyondTheIdAndAStoreThatIsAwayIsATypedError) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("a", "observer"))};
        CO_TRUE(co_await begin(observer));
        CO_TRUE(co_await store_serves(observer));
        Daemon& boss = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(1));
        const auto before = co_await rpc::call<&ManagerService::allocate>(
            observer.endpoint, kManagerChannel, {}, "entities");
        CO_TRUE(before);
        const std::uint64_t beyond = before->first + 5 * nodes::manager::kIdBlock;
        const auto skipped =
            http_post(boss.admin(), "/ids/skip?counter=entities&beyond=" + std::to_string(beyond));
        EXPECT_EQ(skipped.status, 200) << skipped.body;
        const auto behind = co_await rpc::call<&ManagerService::allocate>(
            observer.endpoint, kManagerChannel, {}, "entities");
        CO_TRUE(behind);
        EXPECT_GT(behind->first, beyond);
        EXPECT_LE(behind->first, beyond + 2 * nodes::manager::kIdBlock);
        EXPECT_EQ(http_post(boss.admin(), "/ids/skip?counter=entities&beyond=x").status, 400);
        EXPECT_EQ(http_post(boss.admin(), "/ids/skip?counter=no%2Fname&beyond=1").status, 400);

        cluster.busd("b").kill();
        const auto refusal = co_await rpc::call<&ManagerService::allocate>(
            observer.endpoint, kManagerChannel, {}, "entities");
        CO_TRUE(!refusal);
        // Its names are free when the lease of its host ends: until then an append waits for it.
        EXPECT_EQ(refusal.error().error, Errc::expired) << refusal.error().to_string();
      },
      90s);
}

TEST_F(IdsTest, ASourceHasIdsAtHandWhileTheManagerIsAway) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("a", "observer"))};
        CO_TRUE(co_await begin(observer));
        CO_TRUE(co_await store_serves(observer));
        Daemon& boss = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(1));
        nodes::MainLoop main_loop(loop);
        nodes::manager::IdSource ids(observer.endpoint, main_loop.timers(), "entities");
        const auto first = ids.next();
        EXPECT_TRUE(!first && first.error() == Errc::would_block);
        std::uint64_t latest = 0;
        std::uint64_t taken = 0;
        std::size_t waited = 0;
        const auto take = [&](const bus::Result<std::uint64_t>& id) {
          EXPECT_TRUE(id) << id.error().to_string();
          if (!id) return;
          if (*id <= latest) ADD_FAILURE() << *id << " behind " << latest;
          latest = *id;
          ++taken;
        };
        // Two blocks and a half; the loop gets its turn at times, so that blocks can come.
        while (taken < 5 * nodes::manager::kIdBlock / 2) {
          if (const auto id = ids.next()) {
            take(id);
            if (taken % 1024 != 0) continue;
          } else {
            const std::uint64_t before = taken;
            ++waited;
            ids.wait_next(10s, take);
            CO_TRUE(co_await until(12s, [&] { return taken != before; }));
          }
          boost::asio::steady_timer turn(loop, 0ms);
          co_await turn.async_wait(use_awaitable);
        }
        EXPECT_LE(waited, 2u) << "blocks come before they are needed";
        CO_TRUE(co_await until(10s, [&] { return ids.at_hand() >= nodes::manager::kIdsLow; }));

        boss.kill();
        const std::uint64_t at_hand = ids.at_hand();
        for (std::uint64_t i = 0; i < at_hand; ++i) take(ids.next());
        const auto none = ids.next();
        EXPECT_TRUE(!none && none.error() == Errc::would_block);
        std::optional<Code> gave_up;
        ids.wait_next(300ms, [&](const bus::Result<std::uint64_t>& id) {
          gave_up = id ? Errc::ok : id.error().code;
        });
        CO_TRUE(co_await until(10s, [&] { return gave_up.has_value(); }));
        EXPECT_EQ(*gave_up, Errc::deadline);
        boss.start();
        const std::uint64_t before = taken;
        for (int i = 0; i < 3; ++i) ids.wait_next(20s, take);
        CO_TRUE(co_await until(25s, [&] { return taken == before + 3; }));
      },
      90s);
}

class NoStoreTest : public ManagerTest {};

TEST_F(NoStoreTest, WithoutAStoreNobodyOwnsACounter) {
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("a", "observer"))};
        CO_TRUE(co_await begin(observer));
        manager("b", "manager-1");
        CO_TRUE(co_await all_ready(1));
        const auto refusal = co_await rpc::call<&ManagerService::allocate>(
            observer.endpoint, kManagerChannel, {}, "entities");
        CO_TRUE(!refusal);
        EXPECT_EQ(refusal.error().error, Errc::no_owner) << refusal.error().to_string();
        const auto no_name = co_await rpc::call<&ManagerService::allocate>(observer.endpoint,
                                                                           kManagerChannel, {}, "");
        EXPECT_TRUE(!no_name && no_name.error().error == Errc::bad_name);
      },
      60s);
}

/// Its lease is the cluster's, 30 s, so this takes a while.
TEST_F(IdsTest, AManagerThatStoodStillBeyondItsLeaseGrantsNothingTwice) {
  if (!long_runs()) GTEST_SKIP() << "a minute: STARBUS_LONG=1";
  run(
      [this]() -> Task {
        Observer observer{Bus(loop, cluster.node("a", "observer"))};
        CO_TRUE(co_await begin(observer));
        CO_TRUE(co_await store_serves(observer));
        Daemon& first = manager("a", "manager-1");
        CO_TRUE(co_await all_ready(1));
        manager("b", "manager-2");
        spawn_three(observer);
        CO_TRUE(co_await granted_more(20));
        first.stop();
        CO_TRUE(co_await until(60s, [&] { return ready.contains("b.manager-2"); }));
        CO_TRUE(co_await granted_more(20));
        first.cont();
        CO_TRUE(co_await granted_more(200));
        EXPECT_EQ(first.log_lines_with("no contact with busroot"), 1u);
        CO_TRUE(co_await three_ended());
        expect_unique();
      },
      180s);
}

}  // namespace
}  // namespace starbus::cluster_test
