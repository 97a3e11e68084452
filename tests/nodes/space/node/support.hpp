/// What the tests of space nodes share: nodes with spaces and entities on a cluster within this
/// process, the real registry as the service, and classes that do what the test says.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bus/client/process_name.hpp"
#include "bus/io/clock.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/registry/registry.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::space::node_test {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

/// What all spaces and walkers of a test do, and what they did.
struct Script {
  bool hold_start = false;
  bool hold_end = false;
  std::string fail_start;                      // the text; empty: it starts
  std::set<std::string> throws;                // names of hooks: "on_tick"
  std::string refuses;                         // the persistent id of a walker that enters nowhere
  std::chrono::milliseconds slow_tick{0};      // of spaces whose setup is "slow"
  std::vector<Done> held;                      // of on_start and on_end
  std::vector<std::string> said;               // "town-1 on_start"
  std::map<std::string, std::uint64_t> ticks;  // by space
  int objects = 0;

  void say(const std::string& who, const std::string& what) {
    said.push_back(who + " " + what);
    if (throws.contains(what)) throw std::runtime_error("it threw");
  }
};

class Walker final : public entity::EntityOf<Walker> {
 public:
  /// In its hook, as the space has it before the hooks.
  std::function<void(Walker&)> entering;

 private:
  entity::EntityResult<> on_enter_space(entity::OnlineId, entity::EnterReason) override {
    if (entering) entering(*this);
    auto& script = world().get<Script>();
    if (script.refuses == persistent_id()) {
      return entity::EntityError(entity::EntityErrc::hook_failed, "not here");
    }
    script.said.push_back(persistent_id() + " enters");
    return {};
  }
  void on_leave_space(entity::OnlineId, entity::LeaveReason why) override {
    world().get<Script>().said.push_back(persistent_id() + " leaves, " + std::string(name_of(why)));
  }
};

class Town final : public GameSpace, public rpc::Callable<Town> {
 public:
  Town(SpaceInit init, Script& script) : GameSpace(std::move(init)), script_(script) {
    if (script_.throws.contains("constructor")) throw std::runtime_error("it threw");
    ++script_.objects;
  }
  ~Town() override { --script_.objects; }
  std::string where(rpc::Caller&) { return to_string(name()); }
  static constexpr auto kRpc = rpc::methods<&Town::where>("test_space_town");

 private:
  void on_start(const std::string& setup, Done done) override {
    slow_ = setup == "slow";
    say("on_start");
    if (!script_.fail_start.empty()) {
      return done(bus::Error(bus::Errc::io_error, script_.fail_start));
    }
    script_.hold_start ? script_.held.push_back(std::move(done)) : done({});
  }
  void on_before_tick(const SpaceTick&) override { throw_if("on_before_tick"); }
  void on_tick(const SpaceTick& tick) override {
    EXPECT_GT(tick.passed.count(), 0);
    ++script_.ticks[to_string(name())];
    if (slow_) {
      const auto until = std::chrono::steady_clock::now() + script_.slow_tick;
      while (std::chrono::steady_clock::now() < until) {
      }
    }
    throw_if("on_tick");
  }
  void on_after_tick(const SpaceTick&) override { throw_if("on_after_tick"); }
  void on_enter(entity::Entity& entity) override {
    EXPECT_TRUE(aoi_id(entity));
    say("on_enter");
  }
  void on_leave(entity::Entity& entity) override {
    EXPECT_TRUE(aoi().position(*aoi_id(entity)));
    say("on_leave");
  }
  void on_warn(std::chrono::milliseconds) override { say("on_warn"); }
  void on_end(Done done) override {
    say("on_end");
    script_.hold_end ? script_.held.push_back(std::move(done)) : done({});
  }
  void on_member_left(entity::Entity& entity) override {
    EXPECT_EQ(entity.space(), entity::OnlineId::none);
    say("on_member_left");
  }
  void say(const std::string& what) { script_.say(to_string(name()), what); }
  void throw_if(const std::string& what) {
    if (script_.throws.contains(what)) throw std::runtime_error("it threw");
  }

