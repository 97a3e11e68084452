/// An entity that is seen, saved and mirrored, for these tests.
#pragma once

#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

struct HeroState : entity::Properties<HeroState> {
  entity::Field<std::string, entity::all_clients> nick{this, "nick"};
  entity::Field<int, entity::own_client | entity::Flags::save> gold{this, "gold"};
  entity::Field<int> mood{this, "mood"};
};
class Hero final : public entity::EntityOf<Hero> {
 public:
  static constexpr std::string_view kTypeName = "hero";
  explicit Hero(const entity::ConstructKey& key) : EntityOf(key) {}
  void say(rpc::Caller&, int number) { said.push_back(number); }
  int earn(rpc::Caller&, int gold) { return state.gold += gold; }
  entity::Root* properties() override { return &state; }
  HeroState state;
  std::vector<int> said;
  static inline int refusals = 0;  // how many activations fail from now on
  static constexpr auto kRpc =
      rpc::methods("test_hero", rpc::method<&Hero::say>("say"), rpc::method<&Hero::earn>("earn"));

 private:
  ~Hero() override = default;
  entity::EntityResult<> on_activate() override {
    if (refusals == 0) return {};
    --refusals;
    return entity::EntityError(entity::EntityErrc::hook_failed, "not yet");
  }
};

}  // namespace starbus::nodes::entities
