// Hosts of services and their manager as processes: where instances are, and what deaths make of
// that.
#include <gmock/gmock.h>
#include <signal.h>
#include <cstdlib>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "nodes/manager/manager_service.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/service/partitions.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/services/ledger.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

using service::InstanceId;

constexpr std::uint32_t kPartitions = 4;

class ServicesTest : public ClusterTest {
 protected:
  /// Not started; `keys` are of its configuration file.
  std::unique_ptr<Daemon> node(const std::string& program_name, const std::string& host,
                               const std::string& name, const std::string& keys,
                               const std::string& tables = {}) {
    auto made = std::make_unique<Daemon>(program(program_name), name, cluster.folder());
    made->configure("node = '" + name + "'\nstate_directory = '" + made->state_folder().string() +
                    "'\n" + keys + "\n[bus]\nendpoint = '" + cluster.endpoint(host) + "'\n" +
                    tables);
    return made;
  }
  std::unique_ptr<Daemon> host(const std::string& of, const std::string& name,
                               const std::string& more = {}) {
    const auto folder = cluster.folder() / "ledger";
    std::filesystem::create_directories(folder);
    return node("starbus-test-host", of, name, "folder = '" + folder.string() + "'\n" + more);
  }
  std::unique_ptr<Daemon> manager(const std::string& of, const std::string& name, int hosts) {
    return node("starbus-manager", of, name, "",
                "[services]\nhosts = " + std::to_string(hosts) +
                    "\n[[service]]\ntype = 'tally'\npartitions = " + std::to_string(kPartitions) +
                    "\n[[service]]\ntype = 'echo'\ninstances = 2\n");
  }

  /// A process that sees where instances are, and calls them.
  struct Observer {
    explicit Observer(boost::asio::io_context& loop, const bus::Options& options)
        : bus(loop, options), main(loop) {}
    Bus bus;
    rpc::Endpoint endpoint{bus};
    nodes::MainLoop main;
    std::map<std::string, std::string> where;  // by channel, who has it
    std::map<std::string, int> arrivals;
    std::vector<bus::WatchHandle> watches;

    std::set<std::string> owners() const {
      std::set<std::string> all;
      for (const auto& [channel, owner] : where) all.insert(owner);
      return all;
    }
    int total_arrivals() const {
      int total = 0;
      for (const auto& [channel, count] : arrivals) total += count;
      return total;
    }
  };
  boost::asio::awaitable<bool> begin(Observer& observer) {
    const auto connected = co_await observer.bus.connect(use_awaitable);
    if (!connected) co_return false;
    for (const char* const prefix : {"partition/", "service/"}) {
      auto watch = observer.bus.watch(prefix, [&observer](const bus::WatchUpdate& update) {
        for (const bus::WatchRow& row : update.changes) {
          if (row.name.starts_with("service/load#")) continue;  // the manager's own
          if (!row.present) {
            observer.where.erase(row.name);
            continue;
          }
          observer.where[row.name] = row.owner_name;
          ++observer.arrivals[row.name];
        }
      });
      if (!watch) co_return false;
      observer.watches.push_back(std::move(*watch));
    }
    const auto answering = co_await observer.endpoint.ready(use_awaitable);
    co_return answering.has_value();
  }
  static constexpr std::size_t kAll = kPartitions + 2;

  Cluster cluster;
};

