#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "bus/core/routers/links.hpp"
#include "bus/io/limits.hpp"

namespace starbus::daemon {

/// Whose bundles a daemon reads next: the time of its loop is shared by the users of the host,
/// however many links each has. A user that has lately used less than kLoopFree is served at once;
/// the links of one that has used more wait, and get turns while the loop has nothing else to do
/// first, those of the user with least before the others. A turn ends after kLoopTurn. Where all
/// links are of one user, nothing waits.
///
/// A plain value with a clock from outside; the loop's thread. Knows links by number only.
class LinkTurns {
 public:
  using Clock = std::chrono::steady_clock;
  using User = std::uint32_t;
  /// How long a turn is.
  static constexpr std::chrono::microseconds kTurn{bus::io::kLoopTurn};

  /// A link of this user begins. Each needs a leave().
  void join(User user);
  void leave(User user, bus::LinkId link);
  /// Whether there are links of several users. If not, nothing needs to be measured.
  bool shared() const { return users_.size() > 1; }

  /// Whether the link may hand over its bundles now. False: it waits until next() names it.
  bool begin(User user, bus::LinkId link, Clock::time_point now);
  /// Bundles of the user took so long.
  void spend(User user, Clock::duration time, Clock::time_point now);
  /// Whether the user has had a whole turn since begin(). False for one whose links never ask.
  bool is_over(User user) const;
  /// What the user has used since it has links, while others had some, too.
  Clock::duration used(User user) const;

  bool somebody_waits() const { return waiting_ != 0; }
  /// The link whose turn it is; begin() lets it in then. nullopt: none waits.
  std::optional<bus::LinkId> next(Clock::time_point now);

 private:
  struct Share {
    std::size_t links = 0;
    Clock::duration spent{};                    // halved in each kLoopMemory
    Clock::duration used{};                     // in all
    std::optional<Clock::duration> turn_end{};  // none before the first begin()
    std::deque<bus::LinkId> waiting;
  };
  void advance_to(Clock::time_point now);

  boost::unordered_flat_map<User, Share> users_;
  std::size_t waiting_ = 0;
  std::optional<bus::LinkId> called_;  // by next()
  Clock::time_point halved_at_{};
};

}  // namespace starbus::daemon
