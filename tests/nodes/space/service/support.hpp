/// What the tests of the service share: a cluster within this process, a node that may host the
/// service, and a small node that runs spaces.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/runtime/main_loop.hpp"
#include "nodes/service/service_host.hpp"
#include "nodes/space/host/hosted_spaces.hpp"
#include "nodes/space/service/limits.hpp"
#include "nodes/space/service/space_calls.hpp"
#include "nodes/space/service/space_service.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/daemon/support.hpp"
#include "tests/nodes/space/registry/registry_fixture.hpp"

namespace starbus::nodes::space::test {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;

inline const service::InstanceId kSpaceOne{"space", 1, 0};
inline const PlaceId kTownPlace{"town", ""};

inline Time steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

/// A process with nothing but an endpoint: a caller.
struct Caller {
  Caller(boost::asio::io_context& loop, const bus::Options& options) : bus(loop, options) {}
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  SpaceCalls calls{endpoint};
};

/// A process that may host the service.
struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options, const SpaceTypes& types)
      : bus(loop, options), main(loop), host(endpoint, main.timers(), {}) {
    desk.types = types;
    EXPECT_TRUE(host.add<SpaceService>("space", {}, [this](service::Instance& instance) {
      return std::make_unique<SpaceService>(instance, endpoint, main.timers(), desk);
    }));
    host.open();
  }
  service::Result<service::HostReport> place(const service::InstanceId& id = kSpaceOne) {
    rpc::Caller nobody;
    return host.order(nobody, {1, {{service::Action::Kind::place, id}}});
  }
  bool serves() const {
    const auto rows = host.describe().instances;
    return !rows.empty() && rows.front().state == service::InstanceState::serving;
  }
  const Registry& registry() const { return *desk.service->registry(); }
  /// The service ends without a word, as with its process.
  void kill() { host.lose_all(); }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  SpaceDesk desk;
  service::ServiceHost host;
};

/// A process that runs spaces: each is nothing but its name.
class SpaceProcess {
 public:
  SpaceProcess(boost::asio::io_context& loop, const bus::Options& options)
      : bus(loop, options), spaces({"town", "dungeon"}, {}), timer_(loop) {}

  /// Connects, takes orders if it is to, joins the group, and announces itself ten times a second.
  boost::asio::awaitable<bool> begin(bool obeys = true) {
    if (!co_await bus.connect(use_awaitable)) co_return false;
    process = bus.host() + "." + bus.node();
    if (obeys && !co_await take_orders()) co_return false;
    const std::string group(kSpaceNodes);
    if (!co_await bus.bind(group, bus::kNoHandlers, use_awaitable)) co_return false;
    tick();
    co_return true;
  }
  boost::asio::awaitable<bool> take_orders() {
    const auto bound = co_await endpoint.bind(orders_channel(process), orders, use_awaitable);
    co_return bound.has_value();
  }
  void tick() {
    spaces.due(steady_now());
    work();
    announce();
    timer_.expires_after(100ms);
    timer_.async_wait([this](boost::system::error_code error) {
      if (!error) tick();
    });
  }
  void announce() {
    if (!mute) say(spaces.announcement(10, steady_now()));
  }
  void say(const Announcement& what) {
    (void)rpc::send<&NewsPort::announce>(endpoint, kSpaceService, {}, what);
  }
  void say(const Reply& what) {
    (void)rpc::send<&NewsPort::reply>(endpoint, kSpaceService, {}, what);
  }
  /// Starts and ends spaces, and says so.
  void work() {
    for (HostedSpaces::Work& each : spaces.take_work()) {
      if (auto* const start = std::get_if<HostedSpaces::Start>(&each)) {
        held.push_back(*start);
      } else if (auto* const end = std::get_if<HostedSpaces::End>(&each)) {
        bus.unbind(names_[end->life], [](const bus::Result<>&) {});
        spaces.ended(end->life);
      }
    }
    if (!hold_start) {
      for (const HostedSpaces::Start& start : std::exchange(held, {})) begin_space(start);
    }
    for (const Reply& reply : spaces.take_replies()) say(reply);
    if (spaces.take_announce()) announce();
  }
  /// Its spaces and their seats.
  std::vector<SpaceRow> rows() const { return spaces.announcement(0, steady_now()).spaces; }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  HostedSpaces spaces;
  OrdersPort orders{[this](const bus::Process&, const Order& order) {
    const auto obeyed = spaces.obey(order, steady_now());
    work();
    return obeyed;
  }};
  std::string process;
  bool mute = false;        // it announces nothing
  bool hold_start = false;  // spaces do not start
  std::vector<HostedSpaces::Start> held;

 private:
  void begin_space(const HostedSpaces::Start& start) {
    const std::string name = channel_name(start.order.name);
    names_[start.life] = name;
    bus.bind(name, bus::Handlers{},
             [this, life = start.life](const bus::Result<bus::Bound>& bound) {
               const auto taken = bound ? Result<>() : Result<>(Error(Errc::already_there));
               spaces.started(life, taken);
               work();
             });
  }
  std::map<Life, std::string> names_;
  boost::asio::steady_timer timer_;
};

class SpaceServiceTestBase : public bus::LoopTest {
 protected:
  static SpaceTypes types_of(const std::vector<SpaceType>& types) {
    SpaceTypes all;
    for (const SpaceType& type : types) all[type.name] = type;
    return all;
  }
  std::unique_ptr<Place> host(const std::string& name, const std::vector<SpaceType>& types) {
    return std::make_unique<Place>(loop, cluster.node("a", name), types_of(types));
  }
  std::unique_ptr<SpaceProcess> runner(const std::string& name) {
    return std::make_unique<SpaceProcess>(loop, cluster.node("b", name));
  }
  std::unique_ptr<Caller> caller(const std::string& name) {
    return std::make_unique<Caller>(loop, cluster.node("a", name));
  }
  /// The service serves there.
  boost::asio::awaitable<bool> serve(Place& place) {
    const bool known = place.bus.self().incarnation && !place.bus.host().empty();
    if (!known && !co_await place.bus.connect(use_awaitable)) co_return false;
    if (!place.place()) co_return false;
    co_return co_await until([&place] { return place.serves(); });
  }
  boost::asio::awaitable<void> sleep(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(loop, time);
    co_await timer.async_wait(use_awaitable);
  }
  static EnterRequest ask(std::chrono::milliseconds patience, const PlaceId& place = kTownPlace) {
    EnterRequest request;
    request.place = place;
    request.patience = patience;
    return request;
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(11'000)}};
};

class SpaceServiceTest : public SpaceServiceTestBase {
 protected:
  /// A node that runs nothing, and says what a test says.
  boost::asio::awaitable<std::unique_ptr<SpaceProcess>> begin_liar(const Place& home,
                                                                   bool obeys = true) {
    auto node = runner("liar");
    node->mute = true;
    if (!co_await node->begin(obeys)) co_return nullptr;
    const auto known = [&] { return home.registry().nodes().find("b.liar") != nullptr; };
    if (!co_await until(known)) co_return nullptr;
    co_return node;
  }
};

}  // namespace starbus::nodes::space::test