  Script& script_;
  bool slow_ = false;
};

/// A process that runs towns, without a node.
struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options, Script& script,
        const SpaceHostOptions& how = {})
      : bus(loop, options),
        main(loop),
        entities(endpoint, main.timers(), options.node, ids()),
        host(endpoint, main.timers(), entities.entities(), with(how)) {
    entities.world().add<Script>(script);
    entities.declare<Walker>();
    host.declare<Town>("town", [&script](SpaceInit init) {
      return std::make_unique<Town>(std::move(init), script);
    });
    endpoint.on_lease_lost([this] {
      entities.lose_all();
      host.lose_all();
    });
  }
  entities::HostOptions ids() {
    entities::HostOptions how;
    how.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    how.tick = 0ms;
    return how;
  }
  SpaceHostOptions with(SpaceHostOptions how) {
    how.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    return how;
  }
  Walker& walker(const std::string& name) {
    entity::CreateOptions how;
    how.persistent_id = name;
    return *entities.entities().create_with<Walker>(how).value();
  }
  Town* town(std::uint32_t line = 1) {
    return static_cast<Town*>(host.find(SpaceName{{"town", ""}, line}));
  }
  std::string process() const { return bus::process_name(bus); }

  std::uint64_t drawn = 0;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  entities::EntityHost entities;
  SpaceHost host;
};

inline SpaceType town_type(std::uint32_t capacity = 3, std::uint32_t max_lines = 4) {
  SpaceType type;
  type.name = "town";
  type.capacity = capacity;
  type.soft_capacity = capacity;
  type.max_lines = max_lines;
  type.idle = 60s;
  type.countdown = 1s;
  type.max = {200, 200, 0};
  type.sight = type.cell = 30;
  type.ticks_per_second = 20;
  type.weight = 50;
  return type;
}

/// The service of spaces over the bus: the real registry, and no more than the tests of nodes need.
class Service {
 public:
  Service(boost::asio::io_context& loop, const bus::Options& options, SpaceTypes types)
      : bus(loop, options), main(loop), types_(std::move(types)) {}
  ~Service() { news_.close_rpc(); }

  boost::asio::awaitable<bool> begin() {
    const auto connected = co_await bus.connect(use_awaitable);
    if (!connected) co_return false;
    const auto bound = co_await endpoint.bind(std::string(kSpaceService), news_, use_awaitable);
    if (!bound) co_return false;
    registry.emplace(bound->epoch.value, types_, now());
    nodes_ = *bus.watch(std::string(kSpaceNodes) + "#",
                        [this](const bus::WatchUpdate& update) { saw_nodes(update); });
    spaces_ = *bus.watch(std::string(kSpaces),
                         [this](const bus::WatchUpdate& update) { saw_spaces(update); });
    static_cast<void>(main.timers().every(beat_, 20ms, 20ms, entity::CatchUp::once, [this] {
      registry->due(now());
      flush();
    }));
    co_return true;
  }
  /// The number of the request.
  std::uint64_t enter(std::uint32_t line = 0, std::uint32_t seats = 1, std::string setup = {}) {
    registry->enter(++asked_, {{"town", ""}, seats, line, 15s, std::move(setup)}, now());
    flush();
    return asked_;
  }
  /// Null: not answered yet.
  const Result<Grant>* answer(std::uint64_t request) const {
    const auto found = answers_.find(request);
    return found == answers_.end() ? nullptr : &found->second;
  }
  static Time now() { return bus::io::boot_now(); }
  void flush() {
    for (Order& order : registry->take_orders()) send(std::move(order));
    for (Answer& each : registry->take_answers()) {
      answers_.emplace(each.request, std::move(each.result));
    }
  }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  std::optional<Registry> registry;
  std::map<std::string, Announcement> heard;  // the latest of each process
  std::vector<std::string> came_in;           // "reply", "announcement", in order
  std::set<std::string> members;

