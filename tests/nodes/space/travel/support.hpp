/// What the tests of travels share: two hosts with nodes that run spaces, the real service of
/// spaces, and players who travel.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/client/process_name.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/service/service_host.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/service/space_service.hpp"
#include "nodes/space/travel/travels.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::space::travel_test {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

/// What players and fields of a test do, and what they did.
struct Diary {
  std::set<std::string> refuses;                  // "ada at y": enters no space there
  std::vector<std::string> said;                  // "ada enters x.field-1"
  std::map<std::string, Result<Travelled>> ends;  // of a player, the latest
  std::function<bool()> no;                       // asked of each entry of a player: it refuses
  std::function<void()> packed;                   // a player is packed: its state has not gone yet
  std::function<void()> accepted;                 // it is made, and not owned there yet
};

class Player final : public entity::EntityOf<Player, entity::Entity, entity::Components<Traveller>>,
                     public TravelHooks {
 public:
  /// Numbers come in order, each once: how many have come.
  int hear(rpc::Caller&, int number) {
    if (number != heard_ + 1) ++wrong_;
    heard_ = number;
    return wrong_ == 0 ? heard_ : -wrong_;
  }
  rpc::Task<int> think(rpc::Caller&) {
    auto& held = world().get<std::vector<std::function<void()>>>();
    auto wait = bus::initiate<void>(boost::asio::deferred, [&held](bus::Done<void> done) {
      held.emplace_back([done] { done({}); });
    });
    static_cast<void>(co_await std::move(wait));
    co_return 1;
  }
  static constexpr auto kRpc = rpc::methods<&Player::hear, &Player::think>("test_travel_player");

 private:
  Diary& diary() { return world().get<Diary>(); }
  entity::EntityResult<> on_before_move(entity::Encoder& out) override {
    out.number(heard_);
    out.number(wrong_);
    if (diary().packed) diary().packed();
    return {};
  }
  entity::EntityResult<> on_after_move(entity::Decoder* in) override {
    if (in == nullptr) return {};
    heard_ = in->number<int>();
    wrong_ = in->number<int>();
    if (diary().accepted) diary().accepted();
    return {};
  }
  entity::EntityResult<> on_enter_space(entity::OnlineId, entity::EnterReason) override {
    const auto& no = diary().refuses;
    const std::string where = world().get<std::string>();
    if ((diary().no && diary().no()) || no.contains(persistent_id() + " at " + where)) {
      return entity::EntityError(entity::EntityErrc::hook_failed, "not here");
    }
    return {};
  }
  void on_travel_ended(const Result<Travelled>& end) override {
    diary().ends.insert_or_assign(persistent_id(), end);
  }

  int heard_ = 0;
  int wrong_ = 0;
};

class Field final : public GameSpace {
 public:
  using GameSpace::GameSpace;

 private:
  void say(entity::Entity& entity, const std::string& what) {
    world().get<Diary>().said.push_back(entity.persistent_id() + what + world().get<std::string>() +
                                        "." + to_string(name()));
  }
  void on_enter(entity::Entity& entity) override { say(entity, " enters "); }
  void on_leave(entity::Entity& entity) override { say(entity, " leaves "); }
};

/// A process that runs fields, without a node.
struct Land {
  Land(boost::asio::io_context& loop, const bus::Options& options, Diary& diary,
       TravelOptions ways = {})
      : node(options.node),
        bus(loop, options),
        main(loop),
        entities(endpoint, main.timers(), options.node, entity_options()),
        spaces(endpoint, main.timers(), entities.entities(), space_options()),
        travels(endpoint, main.timers(), entities, spaces, std::move(ways)) {
    entities.world().add<Diary>(diary);
    entities.world().add<std::string>(node);
    entities.world().add<std::vector<std::function<void()>>>(thinking);
    entities.declare<Player>();
    for (const char* const type : {"field", "town"}) spaces.declare<Field>(type);
    endpoint.on_lease_lost([this] {
      entities.lose_all();
      spaces.lose_all();
    });
  }
  static entity::EntityManager::DrawId ids() {
    return []() -> entity::IdentityResult<entity::OnlineId> {
      static std::uint64_t drawn = 0;  // of all processes of the test
      return entity::OnlineId{++drawn};
    };
  }
  entities::HostOptions entity_options() {
    entities::HostOptions how;
    how.draw = ids();
    how.tick = 0ms;
    return how;
  }
  SpaceHostOptions space_options() {
    SpaceHostOptions how;
    how.draw = ids();
    how.drain_warning = 50ms;
    return how;
  }
  Player* find(const std::string& name) {
    return static_cast<Player*>(entities.entities().find_persistent(name));
  }
  GameSpace* space(const std::string& type, std::uint32_t line = 1) {
    return spaces.find(SpaceName{{type, ""}, line});
  }
  std::size_t players(const std::string& type, std::uint32_t line = 1) {
    const GameSpace* const found = space(type, line);
    return found == nullptr ? 0 : found->players();
  }
  std::string process() const { return bus::process_name(bus); }

  std::string node;
  std::vector<std::function<void()>> thinking;  // coroutines of players that wait
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  entities::EntityHost entities;
  SpaceHost spaces;
  Travels travels;
};

/// A process with the service of spaces.
struct Office {
  Office(boost::asio::io_context& loop, const bus::Options& options, const SpaceTypes& types)
      : bus(loop, options), main(loop), host(endpoint, main.timers(), {}) {
    desk.types = types;
    EXPECT_TRUE(host.add<SpaceService>("space", {}, [this](service::Instance& instance) {
      return std::make_unique<SpaceService>(instance, endpoint, main.timers(), desk);
    }));
    host.open();
  }
  bool serves() const {
    const auto rows = host.describe().instances;
    return !rows.empty() && rows.front().state == service::InstanceState::serving;
  }
  const Registry& registry() const { return *desk.service->registry(); }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  SpaceDesk desk;
  service::ServiceHost host;
};

