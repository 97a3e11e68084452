/// Flock: thousands of units of a grid that go to few goals. Each group has a flow field, which its
/// units look up, and keeps together: units keep apart, take the direction of those around, and
/// stay near them. Nobody searches a way, and none can leave the ground.
///
///   FlowField field;
///   field.build(*ground->layer(agent), goal_cell);
///   auto flock = *Flock::create(*ground, agent, {});
///   const GroupId group = *flock->add_group(field, ground->place(goal_cell));
///   for (...) flock->add(group, place);
///   while (flock->group(group)->arrived < flock->group(group)->units) flock->step(0.1F);
///
/// What moves a unit: the field's direction; away from those nearer than the range, the more so the
/// nearer they are; the mean velocity, and the middle, of those of its group within the range
/// (Reynolds 1987, "Flocks, herds, and schools"); and away from walls that it touches, which counts
/// for more than all of these together. Who is around is looked at in every second step.
///
/// One thread at a time. The ground and the fields must outlive it, and fields may not be built
/// while it steps. Memory is taken when it is made; after that it allocates nothing. The same calls
/// give the same bits on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nav/crowd/limits.hpp"
#include "nav/crowd/vec.hpp"
#include "nav/grid/flow_field.hpp"
#include "nav/grid/grid_ground.hpp"

namespace starbus::nav::crowd {

/// A unit; as WalkerId.
struct UnitId {
  std::uint32_t slot = 0;  ///< from 1; 0 names none
  std::uint32_t generation = 0;
  friend constexpr auto operator<=>(const UnitId&, const UnitId&) = default;
};

/// A group of units: from Flock::add_group.
struct GroupId {
  std::uint32_t value = 0;  ///< from 1; 0 names none
  friend constexpr auto operator<=>(const GroupId&, const GroupId&) = default;
};

/// How the units of a flock are, and what counts for how much.
struct FlockOptions {
  std::uint32_t units = 16'384;  ///< at most; 1..kMaxUnits
  float radius = 0.4F;           ///< m, of a unit
  float speed = 3;               ///< m/s
  float acceleration = 10;       ///< m/s2
  float range = 1.25F;           ///< m; who is nearer counts as around
  float separation = 1;          ///< parts of the speed, away from one that is in the same place
  float alignment = 0.2F;        ///< of the difference to the mean velocity
  float cohesion = 0.1F;         ///< 1/s, of the way to the middle
};

/// A group as it is now.
struct GroupState {
  std::uint32_t units = 0;
  std::uint32_t arrived = 0;  ///< of them: within `radius` of the goal, where they have stopped
  std::uint32_t strays = 0;   ///< of them: where the field does not lead anywhere
  float radius = 0;           ///< m; a disc with room for all of them
  bool old_field = false;     ///< the ground has changed since it was built: build it again
};

/// A unit as it is now.
struct UnitState {
  Place place;
  Point velocity;  ///< m/s
  GroupId group;
  bool arrived = false;
};

class Flock {
 public:
  /// bad_option, too_large, unknown_agent.
  static Result<std::unique_ptr<Flock>> create(const grid::GridGround& ground, AgentId agent,
                                               const FlockOptions& options);

  /// A group that follows a field to a goal. bad_option for a field that was not built, or of
  /// another grid; bad_goal, too_many.
  Result<GroupId> add_group(const grid::FlowField& field, const Place& goal);
  /// Sends it elsewhere: those who had arrived go on. As add_group; unknown_walker.
  Result<void> send(GroupId group, const grid::FlowField& field, const Place& goal);
  /// Puts a unit there. unknown_walker for the group; bad_start, too_many.
  Result<UnitId> add(GroupId group, const Place& at);
  /// unknown_walker.
  Result<void> remove(UnitId id);

  /// Lets so many seconds pass; as Crowd::step. A unit goes at most one cell in a step. bad_option.
  Result<void> step(float seconds);

  /// unknown_walker.
  Result<UnitState> unit(UnitId id) const;
  /// unknown_walker.
  Result<GroupState> group(GroupId id) const;

 private:
  struct Unit {
    Vec at;  ///< in m from the grid's origin
    Vec velocity;
    std::uint32_t slot = 0;
    std::uint32_t group = 0;
    grid::Cell cell;
    bool arrived = false;
  };
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t unit = 0;  ///< where it is in units_
    bool alive = false;
  };
  struct Group {
    const grid::FlowField* field = nullptr;
    grid::Cell goal_cell;
    Vec goal;  ///< in m from the grid's origin
    std::uint32_t units = 0;
    std::uint32_t arrived = 0;
    std::uint32_t strays = 0;
    float radius = 0;
  };
  /// Of those around a unit.
  struct Around {
    Vec apart;
    Vec velocities;
    Vec offsets;
    float count = 0;  ///< of its group
  };

  Flock(const grid::GridGround& ground, const grid::Layer& layer, AgentId agent,
        const FlockOptions& options);

  Result<void> check(const grid::FlowField& field, const Place& goal) const;
  const Slot* find(UnitId id) const;
  Vec within(const Place& place) const;
  grid::Cell cell_of(Vec at) const;
  void check_ground();
  void sort();
  void look_around();
  void meet(std::uint32_t one, std::uint32_t first, std::uint32_t last);
  Vec along_field(const Unit& unit, Group& group) const;
  Vec to_field(const Unit& unit, Group& group) const;
  Vec off_walls(const Unit& unit) const;
  void move(Unit& unit, Vec to) const;

  const grid::GridGround& ground_;
  const grid::Layer& layer_;
  const AgentId agent_;
  const FlockOptions options_;
  float size_ = 1;       ///< m, of a cell
  float per_metre_ = 1;  ///< cells
  Vec origin_;
  std::uint64_t layer_version_ = 0;
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  bool looked_ = false;  ///< around, in the last step
  // In the order of bins of the torus; see sort().
  std::vector<Unit> units_;
  std::vector<Unit> sorted_;
  std::vector<Around> around_;
  std::vector<std::uint32_t> bins_;
  std::vector<std::uint32_t> starts_;
  std::uint32_t bits_ = 0;
};

}  // namespace starbus::nav::crowd
