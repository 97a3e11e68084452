/// What a gate process does with what every node has: mirrors, services, ids. It is no server.
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>

#include "nodes/manager/manager_service.hpp"
#include "nodes/replica/mirror.hpp"
#include "nodes/replica/publisher.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/runtime/node_control.hpp"
#include "nodes/service/placer_control.hpp"
#include "nodes/service/service_host.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes {
namespace {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;

// The manager lets gates draw ids and say that they leave, and nothing else.
using manager::ManagerService;
static_assert(rpc::row_of<&ManagerService::allocate>().allow == rpc::gate);
static_assert(rpc::row_of<&service::PlacerControl::leaving>().allow == rpc::gate);
static_assert(rpc::row_of<&ManagerService::shutdown>().allow == rpc::server);
static_assert(rpc::row_of<&ManagerService::release>().allow == rpc::server);
static_assert(rpc::row_of<&NodeControl::drain>().allow == rpc::server);

struct Text final : replica::Replica {
  bool restore(bus::ByteView snapshot) override {
    text = bus::as_text(snapshot);
    return true;
  }
  bool apply(bus::ByteView delta) override {
    text += bus::as_text(delta);
    return true;
  }
  std::string text;
};

/// A service with state that others mirror.
class Doors final : public service::Service, public rpc::Callable<Doors> {
 public:
  explicit Doors(service::Instance& instance, rpc::Endpoint& endpoint)
      : publisher_(endpoint, instance.epoch(), [] { return bus::Bytes(3, std::byte{'x'}); }) {
    EXPECT_TRUE(attach(publisher_));
  }
  ~Doors() override { close_rpc(); }
  int count(rpc::Caller&) {
    publisher_.publish(bus::as_bytes("y"));
    return 3;
  }
  static constexpr auto kRpc = rpc::methods("test_doors", rpc::method<&Doors::count>("count"));

 private:
  replica::Publisher publisher_;
};

const service::InstanceId kDoors{"doors", 1, 1};

struct Process {
  Process(boost::asio::io_context& loop, const bus::Options& options)
      : bus(loop, options), main(loop), host(endpoint, main.timers(), {}) {
    const auto make = [this](service::Instance& instance) {
      return std::make_unique<Doors>(instance, endpoint);
    };
    EXPECT_TRUE(host.add<Doors>("doors", {}, make));
    host.open();
  }
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  service::ServiceHost host;
};

class GateTest : public bus::LoopTest {
 protected:
  static bus::Role role(std::string name, bus::Trust trust) {
    bus::Role role;
    role.name = std::move(name);
    role.users = {::getuid()};
    role.bind = {""};
    role.send = {""};
    role.trust = trust;
    return role;
  }
  static bus::AccessList roles() {
    return bus::AccessList({role("server", bus::Trust::server), role("gate", bus::Trust::client)});
  }
  /// A server and a gate, each with a host of services under a name.
  boost::asio::awaitable<bool> begin() {
    for (Process* process : {&server, &gate}) {
      const auto connected = co_await process->bus.connect(use_awaitable);
      if (!connected) co_return false;
    }
    const auto own = co_await gate.bus.bind("gate/1", bus::kNoHandlers, use_awaitable);
    const auto seen = [&] {
      return server.endpoint.gates().is_gate(gate.bus.self()) &&
             gate.endpoint.gates().is_gate(gate.bus.self());
    };
    const bool known = co_await until(seen);
    const auto first =
        co_await server.endpoint.bind("entity/host-server", server.host, use_awaitable);
    const auto second = co_await gate.endpoint.bind("gate/host", gate.host, use_awaitable);
    EXPECT_TRUE(own) << own.error().to_string();
    EXPECT_TRUE(known);
    EXPECT_TRUE(first) << first.error().to_string();
    EXPECT_TRUE(second) << second.error().to_string();
    co_return own&& known&& first&& second;
  }
  /// Has `by` order the doors at a host; what the host answers.
  boost::asio::awaitable<rpc::Errc> order(Process& by, std::string host) {
    service::Order order;
    order.manager = 1;
    order.actions = {{service::Action::Kind::place, kDoors}};
    const auto answer =
        co_await rpc::call<&service::ServiceHost::order>(by.endpoint, host, {}, order);
    co_return answer ? rpc::Errc::ok : answer.error().code.in(rpc::Errc::failed);
  }

  testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .access = roles()}};
  Process server{loop, cluster.node("b", "server", "server")};
  Process gate{loop, cluster.node("a", "gate", "gate")};
};

TEST_F(GateTest, HostsAServiceWhoseStateServersAndItselfMirror) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    const rpc::Errc ordered = co_await order(server, "gate/host");
    EXPECT_EQ(ordered, rpc::Errc::ok);
    const std::string channel = service::channel_name(kDoors);
    const auto serves = [&] { return bool(gate.bus.epoch(channel)); };
    CO_TRUE(co_await until(serves));
    Text far, near;
    replica::Mirror mirror(server.endpoint, server.main.timers(), channel, far);
    replica::Mirror own(gate.endpoint, gate.main.timers(), channel, near);
    CO_TRUE(co_await until([&] { return far.text == "xxx" && near.text == "xxx"; }));
    const auto by_server = co_await rpc::call<&Doors::count>(server.endpoint, channel, {});
    EXPECT_TRUE(by_server.has_value());
    const auto by_itself = co_await rpc::call<&Doors::count>(gate.endpoint, channel, {});
    EXPECT_TRUE(by_itself.has_value());
    CO_TRUE(co_await until([&] { return far.text == "xxxyy" && near.text == "xxxyy"; }));
  });
}

TEST_F(GateTest, FollowsAMirrorSaysThatItLeavesAndIsNoServer) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    CO_TRUE(server.host.describe().instances.empty());
    const rpc::Errc refused = co_await order(gate, "entity/host-server");
    EXPECT_EQ(refused, rpc::Errc::not_permitted);
    EXPECT_TRUE(server.host.describe().instances.empty());
    const rpc::Errc own = co_await order(server, "entity/host-server");
    EXPECT_EQ(own, rpc::Errc::ok);
    const std::string channel = service::channel_name(kDoors);
    CO_TRUE(co_await until([&] { return bool(server.bus.epoch(channel)); }));
    Text copy;
    replica::Mirror mirror(gate.endpoint, gate.main.timers(), channel, copy);
    CO_TRUE(co_await until([&] { return mirror.status().current; }));
    EXPECT_EQ(copy.text, "xxx");
    const auto counted = co_await rpc::call<&Doors::count>(gate.endpoint, channel, {});
    EXPECT_EQ(counted.error(), rpc::Errc::not_permitted);

    std::optional<bus::Process> left;
    service::PlacerControl placer([&](const bus::Process& process) { left = process; });
    const std::string name(service::kPlacerChannel);
    CO_OK(co_await server.endpoint.bind(name, placer, use_awaitable));
    bool emptied = false;
    const service::Order none{2, {}};
    const auto taken =
        co_await rpc::call<&service::ServiceHost::order>(server.endpoint, "gate/host", {}, none);
    EXPECT_TRUE(taken.has_value());
    gate.host.withdraw_all([&](const bus::Result<>&) { emptied = true; });
    CO_TRUE(co_await until([&] { return emptied && left == gate.bus.self(); }));
  });
}

}  // namespace
}  // namespace starbus::nodes
