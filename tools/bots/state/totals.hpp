/// What must be true of all bots together when nothing is under way any more: totals of their
/// properties, and how many letters each has got. Values and a pure function; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bots/checks/letters.hpp"
#include "tools/bots/script.hpp"
#include "tools/bots/state/agreement.hpp"

namespace starbus::bots {

struct WrongTotal {
  std::uint64_t bot = 0;  // 0: all of them
  std::string what{};
  std::string expected{};
  std::string got{};
};

/// Totals are judged if all bots of the script play and their properties are known.
std::vector<WrongTotal> judge_totals(const Script& script, const std::vector<Standing>& standings,
                                     const Letters& letters);

}  // namespace starbus::bots