inline SpaceType field_type(const std::string& name = "field", std::uint32_t capacity = 3,
                            std::uint32_t max_lines = 4) {
  SpaceType type;
  type.name = name;
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

/// A list in braces within a co_await expression is too much for g++ 12.
template <class... T>
std::vector<SpaceType> types(T... each) {
  return {std::move(each)...};
}

class TravelTestBase : public bus::LoopTest {
 protected:
  using End = std::shared_ptr<std::optional<Result<Travelled>>>;

  std::unique_ptr<Land> land(const std::string& host, const std::string& name,
                             TravelOptions ways = {}) {
    return std::make_unique<Land>(loop, cluster.node(host, name), diary, std::move(ways));
  }
  boost::asio::awaitable<bool> open(Land& at) {
    if (!co_await at.bus.connect(use_awaitable)) co_return false;
    if (!co_await at.endpoint.ready(use_awaitable)) co_return false;
    bool opened = false;
    at.spaces.open([&](const bus::Result<>& result) {
      EXPECT_TRUE(result) << result.error().to_string();
      opened = true;
    });
    co_return co_await until([&] { return opened; });
  }
  boost::asio::awaitable<bool> serve(const std::vector<SpaceType>& all_types) {
    SpaceTypes all;
    for (const SpaceType& type : all_types) all[type.name] = type;
    office = std::make_unique<Office>(loop, cluster.node("a", "office"), all);
    if (!co_await office->bus.connect(use_awaitable)) co_return false;
    rpc::Caller nobody;
    const auto placed =
        office->host.order(nobody, {1, {{service::Action::Kind::place, {"space", 1, 0}}}});
    if (!placed) co_return false;
    co_return co_await until([this] { return office->serves(); });
  }
  /// x on host a and y on host b, and the service. Fields of x run first: y has none before two().
  boost::asio::awaitable<bool> begin() { return begin(types(field_type()), TravelOptions()); }
  boost::asio::awaitable<bool> begin(std::vector<SpaceType> all_types) {
    return begin(std::move(all_types), TravelOptions());
  }
  boost::asio::awaitable<bool> begin(std::vector<SpaceType> all_types, TravelOptions ways) {
    x = land("a", "x", ways);
    y = land("b", "y", ways);
    const bool serves = co_await serve(all_types);
    if (!serves || !co_await open(*x)) co_return false;
    if (!co_await y->bus.connect(use_awaitable)) co_return false;
    co_return (co_await y->endpoint.ready(use_awaitable)).has_value();
  }
  /// A player with a name of its own, in no space.
  boost::asio::awaitable<Player*> player(Land& at, const std::string& name) {
    entity::CreateOptions how;
    how.persistent_id = name;
    Player* const made = at.entities.entities().create_with<Player>(how).value();
    const auto published = co_await at.entities.publish(*made, "player/" + name, use_awaitable);
    EXPECT_TRUE(published) << published.error().to_string();
    co_return made;
  }
  static Wish to(const std::string& type, std::uint32_t line = 0) {
    Wish wish;
    wish.place = {type, ""};
    wish.line = line;
    wish.at = aoi::Position{10, 20, 0};
    return wish;
  }
  End go(Land& at, Player& player, const Wish& wish) {
    const End end = std::make_shared<std::optional<Result<Travelled>>>();
    at.travels.travel(player, wish, [end](Result<Travelled> result) { *end = std::move(result); });
    return end;
  }
  boost::asio::awaitable<Result<Travelled>> ended(End end) {
    const bool come = co_await until([&end] { return end->has_value(); });
    co_return come ? **end : Result<Travelled>(Error(Errc::too_late, "the test's own"));
  }
  boost::asio::awaitable<Result<Travelled>> travel(Land& at, Player& player, Wish wish) {
    co_return co_await ended(go(at, player, wish));
  }
  /// A player in a field of x, and y as a node that may have the next ones.
  boost::asio::awaitable<Player*> ada_in_x() {
    Player* const ada = co_await player(*x, "ada");
    const auto in = co_await travel(*x, *ada, to("field"));
    EXPECT_TRUE(in) << in.error().to_string();
    if (!in || !co_await open(*y)) co_return nullptr;
    const bool known = co_await until([this] {
      return office->registry().nodes().find("b.y") != nullptr &&
             office->registry().nodes().find("b.y")->announced;
    });
    co_return known ? ada : nullptr;
  }
  /// The player of this name that is in a space of that land.
  static Player* standing(Land& at, const std::string& name) {
    Player* const found = at.find(name);
    return found == nullptr || found->space() == entity::OnlineId::none ? nullptr : found;
  }
  /// The seats that are held or taken in all fields of a land.
  std::uint32_t seats(Land& at) const {
    std::uint32_t sum = 0;
    for (const LineView& line : office->registry().spaces()) {
      if (line.node == at.process()) sum += line.taken;
    }
    return sum;
  }
  boost::asio::awaitable<void> turn(std::chrono::milliseconds time = 0ms) {
    boost::asio::steady_timer timer(loop, time);
    co_await timer.async_wait(use_awaitable);
  }

  Diary diary;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(11'000)}};
  std::unique_ptr<Office> office;
  std::unique_ptr<Land> x;
  std::unique_ptr<Land> y;
};

}  // namespace starbus::nodes::space::travel_test
