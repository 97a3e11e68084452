/// What the test of crowds at a node runs as processes of their own: nodes with pastures, in which
/// a sheep goes where it is told.
#pragma once

#include <cstdint>
#include <string>

#include "entity/properties/properties.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/space/nav/space_nav.hpp"
#include "nodes/space/node/space_app.hpp"

namespace starbus::cluster_test {

struct SheepState : entity::Properties<SheepState> {
  STARBUS_FIELDS(entity::StateOf<nodes::crowds::ActorNav> actor_nav{this};)
};
class Sheep final
    : public entity::EntityOf<Sheep, entity::Entity,
                              entity::Components<nodes::sight::Mover, nodes::crowds::ActorNav>> {
 public:
  nodes::crowds::ActorNav& nav() { return *component<nodes::crowds::ActorNav>(); }
  float x() { return component<nodes::sight::Mover>()->state().position.x; }
  SheepState state;
};

/// Where the sheep is, and how its errands have ended.
struct SheepView {
  float x = 0;
  std::uint32_t version = 0;
  std::vector<std::string> ends;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, version, ends);
  }
};

class Pasture final : public nodes::space::GameSpace, public entity::rpc::Callable<Pasture> {
 public:
  using GameSpace::GameSpace;
  ~Pasture() override { close_rpc(); }

  /// A new sheep at (2, 2) goes to (x, 2).
  Result<std::uint32_t> walk(entity::rpc::Caller&, float x) {
    auto made = entities().create<Sheep>();
    if (!made) return Error(made.error());
    sheep_ = *made;
    static_cast<void>(sheep_->nav().ends().add(
        [this](const nodes::crowds::NavEnd& end) { ends_.emplace_back(name_of(end.outcome)); }));
    if (const auto there = enter(*sheep_, {2, 2, 0}); !there) return there.error();
    return sheep_->nav().go_to({x, 2, 0});
  }
  SheepView look(entity::rpc::Caller&) {
    if (sheep_ == nullptr) return {};
    return {sheep_->x(), sheep_->nav().version(), ends_};
  }
  static constexpr auto kRpc = entity::rpc::methods<&Pasture::walk, &Pasture::look>("test_pasture");

 private:
  Sheep* sheep_ = nullptr;
  std::vector<std::string> ends_;
};

}  // namespace starbus::cluster_test
