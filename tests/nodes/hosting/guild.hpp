/// The entities of these tests: with properties that are saved, and with a component.
#pragma once

#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

struct GuildState : entity::Properties<GuildState> {
  entity::Field<int, entity::Flags::save> gold{this, "gold"};
};
class Vault final : public entity::ComponentOf<Vault>, public rpc::Callable<Vault> {
 public:
  static constexpr std::string_view kComponentName = "vault";
  explicit Vault(const entity::ComponentKey& key) : ComponentOf(key) {}
  int keys(rpc::Caller&) { return 3; }
  static constexpr auto kRpc = rpc::methods("test_vault", rpc::method<&Vault::keys>("keys"));

 private:
  ~Vault() override = default;
};
class Guild final : public entity::EntityOf<Guild, entity::Entity, entity::Components<Vault>> {
 public:
  static constexpr std::string_view kTypeName = "guild";
  explicit Guild(const entity::ConstructKey& key) : EntityOf(key) {}
  int pay(rpc::Caller&, int gold) { return state.gold += gold; }
  void disband(rpc::Caller&) { destroy(); }
  entity::Root* properties() override { return &state; }
  GuildState state;
  static constexpr auto kRpc = rpc::methods("test_guild", rpc::method<&Guild::pay>("pay"),
                                            rpc::method<&Guild::disband>("disband"));

 private:
  ~Guild() override = default;
};

}  // namespace starbus::nodes::entities
