/// What one player's client has been told of the space around it, and what it is to be told next.
///
///   view.enters(event.target, subject);                         // events of the area of interest
///   view.leaves(event.target);
///   if (view.scene_due()) view.tell_scene(scene, body);         // then nothing until ready()
///   else if (view.make(store, place_of_the_player, body)) say(body);
///
/// **Order.** In one body: leaves, enters, news, moves. A client hears of an index by an enter
/// first, and of nothing after a leave.
/// **Newest.** Nothing is queued: a view knows which version and which move its client has, and
/// tells the difference to now. So one that is not asked for a long time has lost nothing.
/// **Scenes.** begin_scene() forgets what was told; what is in sight is told again under the next
/// number.
///
/// One per player, used by the loop of its space; sans-IO. Some 90 bytes per entity in sight and 40
/// in the schedule. Cannot fail, but for its options.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "aoi/types.hpp"
#include "nodes/space/movement/sight_schedule.hpp"
#include "nodes/space/sight/sight_wire.hpp"
#include "nodes/space/sight/subject.hpp"

namespace starbus::nodes::sight {

/// How a client is told of what its player sees.
struct ViewOptions {
  float fine = 15;                    ///< m: movers within are told in fine detail
  std::size_t budget = kSightBudget;  ///< bytes of a body, from kLeastBudget to kMostBudget
  /// Which movers come first, and how much more often near ones are told: at 30 m every third time.
  /// Those who stand take their turns, too, so the far must not be far behind them.
  movement::SightOptions schedule = {.base = 1, .per_metre = 0.05, .ahead = 4};
};
inline constexpr std::size_t kLeastBudget = 256;
inline constexpr std::size_t kMostBudget = 32'768;

class SightView {
 public:
  /// movement's bad_option: what options do not allow.
  static movement::MoveResult<SightView> create(const ViewOptions& options = {});

  // --- what is in sight ---

  /// A target has come in sight. False: there is no room for it (kMostSeen), and it is not known.
  /// Idempotent.
  bool enters(aoi::EntityId target, std::shared_ptr<Subject> subject);
  /// It has gone out of sight. Ignored if it is unknown.
  void leaves(aoi::EntityId target);
  bool knows(aoi::EntityId target) const { return places_.contains(target.value); }
  /// Entities in sight, or told and not yet told to have left.
  std::size_t size() const { return seen_.size() - free_.size(); }
  bool has_room() const { return size() < kMostSeen; }
  /// The player is in this space no more: nothing is in sight. A scene is due.
  void forget_all();

  // --- scenes ---

  /// The client knows nothing, or is to forget it: a scene is due, and all that is in sight after
  /// it.
  void begin_scene();
  bool scene_due() const { return scene_due_; }
  /// Sets its number, and appends a body with it alone. Once, if scene_due().
  void tell_scene(Scene& scene, bus::Bytes& out);
  /// The client has loaded the scene of that number. False: it is not the present one.
  bool ready(std::uint32_t number);
  /// It is told of what it sees.
  bool open() const { return open_; }
  /// Of the latest scene that was told; 0: none.
  std::uint32_t number() const { return number_; }
  /// The latest one that its client was told by another process.
  void go_on_from(std::uint32_t number) { number_ = number; }

  // --- what is told ---

  /// Appends the next body, and counts it as told. False: there is nothing to tell, and nothing is
  /// appended. `from` is where the player is.
  bool make(TickStore& store, const movement::Position& from, bus::Bytes& out);

 private:
  enum class State : std::uint8_t {
    free,
    wanted,   // in sight, not told
    told,     // in sight, and told
    leaving,  // told, and out of sight
    renewed,  // told, but too large by now: it leaves, and is wanted again
  };
  struct Seen {
    std::shared_ptr<Subject> subject;
    entity::Version version;   // of its properties, as told
    std::uint64_t moved = 0;   // Subject::moved() as told
    std::uint32_t target = 0;  // aoi::EntityId
    State state = State::free;
    Detail detail = Detail::coarse;  // as told
    bool in_wanted = false;          // it stands in wanted_
    bool in_leaving = false;         // and in leaving_
  };
  class Making;

  SightView(const ViewOptions& options, movement::SightSchedule schedule);
  Seen& at(std::uint16_t index) { return seen_[index - 1U]; }
  void want(std::uint16_t index);
  void goes(std::uint16_t index);
  void give_free(std::uint16_t index);
  void renew(std::uint16_t index);
  void schedule_if_moving(std::uint16_t index, float distance);

  ViewOptions options_;
  movement::SightSchedule schedule_;
  std::vector<Seen> seen_;  // by index - 1
  std::vector<std::uint16_t> free_;
  std::vector<std::uint16_t> wanted_;                               // some may not be it any more
  std::vector<std::uint16_t> leaving_;                              // likewise; in their order
  boost::unordered_flat_map<std::uint32_t, std::uint16_t> places_;  // by target
  std::size_t news_from_ = 0;  // the place in seen_ where the next look for news begins
  std::uint32_t number_ = 0;
  bool scene_due_ = true;
  bool scene_told_ = false;
  bool open_ = false;
};

}  // namespace starbus::nodes::sight