 private:
  void send(Order order) {
    const std::string to = order.node;
    const std::uint64_t number = order.number;
    rpc::call<&OrdersPort::obey>(endpoint, orders_channel(to), {.deadline = 3s},
                                 order)([this, to, number](const auto& obeyed) {
      if (!obeyed) registry->undelivered(to, number, now());
      flush();
    });
  }
  void announced(const bus::Process& from, const Announcement& what) {
    const std::string process = name_of_process(from);
    came_in.emplace_back("announcement");
    heard[process] = what;
    registry->announced(process, what, now());
    flush();
  }
  void replied(const bus::Process& from, const Reply& reply) {
    came_in.emplace_back("reply");
    registry->replied(name_of_process(from), reply, now());
    flush();
  }
  std::string name_of_process(const bus::Process& process) const {
    const auto found = processes_.find(process);
    return found == processes_.end() ? std::string() : found->second;
  }
  void saw_nodes(const bus::WatchUpdate& update) {
    for (const bus::WatchRow& row : update.changes) {
      const std::string process = row.name.substr(row.name.find('#') + 1);
      if (row.present) {
        processes_[row.owner] = process;
        members.insert(process);
        registry->node_came(process, now());
      } else {
        members.erase(process);
        registry->node_left(process, now());
      }
    }
    complete(update, nodes_complete_);
  }
  void saw_spaces(const bus::WatchUpdate& update) {
    for (const bus::WatchRow& row : update.changes) {
      const auto name = space_of_channel(row.name);
      if (!name) continue;
      row.present ? registry->name_held(*name, row.owner_name) : registry->name_freed(*name);
    }
    complete(update, spaces_complete_);
  }
  void complete(const bus::WatchUpdate& update, bool& which) {
    if (!update.complete) return;
    which = true;
    if (nodes_complete_ && spaces_complete_) registry->directory_complete(now());
    flush();
  }

  const SpaceTypes types_;
  NewsPort news_{
      [this](const bus::Process& from, const Announcement& what) { announced(from, what); },
      [this](const bus::Process& from, const Reply& reply) { replied(from, reply); }};
  std::map<bus::Process, std::string> processes_;
  std::map<std::uint64_t, Result<Grant>> answers_;
  std::uint64_t asked_ = 0;
  bool nodes_complete_ = false;
  bool spaces_complete_ = false;
  bus::WatchHandle nodes_;
  bus::WatchHandle spaces_;
  entity::TimerOwner beat_;
};

class SpaceTestBase : public bus::LoopTest {
 protected:
  std::unique_ptr<Place> place(const std::string& name, const SpaceHostOptions& how = {},
                               const std::string& host = "a") {
    return std::make_unique<Place>(loop, cluster.node(host, name), script, how);
  }
  std::unique_ptr<Service> service(const SpaceType& type = town_type(),
                                   const std::string& name = "s") {
    return std::make_unique<Service>(loop, cluster.node("a", name), SpaceTypes{{type.name, type}});
  }
  /// Connects, and takes orders.
  boost::asio::awaitable<bool> open(Place& at) {
    const auto connected = co_await at.bus.connect(use_awaitable);
    if (!connected) co_return false;
    bool opened = false;
    at.host.open([&](const bus::Result<>& result) {
      EXPECT_TRUE(result) << result.error().to_string();
      opened = true;
    });
    co_return co_await until([&] { return opened; });
  }
  /// A grant for a town, waited for.
  boost::asio::awaitable<Grant> granted(Service& from, std::uint32_t line = 0,
                                        std::uint32_t seats = 1, std::string setup = {}) {
    const std::uint64_t request = from.enter(line, seats, std::move(setup));
    const bool answered = co_await until([&] { return from.answer(request) != nullptr; });
    if (!answered || !*from.answer(request)) {
      ADD_FAILURE() << "no grant: "
                    << (answered ? from.answer(request)->error().to_string() : "no answer");
      co_return Grant{};
    }
    co_return **from.answer(request);
  }

