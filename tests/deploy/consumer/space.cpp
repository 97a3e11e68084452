// A node that runs spaces, from the installed package. Alone it cannot be ready: it says its
// schema.
#include "entity/entities.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/space/node/space_app.hpp"
#include "nodes/space/scene/scene_director.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/watcher.hpp"

namespace entity = starbus::entity;
namespace nodes = starbus::nodes;
namespace sight = starbus::nodes::sight;
namespace space = starbus::nodes::space;

struct HeroState : entity::Properties<HeroState> {
  STARBUS_FIELDS(Field<std::string, all_clients | save> name{*this};)
};
class Hero final : public entity::EntityOf<Hero, entity::Entity,
                                           entity::Components<sight::Mover, sight::Watcher>> {
 public:
  HeroState state;
};

class Town final : public space::GameSpace, private space::SceneGame {
 public:
  explicit Town(space::SpaceInit init) : GameSpace(std::move(init)) {}

 private:
  void on_tick(const space::SpaceTick& tick) override { scene_.tick(tick); }
  entity::Entity* make(const space::SpawnRow&) override { return nullptr; }
  space::SceneDirector scene_{*this, *this, {}};
};

int main(int argc, char** argv) {
  auto app = std::make_unique<space::SpaceApp>();
  app->declare<Town>("town");
  app->entity<Hero>();
  return nodes::run_node({.role = "space", .version = "1.0"}, std::move(app), argc, argv);
}