TEST_F(ServicesTest, AreSpreadOnceTheQuorumIsThereAndComeUpElsewhereBehindADeath) {
  run(
      [this]() -> Task {
        Observer observer(loop, cluster.node("b", "observer"));
        CO_TRUE(co_await begin(observer));
        const auto chief = manager("a", "manager-1", 3);
        chief->start();
        const auto one = host("a", "host-1");
        const auto two = host("b", "host-2");
        one->start();
        two->start();
        CO_TRUE(co_await until(20s, [&] {
          return chief->serves() && one->serves() && two->serves() &&
                 chief->log_lines_with("has 2 of 3 hosts") >= 2;
        }));
        EXPECT_TRUE(observer.where.empty()) << "two of three hosts";
        const auto three = host("b", "host-3");
        three->start();
        CO_TRUE(co_await until(20s, [&] { return observer.where.size() == kAll; }));
        EXPECT_EQ(observer.owners().size(), 3u);
        EXPECT_NE(observer.where["service/echo#1"], observer.where["service/echo#2"]);
        std::map<std::string, int> load;
        for (const auto& [channel, owner] : observer.where) ++load[owner];
        for (const auto& [owner, count] : load) EXPECT_EQ(count, 2) << owner;

        three->process().kill();
        CO_TRUE(co_await until(20s, [&] {
          return observer.where.size() == kAll && !observer.owners().contains("b.host-3");
        }));
        EXPECT_EQ(observer.total_arrivals(), static_cast<int>(kAll) + 2) << "only the dead host's";
        const auto before = observer.where;

        three->start();  // a host that comes back moves nothing
        CO_TRUE(co_await until(20s, [&] { return three->serves(); }));
        chief->process().kill();  // nor does a manager that is not there, or comes back
        CO_TRUE(co_await until(20s, [&] { return !chief->serves(); }));
        co_await pause(1s);
        chief->start();
        CO_TRUE(co_await until(
            20s, [&] { return chief->serves() && chief->json("/services")["plans"] == true; }));
        co_await pause(1500ms);
        EXPECT_EQ(observer.where, before);
        EXPECT_EQ(observer.total_arrivals(), static_cast<int>(kAll) + 2);

        // A host that drains hands over: its state is saved before another one loads it.
        EXPECT_EQ(one->terminate(20s), 0);
        CO_TRUE(co_await until(20s, [&] {
          return observer.where.size() == kAll && !observer.owners().contains("a.host-1");
        }));
        // The end of the cluster is no death: nothing is placed again while its hosts drain.
        const int placed = observer.total_arrivals();
        const auto asked = co_await rpc::call<&nodes::manager::ManagerService::shutdown>(
            observer.endpoint, nodes::manager::kManagerChannel, {}, "test");
        CO_TRUE(asked);
        CO_TRUE(co_await until(30s, [&] {
          return two->process().ended() && three->process().ended() && chief->process().ended();
        }));
        EXPECT_EQ(two->process().ended(), 0);
        EXPECT_EQ(three->process().ended(), 0);
        EXPECT_EQ(chief->process().ended(), 0);
        EXPECT_EQ(observer.total_arrivals(), placed);
      },
      115s);
}

