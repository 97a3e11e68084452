/// Crowd: walkers over a ground, who find their ways, avoid each other, and say how each of their
/// errands has ended. Read this header first; nav/crowd/types.hpp has the values.
///
///   auto crowd = *Crowd::create(*ground, {});
///   const Place here = *ground->nearest({3, 4}, {2, 2, 2}, small);
///   const Place there = *ground->nearest({90, 12}, {2, 2, 2}, small);
///   const WalkerId wolf = *crowd->add({.agent = small}, here);
///   crowd->go_to(wolf, there, {.version = 7});
///   crowd->step(0.1F);             // again and again
///   crowd->take_reports(reports);  // wolf, 7, arrived: once
///
/// Every request that was accepted ends in exactly one report, with its version: by itself, or as
/// `cancelled` when another one, cancel, remove or teleport takes its place. Nothing that was found
/// for an old request moves anybody.
///
/// Not for several threads at once; several crowds may share a ground that nobody changes
/// meanwhile. The ground must outlive its crowds. What a crowd needs it takes when it is made, and
/// its searches when they begin; once warm it allocates nothing. The same calls, with the same
/// numbers, give the same bits on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nav/crowd/avoidance.hpp"
#include "nav/crowd/member.hpp"
#include "nav/crowd/options.hpp"
#include "nav/crowd/planner.hpp"
#include "nav/crowd/types.hpp"
#include "nav/ground.hpp"

namespace starbus::nav::crowd {

/// What a crowd has done, since it was made; what is marked so, in its last step.
struct CrowdCounts {
  std::uint64_t searches = 0;
  std::uint64_t nodes = 0;    ///< expanded by them
  std::uint64_t dropped = 0;  ///< searches that nobody wanted any more before their end
  std::uint32_t walkers = 0;  ///< now
  std::uint32_t waiting = 0;  ///< now: of them in queues for a search
  std::uint32_t crowded = 0;  ///< last step: no velocity avoided everybody
  std::uint64_t snapped = 0;  ///< walkers whose ground was gone, and who stand elsewhere now
};

class Crowd {
 public:
  /// bad_option, too_large.
  static Result<std::unique_ptr<Crowd>> create(const Ground& ground, const CrowdOptions& options);

  // -- Walkers

  /// Puts one there. bad_option, too_large, unknown_agent, bad_start, too_many.
  Result<WalkerId> add(const Walker& walker, const Place& at);
  /// Takes it away; those who are after it lose their target in the next step. unknown_walker;
  /// too_many if its end finds no room (kMaxReportsPerWalker).
  Result<void> remove(WalkerId id);
  /// Puts it elsewhere, which cancels its request. As remove; bad_start.
  Result<void> teleport(WalkerId id, const Place& to);
  /// Says where a passive one is now, and how fast, in m/s: before each step. unknown_walker;
  /// bad_option if it is not passive; bad_position, bad_start.
  Result<void> move(WalkerId id, const Place& to, Point velocity);

  // -- Requests. unknown_walker; bad_option for a distance, or a passive walker; too_many as
  // remove.

  /// Goes to a place, and stops within the distance. bad_goal if its kind cannot stand there.
  Result<void> go_to(WalkerId id, const Place& goal, const Request& request);
  /// Goes to a walker, wherever that goes, until it is within the distance.
  Result<void> approach(WalkerId id, WalkerId target, const Request& request);
  /// The same, and goes on when the target does: as soon as it is farther away than the distance
  /// and both radii. It ends only if the target is lost or out of reach, or by cancel.
  Result<void> follow(WalkerId id, WalkerId target, const Request& request);
  /// Ends its request; true if there was one. A request that has ended before stays as it ended.
  Result<bool> cancel(WalkerId id);

  // -- Time

  /// Lets so many seconds pass: above 0; more than kMaxStep count as so much. bad_option.
  Result<void> step(float seconds);
  /// What has ended since the last call, in the order in which it did; `out` is overwritten, and
  /// its memory used again.
  void take_reports(std::vector<Report>& out);

  // -- What there is

  /// nullptr-free view of one walker. unknown_walker.
  Result<WalkerState> state(WalkerId id) const;
  /// Whose places have changed in the last step, in the order of slots.
  std::span<const WalkerId> moved() const { return moved_; }
  /// The corners that it still goes to, nearest first, as far as they are kept; empty if it has no
  /// way, or sees its target. Until the next call. unknown_walker.
  Result<std::span<const Point>> corners(WalkerId id) const;
  CrowdCounts counts() const;
  const Ground& ground() const { return ground_; }

 private:
  Crowd(const Ground& ground, const CrowdOptions& options);

  Member* find(WalkerId id);
  const Member* find(WalkerId id) const;
  WalkerId id_of(std::uint32_t slot) const { return {slot + 1, members_[slot].generation}; }
  std::uint32_t slot_of(const Member& member) const {
    return static_cast<std::uint32_t>(&member - members_.data());
  }
  bool may_stand(const Place& place, AgentId agent) const;
  Result<Member*> accept(WalkerId id, const Request& request);
  Result<void> chase(WalkerId id, WalkerId target, const Request& request, Task task);

  // Ends: crowd.cpp
  bool room_for_a_call() const;
  void forget(Member& member);
  void finish(Member& member, End end, bool stuck = false);
  void report(Member& member);

  int parts_of(float seconds) const;

  // What to do: pursuit.cpp
  void check_ground();
  void pursue(Member& member);
  bool waits(Member& member, const Member& target, float distance);
  bool goes_straight(Member& member, const Member& target, float distance);
  bool reached(const Member& member, Point goal, float distance) const;
  void settle(Member& member);
  void settle_end(Member& member);
  void check_progress(Member& member);
  void plan();
  void start_search(std::uint32_t slot);
  Result<Place> aim(const Member& member) const;
  bool snap(Member& member);
  void take_way(Member& member, const Planner::Done& done);
  void want(Member& member, bool late);
  float stop_distance(const Member& member, const Member& target) const;

  // Where to go: steering.cpp
  void steer(Member& member, float seconds);
  Vec along_corridor(Member& member, float seconds);
  bool sees(const Member& member, Point to) const;
  void begin_link(Member& member);
  void cross(Member& member, float seconds);

  const Ground& ground_;
  const CrowdOptions options_;
  std::vector<Member> members_;      ///< by slot; never more than there is memory for
  std::vector<std::uint32_t> free_;  ///< slots, the last one first
  Planner planner_;
  Avoidance avoidance_;
  std::vector<Report> reports_;
  std::vector<WalkerId> moved_;
  std::int64_t now_ = 0;  ///< us since the crowd was made
  std::uint64_t ground_version_ = 0;
  std::uint64_t snapped_ = 0;
};

}  // namespace starbus::nav::crowd
