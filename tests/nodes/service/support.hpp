/// What the tests of hosts share: hosts on a cluster within this process, and a service that does
/// what the test says.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "nodes/runtime/main_loop.hpp"
#include "nodes/service/partitions.hpp"
#include "nodes/service/service_host.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::service::test {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

/// What all counters of a test do, and what they did.
struct Script {
  bool hold_start = false;
  bool hold_stop = false;
  bool fail_start = false;
  std::string throws;                        // "starts": start() does; "is made": the constructor
  std::vector<Done> held;                    // of start() and stop()
  std::vector<std::string> said;             // "a starts rank/1of4"
  std::map<std::string, std::int64_t> disk;  // by instance: what stop() saved
  int objects = 0;
  int most_at_once = 0;  // of one instance
  int guests = 0;        // coroutines that wait
  int late_guests = 0;   // that have ended after their object's destructor began
  std::map<std::string, int> running;
};

class Counter final : public Service, public rpc::Callable<Counter> {
 public:
  Counter(Instance& instance, Script& script, std::string place)
      : instance_(instance), script_(script), place_(std::move(place)) {
    if (script_.throws == "is made") throw std::runtime_error("it threw");
    ++script_.objects;
    const int now = ++script_.running[name()];
    script_.most_at_once = std::max(script_.most_at_once, now);
  }
  ~Counter() override {
    ended_ = true;
    --script_.objects;
    --script_.running[name()];
  }

  void start(Done done) override {
    say("starts");
    if (script_.fail_start) return done(bus::Error(bus::Errc::io_error, "no disk"));
    total_ = script_.disk[name()];
    script_.hold_start ? script_.held.push_back(std::move(done)) : done({});
  }
  void opened() override { say("serves"); }
  void stop(Done done) override {
    say("stops");
    script_.disk[name()] = total_;
    script_.hold_stop ? script_.held.push_back(std::move(done)) : done({});
  }

  Result<std::int64_t> add(rpc::Caller&, std::string key, std::int64_t number) {
    if (auto mine = instance_.check(key); !mine) return mine.error();
    return total_ += number;
  }
  std::string where(rpc::Caller&) { return place_; }
  /// Waits for ever, with a variable that uses the object in its destructor.
  rpc::Task<> visit(rpc::Caller& from) {
    const Guest guest(*this);
    boost::asio::steady_timer never(from.endpoint->loop(), 24h);
    co_await never.async_wait(boost::asio::deferred);
  }
  static constexpr auto kRpc =
      rpc::methods("test_counter", rpc::method<&Counter::add>("add"),
                   rpc::method<&Counter::where>("where"), rpc::method<&Counter::visit>("visit"));

 private:
  class Guest {
   public:
    explicit Guest(Counter& at) : at_(at) {
      at_.guests_.push_back("a guest whose name is too long to lie within the string itself");
      ++at_.script_.guests;
    }
    ~Guest() {
      --at_.script_.guests;
      if (at_.ended_) ++at_.script_.late_guests;
      at_.guests_.pop_back();
    }
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

   private:
    Counter& at_;
  };

  std::string name() const { return to_string(instance_.id()); }
  void say(const std::string& what) {
    script_.said.push_back(place_ + " " + what + " " + name());
    if (script_.throws == what) throw std::runtime_error("it threw");
  }

  Instance& instance_;
  Script& script_;
  const std::string place_;
  std::int64_t total_ = 0;
  bool ended_ = false;
  std::vector<std::string> guests_;
};

/// A process that hosts "rank" and "chat".
struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options, Script& script,
        const TypeOptions& types = {}, HostOptions hosting = {})
      : bus(loop, options), main(loop), host(endpoint, main.timers(), std::move(hosting)) {
    const auto make = [&script, name = options.node](Instance& instance) {
      return std::make_unique<Counter>(instance, script, name);
    };
    EXPECT_TRUE(host.add<Counter>("rank", types, make));
    EXPECT_TRUE(host.add<Counter>("chat", types, make));
    endpoint.on_lease_lost([this] { host.lose_all(); });
    host.open();
  }

  Result<HostReport> order(std::uint64_t manager, Action::Kind kind, const InstanceId& id) {
    rpc::Caller nobody;
    return host.order(nobody, {manager, {{kind, id}}});
  }
  Result<HostReport> place(const InstanceId& id) { return order(1, Action::Kind::place, id); }
  Result<HostReport> withdraw(const InstanceId& id) { return order(1, Action::Kind::withdraw, id); }
  /// None: it is not here.
  std::optional<InstanceState> state(const InstanceId& id) const {
    for (const InstanceRow& row : host.describe().instances) {
      if (row.id == id) return row.state;
    }
    return std::nullopt;
  }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  ServiceHost host;
};

class HostTestBase : public bus::LoopTest {
 protected:
  std::unique_ptr<Place> place(const std::string& host, const std::string& name,
                               const TypeOptions& types = {}, HostOptions hosting = {}) {
    return std::make_unique<Place>(loop, cluster.node(host, name), script, types,
                                   std::move(hosting));
  }

  Script script;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(11'000)}};
};

}  // namespace starbus::nodes::service::test
