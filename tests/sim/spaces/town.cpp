#include "tests/sim/spaces/town.hpp"

#include <algorithm>
#include <cmath>

#include "nodes/space/registry/limits.hpp"

namespace starbus::sim {

using std::chrono::milliseconds;

namespace {

space::SpaceType type_of(const std::string& name, std::uint32_t capacity, std::uint32_t lines) {
  space::SpaceType type;
  type.name = name;
  type.capacity = capacity;
  type.soft_capacity = capacity;
  type.max_lines = lines;
  type.idle = milliseconds(4'000);
  type.countdown = milliseconds(500);
  type.max = {200, 200, 0};
  type.sight = type.cell = 30;
  type.leave_margin = 5;
  type.ticks_per_second = 10;
  type.weight = 50;
  return type;
}

// A message to the service and its order to the node, and the next announcement.
constexpr Time kSeatGoesBack = from_ms(5'000);
static_assert(kSeatGoesBack < space::kTicketHold);

double distance(const aoi::Position& a, const aoi::Position& b) {
  return std::hypot(static_cast<double>(a.x) - b.x, static_cast<double>(a.y) - b.y);
}

}  // namespace

Town::Town(World& world, std::size_t players) : scene(world) {
  scene.types["field"] = type_of("field", 3, 4);
  scene.types["field"].next = "town";
  scene.types["town"] = type_of("town", 4, 3);
  scene.types["cave"] = type_of("cave", 2, 1);
  scene.types["cave"].scope = space::Scope::key;
  scene.times.link_dead = milliseconds(15'000);
  scene.times.first_client = milliseconds(20'000);
  scene.times.idle = milliseconds(30'000);
  scene.oracle.note = [&world](const std::string& what) { world.note("oracle:", what); };
  scene.home = [this] {
    std::vector<std::string> ready;
    for (const auto& node : spaces) {
      if (node->ready() && !node->draining()) ready.push_back(node->process());
    }
    return ready.empty() ? std::string() : scene.world.random.pick(ready);
  };
  auto& hosts = world.hosts();
  office = std::make_unique<OfficeNode>(scene, *hosts[2], "office");
  desk = std::make_unique<DeskNode>(scene, *hosts[1], "desk");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    spaces.push_back(std::make_unique<SpaceNode>(scene, *hosts[i], "s" + std::to_string(i + 1)));
  }
  std::vector<GateNode*> all;
  for (std::size_t i = 0; i < 2; ++i) {
    gates.push_back(
        std::make_unique<GateNode>(scene, *hosts[i], "g" + std::to_string(i + 1), *desk));
    all.push_back(gates.back().get());
  }
  for (std::size_t i = 0; i < players; ++i) {
    clients.push_back(std::make_unique<PlayerClient>(scene, "p" + std::to_string(i), all));
  }
}

std::vector<GameNode*> Town::nodes() {
  std::vector<GameNode*> all{office.get(), desk.get()};
  for (const auto& each : spaces) all.push_back(each.get());
  for (const auto& each : gates) all.push_back(each.get());
  return all;
}

bool Town::ready() {
  return std::ranges::all_of(nodes(), [](const GameNode* node) { return node->ready(); });
}

SpaceNode* Town::place_of(const std::string& hero) {
  for (const auto& node : spaces) {
    if (node->acts() && node->find(hero) != nullptr) return node.get();
  }
  return nullptr;
}

// --- at every instant ----------------------------------------------------------------------------

void Town::check() {
  scene.world.check_step();
  check_places();
  check_spaces();
  if (!scene.oracle.violation().empty()) throw Violation(scene.oracle.violation());
}

void Town::check_places() {
  for (const auto& client : clients) {
    std::string places;
    int count = 0;
    for (const auto& node : spaces) {
      if (!node->acts() || node->find(client->hero()) == nullptr) continue;
      ++count;
      places += " " + node->name();
    }
    scene.oracle.demand(count <= 1, client->hero() + " acts at" + places);
  }
}

/// No space has more players than it may; and one that moves away is in its space until it lives
/// elsewhere: others see it stand.
void Town::check_spaces() {
  for (const auto& node : spaces) {
    if (!node->up()) continue;
    node->check_newcomers();
    node->spaces().for_each([&](space::GameSpace& each) {
      scene.oracle.demand(each.players() <= each.type().capacity,
                          to_string(each.name()) + " has too many players");
    });
    node->entities().entities().for_each_here([&](entity::Entity& entity) {
      if (entity.life() != entity::EntityState::frozen) return;
      const space::GameSpace* const in = node->spaces().find(entity.space());
      if (in == nullptr) return;
      const auto id = in->aoi_id(entity);
      scene.oracle.demand(id.has_value(), entity.persistent_id() + " is frozen, and not seen in " +
                                              to_string(in->name()));
    });
  }
}

bool Town::seats_are_wanted() {
  return std::ranges::any_of(spaces, [](const auto& node) {
    return !node->ready() || node->draining() || node->travels().size() != 0 ||
           node->spaces().expected() != 0;
  });
}

void Town::check_seats() {
  const space::Registry* const registry = office->registry();
  if (registry == nullptr || registry->rebuilding() || seats_are_wanted()) {
    return seats_kept_.reset();
  }
  std::string kept;
  for (const space::LineView& line : registry->spaces()) {
    const auto node = std::ranges::find(spaces, line.node, &SpaceNode::process);
    const space::GameSpace* const there =
        node == spaces.end() ? nullptr : (*node)->spaces().find(line.space);
    if (there != nullptr && line.taken > there->players()) kept = to_string(line.space);
  }
  if (kept.empty()) return seats_kept_.reset();
  if (!seats_kept_) seats_kept_ = scene.world.now();
  scene.oracle.demand(scene.world.now() - *seats_kept_ < kSeatGoesBack,
                      kept + " keeps a seat that nobody takes");
}

// --- at rest -------------------------------------------------------------------------------------

std::string Town::unrest() {
  if (std::string open = unrest_of_nodes(); !open.empty()) return open;
  for (const auto& client : clients) {
    if (std::string open = unrest_of(*client); !open.empty()) return open;
  }
  if (std::string open = unrest_of_seats(); !open.empty()) return open;
  std::set<SpacesOracle::Life> living;
  std::set<std::string> senders;
  for (const GameNode* node : nodes()) senders.insert(node->life());
  for (const auto& client : clients) {
    living.insert(place_of(client->hero())->find(client->hero())->life_number());
  }
  const std::string lost = scene.oracle.lost(living);
  scene.oracle.demand(lost.empty(), lost + " is lost");
  return scene.oracle.open(living, senders);
}

std::string Town::unrest_of_nodes() {
  for (GameNode* node : nodes()) {
    if (!node->ready()) return node->name() + " to be ready";
  }
  for (const auto& node : gates) {
    if (node->draining()) return node->name() + " to start again";
    if (node->lets_in()) return "logins at " + node->name();
  }
  for (const auto& node : spaces) {
    if (node->draining()) return node->name() + " to start again";
    if (node->travels().size() != 0) return "travels at " + node->name();
    if (node->spaces().expected() != 0) return "seats that are claimed at " + node->name();
  }
  const space::Registry* const registry = office->registry();
  if (registry == nullptr || registry->rebuilding()) return "the service of spaces";
  return {};
}

/// What the service counts is what there is, no seat is lost, and no space stays for nobody.
std::string Town::unrest_of_seats() {
  std::size_t lines = 0;
  for (const space::LineView& line : office->registry()->spaces()) {
    ++lines;
    const std::string name = to_string(line.space);
    const auto node = std::ranges::find(spaces, line.node, &SpaceNode::process);
    if (node == spaces.end()) return name + " to be somewhere";
    const space::GameSpace* const there = (*node)->spaces().find(line.space);
    if (there == nullptr) return name + " to run at " + line.node;
    if (line.taken != there->players()) {
      return name + ": " + std::to_string(line.taken) + " seats are taken, and " +
             std::to_string(there->players()) + " players are there";
    }
    if (line.taken == 0) return name + ", which is empty, to end";
  }
  for (const auto& node : spaces) {
    if (node->spaces().size() > lines) return "the service to know all spaces";
    lines -= node->spaces().size();
  }
  return {};
}

std::string Town::unrest_of(PlayerClient& client) {
  if (!client.plays()) return client.describe() + " to play";
  if (!client.idle()) return "requests of " + client.describe();
  SpaceNode* const at = place_of(client.hero());
  if (at == nullptr) return client.hero() + " to be somewhere";
  Hero& hero = *at->find(client.hero());
  space::GameSpace* const in = at->spaces().find(hero.space());
  if (in == nullptr || !in->has(hero)) return client.hero() + " to be in a space";
  if (hero.questions() != 0) return "a question of " + client.hero();
  const HeroState* const state = client.state();
  if (state == nullptr || state->gold.get() != hero.state.gold.get() ||
      state->purse.get() != hero.state.purse.get() ||
      state->paces.get() != hero.state.paces.get()) {
    return client.describe() + " to have the properties of its hero";
  }
  return unrest_of_sight(client, *at, hero, *in);
}

/// The client has the scene of its space, with those who are in range, as they are.
std::string Town::unrest_of_sight(const PlayerClient& client, SpaceNode& at, Hero& hero,
                                  space::GameSpace& in) {
  const std::string name = to_string(in.name());
  const game::Scene* const scene_there = client.scene();
  if (client.sight().space() != name || scene_there == nullptr || scene_there->space != name) {
    return client.describe() + " to see " + name;
  }
  const auto place = *in.aoi().position(*in.aoi_id(hero));
  std::size_t seen = 0;
  std::string open;
  at.entities().entities().for_each<Hero>([&](Hero& other) {
    if (&other == &hero || other.space() != hero.space()) return;
    const double far = distance(place, *in.aoi().position(*in.aoi_id(other)));
    const SightCopy::Seen* const copy = client.sight().find(other.online_id());
    if (copy != nullptr) ++seen;
    if (copy == nullptr && far < in.type().sight) {
      open = client.describe() + " to see " + other.persistent_id();
    } else if (copy != nullptr && far > in.type().sight + in.type().leave_margin) {
      open = client.describe() + " not to see " + other.persistent_id();
    } else if (copy != nullptr && (copy->state.gold.get() != other.state.gold.get() ||
                                   copy->state.paces.get() != other.state.paces.get())) {
      open = client.describe() + " to see " + other.persistent_id() + " as it is";
    }
  });
  if (open.empty() && seen != client.sight().seen().size()) {
    open = client.describe() + " to forget who is not there";
  }
  return open;
}

}  // namespace starbus::sim
