/// Properties of the classes that a script names ([[state]]), read by the client library as those
/// of generated code are: by the names that the server says. The rows are made once in a process,
/// before any client: the library's rows are constants.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "clients/cpp/space/seen.hpp"
#include "clients/cpp/view.hpp"
#include "tools/bots/limits.hpp"
#include "tools/bots/state/state_script.hpp"

namespace starbus::bots {

/// A value: a number (of fractions the bits; of signed ones with their sign), or a text.
struct StateValue {
  std::int64_t number = 0;
  std::string text{};
  friend bool operator==(const StateValue&, const StateValue&) = default;
};
std::string to_string(const StateTable::Field& field, const StateValue& value);

/// The values of one, by the places of the fields in the script.
struct StateValues {
  std::array<StateValue, kStateFields> fields{};
};

/// Those of what a bot plays.
struct OwnState : StateValues {
  static const game::ClassRow& row();
  struct Watch {
    void tell(const OwnState&, const game::Changed&) {}
  };
};

/// Makes the rows, in place of those before: one script at a time in a process.
void use_states(const std::vector<StateTable>& states);
/// For views of spaces: one row for each class of the script.
std::span<const game::SeenRow> seen_states();
/// For Settings::names; null: the script has no [[state]], and nobody asks for names.
const game::NameTable* state_names();
/// The values of one that is seen, and the place of its class in the script; null: of no such
/// class, or not known.
const StateValues* values_of(const game::Seen& seen, std::size_t& which);

}  // namespace starbus::bots
