/// Whether all who see something see the same: the properties of one entity as several bots have
/// them, and as the bot that plays it has them. Values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bots/schedule.hpp"
#include "tools/bots/state/state_rows.hpp"

namespace starbus::bots {

/// One entity as one bot has it.
struct Sighting {
  std::size_t which = 0;  // the place of its [[state]]
  std::uint64_t id = 0;   // the online id; 0: it is what the bot plays
  std::uint64_t bot = 0;
  StateValues values{};
  Nanos changed_at = 0;
};

/// A bot that plays, at the end.
struct Standing {
  std::uint64_t bot = 0;
  Nanos stretch_at = 0;                 // since when it is told all, without a full state
  std::optional<StateValues> values{};  // of what it plays; nullopt: not known
};

/// Two that differ.
struct Difference {
  std::size_t which = 0;
  std::uint64_t bot = 0;        // the later one, or the one that plays it
  std::uint64_t other = 0;      // another value
  std::string subject{};        // its key, or its online id
  std::string here{}, there{};  // the field and both values
  Nanos age = 0;                // since the later change of all
};

struct Agreement {
  std::uint64_t compared = 0;  // pairs of a bot and what it has, beside another one
  std::vector<Difference> differences{};
};

/// What differs although nobody has heard of a change for `within` of its [[state]]. Those without
/// `within` are not compared. Entities are the same if their key is, or without one their id.
Agreement compare(const std::vector<StateTable>& states, const std::vector<Sighting>& all,
                  Nanos now);

}  // namespace starbus::bots
