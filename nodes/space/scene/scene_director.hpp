/// Plays a scene in a space: makes what is spawned, notices who comes into traps and portals, and
/// leads the quests. Read scene_data.hpp and docs/guide/scenes.md first.
///
///   class Forest final : public space::GameSpace, private space::SceneGame {
///     void on_start(const std::string&, Done done) override { done(scene_.begin()); }
///     void on_tick(const space::SpaceTick& tick) override { scene_.tick(tick); }
///     void on_after_tick(const space::SpaceTick&) override { scene_.after_tick(); }
///     void on_leave(entity::Entity& entity) override { scene_.left(entity); }
///     void on_end(Done done) override { scene_.end(); done({}); }
///     entity::Entity* make(const space::SpawnRow& row) override { ... }
///     space::SceneDirector scene_{*this, *this, data};
///   };
///
/// Traps and portals are sensors of the space's area of interest, so they notice who is there after
/// each tick. Belongs to the loop's thread, and is a member of its space. What hooks throw leaves
/// the call, and is the space's, as of its own hooks.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "nodes/space/node/space.hpp"
#include "nodes/space/scene/quest_flow.hpp"
#include "nodes/space/scene/scene_data.hpp"
#include "nodes/space/scene/spawn_table.hpp"

namespace starbus::nodes::space {

/// What a game does in its scenes.
class SceneGame {
 public:
  /// Makes an entity of this kind, which enters the space then. Null: it cannot be made now; it is
  /// tried again later.
  virtual entity::Entity* make(const SpawnRow& row) = 0;
  /// It came into the trap, or has left it, or the space.
  virtual void on_trap(const TrapRow&, entity::Entity&, bool inside) { static_cast<void>(inside); }
  /// A player came into the portal: send it there. Where players arrive there is to be no portal.
  virtual void on_portal(const PortalRow&, entity::Entity& player) { static_cast<void>(player); }
  /// This quest waits from now on; 0: none does.
  virtual void on_quest(std::uint32_t id) { static_cast<void>(id); }

 protected:
  ~SceneGame() = default;
};

class SceneDirector {
 public:
  /// `game` outlives it. `seed` decides where entities are spawned around their points.
  SceneDirector(GameSpace& space, SceneGame& game, SceneData scene, std::uint64_t seed = 0);
  SceneDirector(const SceneDirector&) = delete;
  SceneDirector& operator=(const SceneDirector&) = delete;

  /// In on_start: traps and portals are there. The first tick begins quests and spawns. Errors:
  /// those of aoi::World::add_trigger.
  Result<> begin();
  /// In on_tick: makes what is due, at most kBirthsPerTick, and ends quests whose time is over.
  void tick(const SpaceTick& tick);
  /// In on_after_tick: tells of traps and portals.
  void after_tick();
  /// In on_leave, of everybody.
  void left(entity::Entity& entity);
  /// In on_end: nothing is made any more, and no quest is active.
  void end();

  // --- what the game tells ---

  /// An entity of the scene was killed: what it leaves by is the game's.
  void killed(entity::Entity& entity);
  /// For quests that wait for events.
  void event(std::string_view name) { flow_.event(name, now_); }
  /// Another quest, whatever the present one waits for.
  void change_to(std::uint32_t quest) { flow_.change_to(quest, now_); }

  const QuestFlow& flow() const { return flow_; }
  const SpawnTable& spawns() const { return spawns_; }
  /// The row that it was made from; 0: it was not made here, or has left.
  std::uint32_t row_of(const entity::Entity& entity) const;
  /// Those in a trap.
  std::size_t inside(std::uint32_t trap) const;

 private:
  struct Noticed {
    bool portal = false;
    std::size_t index = 0;  // of the row
    entity::OnlineId who{};
    bool inside = false;
  };
  struct Trap {
    std::set<entity::OnlineId> inside;
    bool used = false;  // `once`, and somebody came
  };
  Result<> watch(const aoi::Position& at, float radius, bool portal, std::size_t index);
  void trap_noticed(const Noticed& noticed);
  void leave_trap(std::size_t index, entity::OnlineId who);
  bool wanted(const TrapRow& row, const entity::Entity& entity) const;
  void make(const SpawnTable::Birth& birth);

  GameSpace& space_;
  SceneGame& game_;
  const std::vector<TrapRow> trap_rows_;
  const std::vector<PortalRow> portals_;
  QuestFlow flow_;
  SpawnTable spawns_;
  std::vector<Trap> traps_;  // as their rows
  std::deque<Noticed> noticed_;
  std::map<entity::OnlineId, std::uint32_t> made_;  // by its row
  QuestFlow::Time now_{};
  bool begun_ = false;
};

}  // namespace starbus::nodes::space
