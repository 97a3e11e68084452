/// What a script says of properties: [[state]], a class of entities whose properties bots read and
/// check (docs/operate/bots.md). Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/config/config.hpp"
#include "tools/bots/values.hpp"

namespace starbus::bots {

/// "gold = looted + received - given", by the places of the fields.
struct StateSum {
  std::string text{};
  std::size_t left = 0;
  std::vector<std::pair<bool, std::size_t>> right{};  // false: it is taken away
};

/// See above.
struct StateTable {
  struct Field {
    std::string name{};
    Type type = Type::i64;
    bool others = true;  // false: its own client alone sees it
  };
  std::string name{};
  std::string of{};          // the class of the entities, as sight tells it
  std::string properties{};  // the class of their properties, as the schema has it
  bool own = false;          // it is what bots play
  std::vector<Field> fields{};
  std::optional<std::size_t> key{};      // a text that no two have
  std::vector<std::size_t> grows{};      // never less in a stretch
  std::chrono::milliseconds back{};      // how old what a new stretch brings may be; 0: any age
  std::vector<StateSum> sums{};          // hold in each version
  std::vector<StateSum> totals{};        // hold for all bots together, at the end
  std::optional<std::size_t> letters{};  // counts the letters that one has got, ever
  std::string letters_of{};              // the [[say]] of these
  std::optional<std::chrono::milliseconds> within{};  // after a change, all see the same
  std::optional<double> speed{};                      // m/s at most, but for teleports

  std::chrono::milliseconds credit{};  // of way that may be made up at once

  /// nullopt: it has none of this name.
  std::optional<std::size_t> find(std::string_view field) const;
};

/// Reads one [[state]]; problems are noted at `in`.
StateTable read_state(daemon::ConfigReader& in);

}  // namespace starbus::bots
