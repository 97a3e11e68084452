/// A map as crowds walk it: a ground with the kinds of walkers that were asked for. Nobody changes
/// it once it is made, so that any number of workers may ask it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nav/ground.hpp"
#include "nodes/nav/messages.hpp"

namespace starbus::nodes::crowds {

struct Map {
  std::unique_ptr<const nav::Ground> ground;
  std::vector<nav::AgentId> kinds;  ///< in the order in which they were asked for
};

/// Reads a file and makes the tables of the kinds; blocks. Files are baked ones of grids and
/// volumes, navmeshes, MovingAI's `.map` and grids as text (`.txt`). no_map, bad_map, bad_request;
/// the text names the file.
Result<std::shared_ptr<const Map>> read_map(const std::string& file,
                                            const std::vector<WalkerKind>& kinds);

/// bad_request: no kind, more than kMaxWalkerKinds, or an area beyond nav::kMaxArea.
Result<> check_kinds(const std::vector<WalkerKind>& kinds);

}  // namespace starbus::nodes::crowds
