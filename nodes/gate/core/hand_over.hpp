/// What a session knows of its hand-overs: the turn, the chain of passes, and the gates that may
/// still forward for it. A plain value with three rules; belongs to the loop's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "entity/client/words.hpp"
#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

using sessions::GateId;
using sessions::Pass;

struct HandOver {
  std::uint32_t turn = 1;
  Key secret{};                   // of the pass for the next turn; its seal is known to the others
  std::vector<Pass> passes{};     // of the last hand-overs: what a relink shows
  std::vector<GateId> givers{};   // may still forward
  std::uint32_t shown = 1;        // the last turn whose Welcome the client has confirmed
  GateId to{};                    // giving, stub: who has it
  std::string address{};          // likewise, as clients use it; may be empty
  std::optional<Bind> confirmed;  // the account has confirmed the relink, when its bind was this
  std::optional<Bind> direct;     // bind of the last part in order that was said to this gate

  /// This gate has it from `giver` now: draws the pass of the next turn.
  void take_over(const GateId& giver, const GateId& self, const Key& next_secret);
  /// Everything that came by way of another gate has been passed.
  bool settled() const { return confirmed && direct && *direct >= *confirmed; }
};

}  // namespace starbus::nodes::gate
