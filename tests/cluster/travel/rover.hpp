/// What the tests of travels run as processes of their own: nodes with spaces `low` and `high`,
/// which run where a node has the label of that name, and rovers who travel between them.
///
///   [spaces]
///   labels = ["low"]
#pragma once

#include <cstdint>
#include <string>

#include "entity/entities.hpp"
#include "nodes/space/node/space_app.hpp"

namespace starbus::cluster_test {

namespace rpc = entity::rpc;
namespace space = nodes::space;

/// Counts what it hears: the number of each message is the one after the last.
struct RoverState : entity::Properties<RoverState> {
  STARBUS_FIELDS(Field<std::uint64_t> heard{*this}; Field<std::uint64_t> wrong{*this};)
};
struct RoverReport {
  std::uint64_t heard = 0;
  std::uint64_t wrong = 0;
  std::string space;  // "low-1"; empty: none

  template <class Archive>
  void serialize(Archive& archive) {
    archive(heard, wrong, space);
  }
};

class Rover final
    : public entity::EntityOf<Rover, entity::Entity, entity::Components<space::Traveller>> {
 public:
  RoverState state;
  entity::Root* properties() override { return &state; }

  void hear(rpc::Caller&, std::uint64_t number) {
    if (number != state.heard.get() + 1) state.wrong += 1U;
    state.heard = number;
  }
  /// Whether it was begun.
  void travel(rpc::Caller&, std::string type) {
    space::Wish wish;
    wish.place.type = std::move(type);
    world().get<space::Travels>().travel(*this, wish,
                                         [](const space::Result<space::Travelled>&) {});
  }
  RoverReport report(rpc::Caller&) {
    auto* const in = world().get<space::SpaceHost>().find(space());
    const bool member = in != nullptr && in->has(*this);
    return {state.heard.get(), state.wrong.get(), member ? to_string(in->name()) : std::string()};
  }
  static constexpr auto kRpc =
      rpc::methods<&Rover::hear, &Rover::travel, &Rover::report>("test_rover");
};

class Ground final : public space::GameSpace, public rpc::Callable<Ground> {
 public:
  using GameSpace::GameSpace;
  ~Ground() override { close_rpc(); }

  std::uint32_t count(rpc::Caller&) { return static_cast<std::uint32_t>(players()); }
  static constexpr auto kRpc = rpc::methods<&Ground::count>("test_ground");
};

/// Makes rovers, as `rovers/NODE`.
class RoverApp final : public space::SpaceApp, public rpc::Callable<RoverApp> {
 public:
  RoverApp() {
    declare<Ground>("low");
    declare<Ground>("high");
    entity<Rover>();
  }
  ~RoverApp() override { close_rpc(); }

  bus::Result<> start(nodes::Node& node) override {
    node.offer("rovers/" + node.name(), *this);
    return SpaceApp::start(node);
  }
  /// rover/NAME lives here, and travels to a space of that type.
  rpc::Task<bus::Result<>> make(rpc::Caller&, std::string name, std::string type) {
    entity::CreateOptions how;
    how.persistent_id = name;
    const auto made = entities().entities().create_with<Rover>(how);
    if (!made) co_return bus::Error(bus::Errc::io_error, made.error().to_string());
    const auto named = co_await entities().publish(**made, "rover/" + name);
    if (!named) co_return named;
    space::Wish wish;
    wish.place.type = type;
    const auto end = co_await travels().travel(**made, wish);
    if (!end) co_return end.error();
    co_return bus::Result<>();
  }
  static constexpr auto kRpc = rpc::methods<&RoverApp::make>("test_rovers");
};

}  // namespace starbus::cluster_test