TEST_F(ServicesTest, AStatefulServiceCountsExactlyWhateverIsKilledBelowIt) {
  run(
      [this]() -> Task {
        Observer observer(loop, cluster.node("b", "observer"));
        CO_TRUE(co_await begin(observer));
        const auto chief = manager("a", "manager-1", 2);
        const auto one = host("a", "host-1");
        const auto two = host("b", "host-2");
        for (const auto* each : {&chief, &one, &two}) (*each)->start();
        CO_TRUE(co_await until(20s, [&] { return observer.where.size() == kAll; }));

        service::Partitions tallies(observer.endpoint, "tally", kPartitions);
        TallyCopy copy;
        const std::uint32_t first = service::partition_of("key-0", kPartitions);
        nodes::replica::Mirror mirror(observer.endpoint, observer.main.timers(),
                                      service::channel_name({"tally", first, kPartitions}), copy);
        std::map<std::string, std::int64_t> expected;
        int answered = 0;
        constexpr int kCalls = 2'000;
        for (int i = 0; i < kCalls; ++i) {
          const std::string key = "key-" + std::to_string(i % 20);
          ++expected[key];
          tallies.call<&Tally::add>(key, {.deadline = 40s}, key, 1)(
              [&](const service::Answer<std::int64_t, service::Error>& answer) {
                ++answered;
                EXPECT_TRUE(answer) << answer.error().to_string();
              });
          if (i % 500 == 250) cluster.busd(i % 1000 == 250 ? "a" : "b").restart();
          if (i == 1'250) cluster.root().restart();
          co_await pause(2ms);
        }
        CO_TRUE(co_await until(50s, [&] { return answered == kCalls; }));
        EXPECT_EQ(observer.total_arrivals(), static_cast<int>(kAll)) << "nothing has moved";
        for (const auto& [key, count] : expected) {
          const auto total = co_await tallies.call<&Tally::add>(key, {}, key, 0);
          CO_OK(total);
          EXPECT_EQ(*total, count) << key;
        }
        CO_TRUE(co_await until(20s, [&] { return mirror.status().current; }));
        EXPECT_FALSE(copy.counts.empty());
        for (const auto& [key, count] : copy.counts) EXPECT_EQ(count, expected[key]) << key;
      },
      115s);
}

/// The lease is the cluster's, 30 s, so this takes a while.
TEST_F(ServicesTest, AHostThatStandsStillBeyondItsLeaseIsFenced) {
  if (!long_runs()) GTEST_SKIP() << "a minute: STARBUS_LONG=1";
  run(
      [this]() -> Task {
        Observer observer(loop, cluster.node("b", "observer"));
        CO_TRUE(co_await begin(observer));
        const auto chief = manager("b", "manager-1", 2);
        const auto standby = manager("a", "manager-2", 2);
        const auto one = host("a", "host-1");
        const auto two = host("b", "host-2");
        for (const auto* each : {&chief, &one, &two}) (*each)->start();
        CO_TRUE(co_await until(20s, [&] { return observer.where.size() == kAll; }));
        standby->start();
        service::Partitions tallies(observer.endpoint, "tally", kPartitions);
        std::string key;
        for (int i = 0; key.empty(); ++i) {
          const std::string each = "key-" + std::to_string(i);
          const InstanceId id{"tally", service::partition_of(each, kPartitions), kPartitions};
          if (observer.where[service::channel_name(id)] == "a.host-1") key = each;
        }
        const service::KeyCallOptions patient{.deadline = 60s};
        const auto before = co_await tallies.call<&Tally::add>(key, patient, key, 7);
        CO_OK(before);
        EXPECT_EQ(*before, 7);

        one->stop();  // SIGSTOP
        CO_TRUE(co_await until(60s, [&] {
          return observer.where.size() == kAll && !observer.owners().contains("a.host-1");
        }));
        const auto after = co_await tallies.call<&Tally::add>(key, patient, key, 1);
        CO_OK(after);
        EXPECT_EQ(*after, 8);
        one->cont();
        CO_TRUE(co_await until(30s, [&] {
          return one->log_lines_with("service instances ended with the lease") >= 1;
        }));
        chief->process().kill();  // and the standby goes on from what the hosts say
        CO_TRUE(co_await until(30s, [&] {
          return standby->serves() && standby->json("/services")["plans"] == true && one->serves();
        }));
        co_await pause(1500ms);
        EXPECT_EQ(observer.owners(), std::set<std::string>{"b.host-2"}) << "nothing moves back";
        const auto again = co_await tallies.call<&Tally::add>(key, patient, key, 1);
        CO_OK(again);
        EXPECT_EQ(*again, 9);
      },
      118s);
}

TEST_F(ServicesTest, WhatCannotStartOnOneHostIsTriedOnAnother) {
  run(
      [this]() -> Task {
        Observer observer(loop, cluster.node("b", "observer"));
        CO_TRUE(co_await begin(observer));
        const auto chief = manager("a", "manager-1", 2);
        const auto bad = host("a", "host-1", "start = 'fail'");
        const auto hanging = host("a", "host-2", "start = 'hang'");
        for (const auto* each : {&chief, &bad, &hanging}) (*each)->start();
        CO_TRUE(co_await until(20s, [&] {
          return bad->log_lines_with("start_failed: io_error: as it was told") >= 1 &&
                 hanging->log_lines_with("start_timeout") >= 1;
        }));
        const auto good = host("b", "host-3");
        good->start();
        CO_TRUE(co_await until(30s, [&] { return observer.where.size() == kAll; }));
        for (const auto& [channel, owner] : observer.where) {
          if (channel.starts_with("partition/")) {
            EXPECT_EQ(owner, "b.host-3") << channel;
          }
        }
        EXPECT_EQ(good->json("/services")["instances"].size(), kPartitions);
      },
      80s);
}

/// A partition that ends its process as soon as it starts, on hosts that are started again at once,
/// as a supervisor does it. STARBUS_LONG=1: until it is in quarantine, and back.
TEST_F(ServicesTest, WhatKillsItsHostsIsPlacedMoreAndMoreSeldom) {
  run(
      [this]() -> Task {
        Observer observer(loop, cluster.node("b", "observer"));
        CO_TRUE(co_await begin(observer));
        const auto chief = manager("a", "manager-1", 2);
        chief->start();
        std::vector<std::unique_ptr<Daemon>> hosts;
        hosts.push_back(host("a", "host-1", "killer = 2"));
        hosts.push_back(host("b", "host-2", "killer = 2"));
        int deaths = 0;
        for (const auto& each : hosts) each->start();
        const auto supervise = [&] {
          for (const auto& each : hosts) {
            if (!each->process().ended()) continue;
            ++deaths;
            each->start();
          }
        };
        const auto rows = [&] { return chief->json("/services")["setbacks"]; };
        const auto killer = [&]() -> nlohmann::json {
          for (const auto& row : rows()) {
            if (row["instance"] == "tally/2of4") return row;
          }
          return {{"deaths", 0}, {"quarantined", false}};
        };
        // All but the one come to serve, and stay: there is time between two deaths.
        CO_TRUE(co_await until(40s, [&] {
          supervise();
          return deaths >= 3 && observer.where.size() == kAll - 1;
        }));
        CO_TRUE(co_await until(10s, [&] { return killer()["deaths"] >= 3; }));
        EXPECT_LE(deaths, 4);
        for (const auto& row : rows()) EXPECT_FALSE(row["quarantined"]) << row;
        if (!long_runs()) co_return;
        CO_TRUE(co_await until(240s, [&] {
          supervise();
          return killer()["quarantined"] == true;
        }));
        const int before = deaths;
        co_await pause(15s);
        supervise();
        EXPECT_EQ(deaths, before);
        EXPECT_EQ(rows().size(), 1u) << rows();
        EXPECT_EQ(observer.where.size(), kAll - 1);
        const auto released = co_await rpc::call<&nodes::manager::ManagerService::release>(
            observer.endpoint, nodes::manager::kManagerChannel, {}, "tally/2of4");
        EXPECT_TRUE(released && *released);
        CO_TRUE(co_await until(20s, [&] {
          supervise();
          return deaths > before;
        }));
      },
      long_runs() ? 400s : 80s);
}

/// A rolling restart is no series of deaths.
TEST_F(ServicesTest, HostsThatDrainAreNotCountedAsDead) {
  run(
      [this]() -> Task {
        Observer observer(loop, cluster.node("b", "observer"));
        CO_TRUE(co_await begin(observer));
        const auto chief = manager("a", "manager-1", 2);
        const auto one = host("a", "host-1");
        const auto two = host("b", "host-2");
        for (const auto* each : {&chief, &one, &two}) (*each)->start();
        CO_TRUE(co_await until(20s, [&] { return observer.where.size() == kAll; }));
        for (const auto* each : {&one, &two, &one}) {
          EXPECT_EQ((*each)->terminate(20s), 0);
          (*each)->start();
          CO_TRUE(co_await until(
              20s, [&] { return (*each)->serves() && observer.where.size() == kAll; }));
        }
        EXPECT_EQ(chief->json("/services")["setbacks"].size(), 0u);
        // The counterpart: a death is one.
        two->process().kill();
        CO_TRUE(
            co_await until(5s, [&] { return chief->json("/services")["setbacks"].size() > 0; }));
        CO_TRUE(co_await until(20s, [&] { return observer.where.size() == kAll; }));
      },
      80s);
}

}  // namespace
}  // namespace starbus::cluster_test
