/// The base of a game's class of spaces: a town, a dungeon, a match. Read this header first, then
/// space_host.hpp and docs/guide/spaces.md.
///
///   class Town final : public space::GameSpace {
///    public:
///     using GameSpace::GameSpace;
///    private:
///     void on_start(const std::string& setup, Done done) override { load(std::move(done)); }
///     void on_tick(const space::SpaceTick& tick) override { walk(tick.passed); }
///     void on_enter(entity::Entity& entity) override { greet(entity); }
///   };
///
/// The hooks, in their order:
///
///   on_start                           it has its name, and callers reach it; nobody is in it
///     on_enter                         after the hooks of the entity that enters
///     on_before_tick, on_tick, (who sees whom), on_after_tick, (clients are told)
///     on_warn                          it is about to end; nobody comes in any more
///     on_leave                         before the hooks of the entity that leaves
///   on_end                             no tick any more; whoever is in it still is
///     on_leave, then on_member_left    of each member
///
/// Each hook is a unit of its own: what it throws is logged and counted, and the space goes on; of
/// on_start it is a failed start. Everything belongs to the loop's thread. The host owns the space
/// and ends it: after on_end, when on_start has failed or takes too long, and without on_end when
/// the lease is lost. Entities are the EntityManager's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aoi/world.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/runtime/steps.hpp"
#include "nodes/space/messages.hpp"
#include "nodes/space/node/space_part.hpp"
#include "nodes/space/node/tick_line.hpp"
#include "nodes/space/sight/space_sight.hpp"

namespace starbus::nodes::space {

/// What a space needs of its host, which outlives it.
class SpaceHome {
 public:
  /// Where its members live.
  virtual entity::EntityManager& entities() = 0;
  /// As GameSpace::end_after.
  virtual Result<> end_after(const Life& life, std::chrono::milliseconds after) = 0;
  /// The seat of a player is free again.
  virtual void player_left(const Life& life) = 0;
  /// A player was left in a space that has ended, and its on_member_left has run: it lives, and is
  /// in no space.
  virtual void left_over(entity::Entity& entity, const SpaceName& from, const SpaceType& type) = 0;

 protected:
  ~SpaceHome() = default;
};

/// What a space is made with: the host gives it to the constructor, which hands it on.
struct SpaceInit {
  SpaceHome& home;
  SpaceName name;
  Life life{};
  SpaceType type;
  entity::OnlineId id = entity::OnlineId::none;
  aoi::World aoi;
};

/// One space, with its members, its area of interest and its hooks.
class GameSpace {
 public:
  explicit GameSpace(SpaceInit init);
  GameSpace(const GameSpace&) = delete;
  GameSpace& operator=(const GameSpace&) = delete;
  /// Members that are left stay where they are, in no space of this process.
  virtual ~GameSpace();

  const SpaceName& name() const { return name_; }
  const Life& life() const { return life_; }
  /// As it was when this space was ordered: a reload of the files changes later ones.
  const SpaceType& type() const { return type_; }
  /// By which entities are in it (Entity::space), from the counter of entities: never used twice.
  entity::OnlineId id() const { return id_; }
  /// With the area and the cells of its type. Members are in it, with the online id as their key.
  /// Those with a sight::Mover are moved by that one, players with a sight::Watcher have a sensor;
  /// other sensors and movement are the game's.
  aoi::World& aoi() { return aoi_; }
  /// What the clients of its players are told; docs/guide/sight.md.
  const sight::SpaceSight& sight() const { return sight_; }
  /// Of players whose clients move them; they may change at any time. At first: everywhere within
  /// the area of its type, and at any height if that has none.
  movement::MoveRules& move_rules() { return move_rules_; }
  /// What the program has added to the world of its entities; its endpoint and timers.
  entity::World& world() { return home_.entities().world(); }
  entity::EntityManager& entities() { return home_.entities(); }
  /// Timers that end with the space.
  entity::TimerOwner& timers() { return timers_; }

  /// Lets an entity in that is no player and needs no seat: a monster, a trap, a door. Its own
  /// hooks (on_enter_space) run, then on_enter. Errors: ends; those of EntityManager::enter_space,
  /// of add_component and of aoi::World::add: it is in no space then.
  Result<> enter(entity::Entity& entity, const aoi::Position& at);
  /// Takes a member out, player or not; it lives on in no space. False: it is none, or it is frozen
  /// and leaves when it has moved. Call this one, rather than EntityManager::leave_space: on_leave
  /// comes before the hooks of the entity then.
  bool leave(entity::Entity& entity);
  /// The match is over: nobody comes in from now on, on_warn follows, and the space ends after that
  /// time with whoever is there. ends: it is about to end already; bad_request: a time below 0 or
  /// above kLongestCountdown.
  Result<> end_after(std::chrono::milliseconds after) { return home_.end_after(life_, after); }

  /// The part of that class; null if its host adds none. From on_start on.
  template <class Part>
  Part* part() const {
    for (const auto& each : parts_) {
      if (auto* const found = dynamic_cast<Part*>(each.get())) return found;
    }
    return nullptr;
  }

