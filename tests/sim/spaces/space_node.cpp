#include "tests/sim/spaces/space_node.hpp"

#include <limits>

namespace starbus::sim {

using nodes::entities::HostOptions;
namespace db = nodes::db;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kEvacuateTime{5'000};

}  // namespace

nodes::entities::DbSaverOptions checked_out(const bus::Bus& bus) {
  nodes::entities::DbSaverOptions how;
  how.checkout = [&bus](const std::string& type, const std::string& id) {
    return bus.epoch((type == "person" ? "account/" : "player/") + id).value;
  };
  return how;
}

SpaceNode::Program::Program(SpaceNode& node, boost::asio::io_context& loop)
    : GameProgram(node, loop),
      shelf(loop, node.scene_.documents),
      saver(shelf, checked_out(bus)),
      entities(endpoint, wheel, node.node(), node.entity_options(*this)),
      spaces(endpoint, wheel, entities.entities(), node.space_options()),
      travels(endpoint, wheel, entities, spaces, node.ways()) {
  around.times = node.scene_.times;
  shelf.on_change = [&oracle = node.scene_.oracle](const std::string& id, const db::Json& before,
                                                   const db::Json& now) {
    const auto had = saved_in(before);
    const auto has = saved_in(now);
    oracle.demand(!had || (has && has->gold >= had->gold && has->purse >= had->purse),
                  "what was saved of " + id + " is replaced by something older");
  };
  entities.world().add(around);
  entities.world().add<SpacesOracle>(node.scene_.oracle);
  entities.declare<Hero>(
      {.save_when = nodes::entities::SaveWhen::interval, .save_every = milliseconds(2'000)});
  for (const auto& [name, type] : node.scene_.types) spaces.declare<Field>(name);
}

HostOptions SpaceNode::entity_options(Program& made) {
  HostOptions how;
  how.draw = scene_.draw_id();
  how.cluster_clock = [this] { return machine_time(); };
  how.take_in = {"player/"};
  how.save = made.saver.store();
  how.load = made.saver.loader();
  how.notices.clear();
  how.tick = milliseconds(50);
  return how;
}

space::SpaceHostOptions SpaceNode::space_options() {
  space::SpaceHostOptions how;
  how.draw = scene_.draw_id();
  how.drain_warning = milliseconds(500);
  return how;
}

space::TravelOptions SpaceNode::ways() {
  space::TravelOptions how;
  how.evacuate_time = kEvacuateTime;
  how.evacuate_ask = milliseconds(2'000);
  return how;
}

SpaceNode::~SpaceNode() {
  if (up()) on_crash();
}

std::unique_ptr<GameProgram> SpaceNode::make(boost::asio::io_context& loop) {
  draining_ = false;
  return std::make_unique<Program>(*this, loop);
}

void SpaceNode::open(Opened opened) {
  mine().entities.open_entries(still([this, opened](const bus::Result<>& done) {
    if (!done) return opened(done);
    mine().spaces.open(opened);
  }));
}

void SpaceNode::lose() {
  on_the_way_ = std::numeric_limits<std::size_t>::max();  // it begins anew, and does not drain
  mine().entities.lose_all();
  mine().spaces.lose_all();
}

void SpaceNode::ends() {
  mine().entities.entities().for_each_here([this](entity::Entity& entity) {
    scene_.oracle.in_doubt(static_cast<Hero&>(entity).life_number());
  });
}

std::set<std::string> SpaceNode::players() {
  std::set<std::string> found;
  spaces().for_each([&](space::GameSpace& each) {
    each.for_each_player([&](entity::Entity& entity) { found.insert(entity.persistent_id()); });
  });
  return found;
}

void SpaceNode::check_newcomers() {
  if (!up() || !draining_) return;
  for (const std::string& player : players()) {
    if (!inside_.insert(player).second) continue;
    scene_.oracle.demand(on_the_way_ > 0, player + " comes to " + name() + ", which drains");
    --on_the_way_;
  }
}

/// What a drain promises: who was on the way here arrives, and is sent on; nobody else comes.
void SpaceNode::drain(Time pause) {
  draining_ = true;
  world_.note(name(), "drains");
  inside_ = players();
  on_the_way_ = spaces().expected();
  const auto over = [this, pause](const bus::Result<>&) {
    world_.note(name(), "has drained");
    after(from_ms(100), [this, pause] {
      crash();
      world_.timeline.after(pause, [this] { start(); });
    });
  };
  run([&] {
    mine().travels.drain([this, over, began = world_.now()](const bus::Result<>&) {
      const bool late = world_.now() - began >= kEvacuateTime;
      scene_.oracle.demand(late || (travels().size() == 0 && spaces().expected() == 0),
                           name() + " ends its drain while players are on their way");
      mine().spaces.drain([this, over](const bus::Result<>&) { mine().entities.drain(over); });
    });
  });
}

}  // namespace starbus::sim
