/// A place with its lines, as the registry knows them: states of spaces, who waits, and what the
/// place needs. Plain values of one thread; the registry changes them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

/// The life of a space as the registry sees it; docs/guide/spaces.md has the table.
enum class SpaceState : std::uint8_t {
  unheard,   ///< a process has its name that has not announced itself: nobody is let in
  creating,  ///< ordered, and not started yet: until kCreateWait
  ready,     ///< players are let in
  counting,  ///< a countdown runs: nobody is let in
  closing,   ///< empty, and ordered to end: its node may refuse, and it is ready again
  ending,    ///< ordered to end with whoever is there: until its node says that it has ended
};

/// How many there are.
inline constexpr std::size_t kSpaceStates = 6;

/// "unheard", "creating", ...
const char* name_of(SpaceState state);
/// Whether a space may go from one state to the other. The end of its record may follow each.
bool may_follow(SpaceState from, SpaceState to);

/// One line.
struct Space {
  /// A Reserve that its node has not answered.
  struct Ask {
    std::uint32_t seats = 0;
    std::uint64_t request = 0;  // 0: who asked has gone
  };

  SpaceName name;
  Life life{};
  std::string node;
  SpaceState state = SpaceState::creating;
  Time until{};                  // creating: it must have started; counting: it ends
  Time again{};                  // the order to create or to close is repeated
  std::uint64_t created_by = 0;  // number of the latest Create
  std::uint32_t capacity = 0;
  Seats seats{};                      // as its node has said last: never less than there are
  std::map<std::uint64_t, Ask> asks;  // by the number of the Reserve
  std::uint64_t asked = 0;            // seats of these: a crowd looks at the sum for each of it
  std::optional<Time> empty_since;

  /// A Reserve goes out.
  void ask(std::uint64_t number, const Ask& what);
  /// It is answered, or never will be: whose it was. nullopt: it is unknown.
  std::optional<Ask> answered(std::uint64_t number);
  /// Seats that are taken, or asked for.
  std::uint32_t taken() const;
  std::uint32_t room() const;
  /// Aborts the process if the state may not follow.
  void go(SpaceState next);
  /// Notes what its node says of its seats; more than its capacity count as full.
  void count(const Seats& now_taken, Time now);
};

/// A request that waits.
struct Waiter {
  EnterRequest ask;
  Time deadline{};
  std::uint32_t tries = 0;
  std::set<Life> tried;  // lines that refused it, or did not answer
  Error last{};          // of these; ok: none
  // While a Reserve for it is under way:
  std::uint64_t order = 0;  // its number; 0: none
  SpaceName space;
  Time reply_by{};
  std::vector<Ticket> tickets;
};

struct Place {
  std::map<std::uint32_t, Space> lines;
  std::deque<std::uint64_t> queue;  // requests without a Reserve under way, the oldest first
  std::string setup;
  bool warm = false;           // its precreated lines have been made, or lines of it were found
  std::uint32_t failures = 0;  // in a row
  Time paused{};               // no further line before
  std::string failed;          // why the latest one failed
  bool no_node = false;        // it needs a line, and no node has room
  std::map<std::string, Time, std::less<>> avoid;  // nodes, until when

  /// How many lines are in that state.
  std::size_t in(SpaceState state) const;
};

}  // namespace starbus::nodes::space
