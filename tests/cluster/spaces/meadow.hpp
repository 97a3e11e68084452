/// What the test of spaces runs as processes of their own: nodes with meadows, into which whoever
/// has a ticket can let a wanderer.
#pragma once

#include <cstdint>

#include "entity/rpc/rpc.hpp"
#include "nodes/space/node/space_app.hpp"

namespace starbus::cluster_test {

class Wanderer final : public entity::EntityOf<Wanderer> {};

class Meadow final : public nodes::space::GameSpace, public entity::rpc::Callable<Meadow> {
 public:
  using GameSpace::GameSpace;
  ~Meadow() override { close_rpc(); }

  /// A new wanderer takes the seat of the ticket: how many are there then.
  Result<std::uint32_t> come(entity::rpc::Caller&, nodes::space::Ticket ticket) {
    auto made = entities().create<Wanderer>();
    if (!made) return Error(made.error());
    auto& host = world().get<nodes::space::SpaceHost>();
    if (const auto there = host.arrive(**made, ticket, {1, 0, 1}); !there) {
      (*made)->destroy();
      return there.error();
    }
    return static_cast<std::uint32_t>(players());
  }
  std::uint32_t count(entity::rpc::Caller&) { return static_cast<std::uint32_t>(players()); }

  static constexpr auto kRpc = entity::rpc::methods<&Meadow::come, &Meadow::count>("test_meadow");
};

}  // namespace starbus::cluster_test