  Script script;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(11'000)}};
};

/// Orders by hand, where the pauses of a registry would be in the way.
class SpaceOrdersTest : public SpaceTestBase {
 protected:
  /// As a service would: everything that comes back is kept.
  struct Boss {
    Boss(boost::asio::io_context& loop, const bus::Options& options) : bus(loop, options) {}
    ~Boss() { news.close_rpc(); }
    bus::Bus bus;
    rpc::Endpoint endpoint{bus};
    std::vector<Reply> replies;
    Announcement latest;
    NewsPort news{[this](const bus::Process&, const Announcement& what) { latest = what; },
                  [this](const bus::Process&, const Reply& reply) { replies.push_back(reply); }};
  };
  boost::asio::awaitable<bool> begin(SpaceHostOptions how = {},
                                     std::function<void(Place&)> declare = {}) {
    boss = std::make_unique<Boss>(loop, cluster.node("a", "s"));
    a = place("x", how);
    if (declare) declare(*a);
    const auto connected = co_await boss->bus.connect(use_awaitable);
    const auto bound =
        co_await boss->endpoint.bind(std::string(kSpaceService), boss->news, use_awaitable);
    const bool opened = co_await open(*a);
    co_return connected&& bound&& opened;
  }
  /// ok, or how it was refused.
  boost::asio::awaitable<Error> order(std::uint64_t life, decltype(Order::what) what) {
    const Order made{a->process(), term, ++number, {1, life}, std::move(what)};
    const auto obeyed = co_await rpc::call<&OrdersPort::obey>(
        boss->endpoint, orders_channel(a->process()), {}, made);
    if (obeyed) co_return Error{};
    if (obeyed.error() == rpc::Errc::refused) co_return obeyed.error().error;
    co_return Error(obeyed.error());
  }
  boost::asio::awaitable<void> create(std::uint64_t life, std::uint32_t line = 1,
                                      const std::string& setup = {}, SpaceType type = town_type()) {
    decltype(Order::what) what = Create{{{"town", ""}, line}, std::move(type), setup};
    const Error refused = co_await order(life, std::move(what));
    EXPECT_EQ(refused.code, Code{}) << refused.to_string();
  }
  boost::asio::awaitable<bool> runs(std::uint32_t line = 1) {
    co_return co_await until([this, line] {
      return a->town(line) != nullptr && script.ticks["town-" + std::to_string(line)] > 0;
    });
  }
  /// The reply to the latest order; waits for it.
  boost::asio::awaitable<Reply> reply() {
    const std::uint64_t wanted = number;
    const Reply* found = nullptr;
    const bool came = co_await until([&] {
      for (const Reply& each : boss->replies) {
        if (each.number == wanted) found = &each;
      }
      return found != nullptr;
    });
    EXPECT_TRUE(came) << "no reply to order " << wanted;
    co_return came ? *found : Reply{};
  }
  boost::asio::awaitable<void> reserve(std::uint64_t life, std::uint64_t ticket,
                                       std::chrono::milliseconds hold = 30s) {
    Reserve seats{{{term, ticket}}, hold};
    decltype(Order::what) what = std::move(seats);
    const Error refused = co_await order(life, std::move(what));
    const Reply said = co_await reply();
    EXPECT_TRUE(said.result) << said.result.error().to_string() << refused.to_string();
  }
  Ticket ticket(std::uint64_t of) const { return {term, of}; }

  std::unique_ptr<Boss> boss;
  std::unique_ptr<Place> a;
  std::uint64_t term = 7;
  std::uint64_t number = 0;
};

}  // namespace starbus::nodes::space::node_test
