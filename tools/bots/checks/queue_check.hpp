/// Whether players come in in the order in which they came to the queue of a login, as far as they
/// can see it. One of a loop, for its bots; a plain value.
///
/// Certain is: A was before B if A had heard of its place before B had asked to log in. Then B may
/// not be let in while A is told, later than what is on its way can be, to wait. And the number of
/// those before A only falls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/bots/schedule.hpp"

namespace starbus::bots {

/// See above.
class QueueCheck {
 public:
  /// What was told before somebody was let in may be heard so much later.
  static constexpr Nanos kOnItsWay = 2 * kSecond;

  /// What one bot knows of its way in. Belongs to its session.
  struct Place {
    std::optional<Nanos> asked{};   // first
    std::optional<Nanos> placed{};  // heard of the queue on this connection
    std::uint64_t ahead = 0;        // as it was told last
  };

  /// What is wrong: expected, and what came.
  struct Wrong {
    std::string expected{};
    std::string got{};
  };

  /// The bot is told how many are before it.
  std::optional<Wrong> told(Place& place, std::uint64_t ahead, Nanos now);
  /// It is let in: how many were let in before it that had asked when it had its place.
  std::uint64_t let_in(const Place& place, Nanos now);

 private:
  struct LetIn {
    Nanos asked = 0;
    Nanos in = 0;
  };
  /// Those who had asked after this.
  std::span<const LetIn> after(Nanos time) const;

  std::vector<LetIn> let_in_;  // by `asked`; kLetIn at most
};

}  // namespace starbus::bots
