/// The crowd of one space: a part of it, which its host adds if its type has a [space.nav].
///
/// Once a tick it applies what its crowd has answered, and sends what is new since: one batch at a
/// time, one answer for it, at most so often as the type says. When the crowd is lost, with its
/// node or by a failure, it makes another one and asks it everything again, from the properties of
/// its walkers.
///
/// Belongs to the loop's thread and to its space; the port outlives it. Owns a slot for each
/// ActorNav, and for each NavObstacle, in the space. Failures end commands, or are logged; a map
/// that cannot be loaded fails the start of the space.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "nodes/nav/crowd_port.hpp"
#include "nodes/space/nav/actor_nav.hpp"
#include "nodes/space/nav/shown_ways.hpp"
#include "nodes/space/nav/space_obstacles.hpp"
#include "nodes/space/node/space_part.hpp"
#include "nodes/space/types/nav_type.hpp"

namespace starbus::nodes::crowds {

/// Since the space began.
struct SpaceNavCounts {
  std::uint64_t batches = 0;
  std::uint64_t answers = 0;
  std::uint64_t held = 0;   ///< batches that had to wait: the workers had no room
  std::uint64_t lost = 0;   ///< crowds
  std::uint64_t moves = 0;  ///< that have placed somebody
  std::uint64_t stale = 0;  ///< what was said of an older version, or of somebody who has left
  std::uint64_t ends = 0;   ///< of commands, by themselves
  std::uint64_t full = 0;   ///< who came when all walkers were there
};

class SpaceNav final : public space::SpacePart {
 public:
  /// `where`: of the space, for logs.
  SpaceNav(CrowdPort& port, space::NavType type, std::string where);
  ~SpaceNav() override;

  void start(Done done) override;
  void tick(const space::SpaceTick& tick) override;
  void enters(entity::Entity& entity) override;
  void leaves(entity::Entity& entity) override;
  /// Adds "nav": what a walker is asked, and its way, as of a moment ago. Ways are asked of the
  /// crowd while somebody looks, so the first one who does sees none.
  void show(const entity::Entity& entity, nlohmann::json& row) override;

  /// A crowd takes batches.
  bool there() const { return static_cast<bool>(crowd_); }
  std::size_t walkers() const { return slot_of_.size(); }
  const SpaceNavCounts& counts() const { return counts_; }

 private:
  friend class ActorNav;
  struct Slot {
    ActorNav* actor = nullptr;     // null: nobody has it
    std::uint32_t generation = 0;  // of the latest one that had it
    std::uint32_t sent = 0;        // generation that the crowd knows; 0: none
    bool dirty = false;            // stands in dirty_
    bool teleport = false;
    bool frozen = false;                // a move of it is under way
    bool command = false;               // it is to be asked something, or nothing any more
    bool queued = false;                // stands in commands_
    movement::Position pushed;          // of a passive one
    std::chrono::nanoseconds add_at{};  // not shown to the crowd before
  };

  // Of ActorNav.
  void commanded(ActorNav& actor);
  void placed(ActorNav& actor);
  void comes_anew(ActorNav& actor);
  bool is_there(const ActorNav& actor) const;

  Slot& slot(const ActorNav& actor) { return slots_[actor.slot_ - 1]; }
  void mark(std::uint32_t slot);
  void want_command(std::uint32_t slot);
  ActorNav* find(const WalkerName& name, std::uint32_t version);
  std::uint32_t kind_of(const ActorNav& actor) const;

  void create();
  void made(const Result<CrowdId>& crowd);
  void answered(std::uint64_t number, Result<Answer> answer);
  void lose(const Error& why);
  void hold();
  void note_changes();
  void note_frozen(std::uint32_t slot);
  void apply(const Answer& answer);
  void apply(const Moved& moved);
  void apply(const Refused& refused);
  void send();
  void show(std::uint32_t slot, Batch& batch);
  void command(std::uint32_t slot, Batch& batch);
  void push_passive(Batch& batch);

  CrowdPort& port_;
  const space::NavType type_;
  const std::string where_;
  std::vector<Slot> slots_;  // by slot - 1
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> dirty_;     // to be shown, in order
  std::vector<std::uint32_t> commands_;  // to be asked, in order
  std::map<entity::OnlineId, std::uint32_t> slot_of_;
  SpaceObstacles obstacles_;
  ShownWays ways_;
  CrowdId crowd_;
  bool creating_ = false;
  bool started_ = false;
  bool under_way_ = false;
  bool lost_told_ = false;    // in the log, until there is one again
  std::uint64_t number_ = 0;  // of the latest batch
  std::optional<Answer> answer_;
  std::vector<Request> sent_;  // of the latest batch, until it is answered
  std::vector<Request> held_;  // of one that was not taken: they go first
  std::chrono::nanoseconds sent_passed_{};
  std::chrono::nanoseconds now_{};     // of the space
  std::chrono::nanoseconds passed_{};  // since the latest batch
  std::chrono::nanoseconds again_at_{};
  Done started_done_;
  SpaceNavCounts counts_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::crowds
