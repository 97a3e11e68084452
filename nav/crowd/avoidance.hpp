/// Avoidance: from where everybody wants to go to where everybody goes, without meeting each other
/// or walls. For nav/crowd alone; one thread. Owns its memory, and uses it again.
///
/// All velocities are computed from the state before the step, so that the order does not matter.
/// Where there is no velocity that avoids everybody, those who overlap are pushed apart; nobody is
/// pushed off the ground.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "nav/crowd/member.hpp"
#include "nav/crowd/neighbours.hpp"
#include "nav/crowd/options.hpp"

namespace starbus::nav::crowd {

class Avoidance {
 public:
  /// The ground must outlive it. Room for `options.walkers`.
  Avoidance(const Ground& ground, const CrowdOptions& options);

  /// Moves all members that are alive and on the ground for so many seconds, by their wishes.
  void step(std::span<Member> members, float seconds);
  /// Of the last step: walkers who found no velocity that avoids everybody.
  std::uint32_t crowded() const { return crowded_; }

 private:
  struct Near {
    std::array<std::uint32_t, kMaxNeighbours> bodies;
    std::uint32_t count = 0;
  };

  /// Two that may touch, by body, and what part of a push each takes.
  struct Contact {
    std::uint32_t one = 0;
    std::uint32_t other = 0;
    float reach = 0;  ///< m, that they keep
    float share = 0;
    float other_share = 0;
    bool walls = false;  ///< near one of them
  };

  void look_for_walls(Member& member) const;
  Vec choose(std::size_t body, Member& member, float seconds);
  void find_contacts(std::span<const Member> members);
  bool push_apart(std::span<Member> members);
  void land(Member& member, Vec& to) const;
  static void note_velocity(const Body& body, Member& member, Vec chosen, float seconds);

  const Ground& ground_;
  const CrowdOptions options_;
  Neighbours neighbours_;
  std::vector<Near> near_;  ///< by body, as all below
  std::vector<Vec> velocities_;
  std::vector<Vec> places_;
  std::vector<Contact> contacts_;
  std::uint32_t crowded_ = 0;
};

/// How much of the change is one's own, of two that meet. 0..1; those of both are 1 together, but
/// for passive ones, who do nothing.
float share_of(const Body& self, const Body& other);

}  // namespace starbus::nav::crowd