  bool has(const entity::Entity& entity) const;
  /// Whether it came with a ticket; false also if it is no member.
  bool is_player(const entity::Entity& entity) const;
  /// Its id in aoi(); nullopt: it is no member.
  std::optional<aoi::EntityId> aoi_id(const entity::Entity& entity) const;
  /// Those that came with tickets, and the others.
  std::size_t players() const { return players_; }
  std::size_t others() const { return members_.size() - players_; }
  /// visit(entity::Entity&) for each, by online id. It may let others in and out; those that come
  /// meanwhile are left out, and so are those that have left.
  template <class Visit>
  void for_each_player(Visit visit) {
    for_each(true, visit);
  }
  template <class Visit>
  void for_each_other(Visit visit) {
    for_each(false, visit);
  }

 protected:
  /// The space has its channel; `setup` is what the request that began the place has given. Load,
  /// then call `done`; monsters may enter already, players may not. An error, an exception, or
  /// kSpaceStart is a failed start, whose text goes to those who wait.
  virtual void on_start(const std::string& setup, Done done);
  /// Once a tick: before movement, for it, and when aoi() has been brought up to date, so that
  /// aoi().each_event() has what came into sight and went out of it.
  virtual void on_before_tick(const SpaceTick&) {}
  virtual void on_tick(const SpaceTick&) {}
  virtual void on_after_tick(const SpaceTick&) {}
  /// It has entered: its own hooks have run, and aoi_id() is there.
  virtual void on_enter(entity::Entity&) {}
  /// It is about to leave, or has begun to end; aoi_id() is there still.
  virtual void on_leave(entity::Entity&) {}
  /// The space ends after this time: let players leave. Nobody can enter with a ticket any more.
  virtual void on_warn(std::chrono::milliseconds after);
  /// The space ends now: save, then call `done`, within kSpaceEnd. Members leave after that.
  virtual void on_end(Done done);
  /// How a player that enters watches: asked once, before all of its hooks. As given here: whom its
  /// type says (sight, leave_margin), the nearest kDefaultView of them, and no setup.
  virtual sight::WatchOptions watch_options(const entity::Entity& player);
  /// A player was left when the space ended: it lives on, in no space. If this begins no travel for
  /// it, Travels sends it to the place that the type names as `next`. Entities that are no players
  /// are destroyed instead.
  virtual void on_member_left(entity::Entity&) {}
  /// Where a player begins that comes without a position. By default the middle of the area.
  virtual aoi::Position entrance(const entity::Entity& entity) const;

 private:
  friend class RunningSpace;
  friend class Resident;
  friend class SpaceHost;
  struct Member {
    entity::Entity* entity = nullptr;  // which leaves before its end
    aoi::EntityId aoi;
    bool player = false;
    bool between = false;  // it enters or leaves: hooks run
  };
  /// for_now: as by_us, but a player keeps its seat, for whoever lets it in again or frees that.
  enum class Way : std::uint8_t { by_us, with_its_entity, for_now };

  /// Also for players, who have a seat. No position: at its entrance.
  Result<> take_in(entity::Entity& entity, const std::optional<aoi::Position>& at, bool player);
  Result<aoi::EntityId> give_place(entity::Entity& entity, const aoi::Position& at, bool player);
  /// False: it is no member.
  bool take_out(entity::Entity& entity, Way way);
  void forget(entity::OnlineId id);
  void add_parts(const std::vector<MakeSpacePart>& makers);
  /// One after the other, from that one on; then `done`.
  void start_parts(std::size_t from, const Done& done);
  void run_tick(const SpaceTick& tick);
  void update_aoi();
  /// Nobody enters any more.
  void close() { closed_ = true; }
  /// At most so many members leave; of those the players are handed to on_member_left. True: there
  /// are more.
  bool clear(std::size_t most, bool hand_over);
  /// Runs a hook. False: it threw, and `why` has the text.
  template <class Call>
  bool attempt(std::string_view hook, Call&& call, std::string* why = nullptr);
  void threw(std::string_view hook, std::string* why) const;

  template <class Visit>
  void for_each(bool players, Visit& visit) {
    std::vector<entity::OnlineId> ids;
    for (const auto& [id, member] : members_) {
      if (member.player == players && !member.between) ids.push_back(id);
    }
    for (const entity::OnlineId id : ids) {
      const auto found = members_.find(id);
      if (found != members_.end() && !found->second.between) visit(*found->second.entity);
    }
  }

  SpaceHome& home_;
  const SpaceName name_;
  const Life life_;
  const SpaceType type_;
  const entity::OnlineId id_;
  aoi::World aoi_;
  movement::MoveRules move_rules_;
  sight::SpaceSight sight_;
  bool closed_ = false;
  std::map<entity::OnlineId, Member> members_;
  std::size_t players_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner timers_;
  std::vector<std::unique_ptr<SpacePart>> parts_;
};

template <class Call>
bool GameSpace::attempt(std::string_view hook, Call&& call, std::string* why) {
  try {
    call();
    return true;
  } catch (...) {
    threw(hook, why);
    return false;
  }
}

}  // namespace starbus::nodes::space
