/// An entity that works: in a method, in a step, in a hook; and says so to whoever listens.
#pragma once

#include <functional>

#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "tests/spin.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

struct OxState : entity::Properties<OxState> {
  entity::Field<int, entity::own_client | entity::Flags::save> weight{this, "weight"};
};
class Ox final : public entity::EntityOf<Ox> {
 public:
  static constexpr std::string_view kTypeName = "ox";
  explicit Ox(const entity::ConstructKey& key) : EntityOf(key) {}
  void pull(rpc::Caller&, int milliseconds) {
    starbus::test::spin(std::chrono::milliseconds(milliseconds));
    ++pulled;
  }
  void plough(int milliseconds) {
    starbus::test::spin(std::chrono::milliseconds(milliseconds));
    heard("plough");
  }
  entity::Root* properties() override { return &state; }
  OxState state;
  int pulled = 0;
  static inline std::function<void(std::string_view)> heard = [](std::string_view) {};
  static constexpr auto kSteps = entity::steps(entity::step<&Ox::plough>("plough"));
  static constexpr auto kRpc = rpc::methods("test_ox", rpc::method<&Ox::pull>("pull"));

 private:
  ~Ox() override = default;
  void on_final(entity::EndReason) override { heard("final"); }
};

}  // namespace starbus::nodes::entities
