/// A map as crowds walk it: a ground with the kinds of walkers that were asked for. One that crowds
/// share is const: any number of threads may ask it. Who has one of its own may change it, on one
/// thread at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nav/ground.hpp"
#include "nodes/nav/messages.hpp"

namespace starbus::nodes::crowds {

class Map {
 public:
  Map(std::unique_ptr<nav::Ground> ground, std::vector<nav::AgentId> kinds)
      : ground_(std::move(ground)), kinds_(std::move(kinds)) {}

  const nav::Ground& ground() const { return *ground_; }
  nav::Ground& ground() { return *ground_; }
  /// In the order in which they were asked for.
  const std::vector<nav::AgentId>& kinds() const { return kinds_; }

 private:
  std::unique_ptr<nav::Ground> ground_;
  std::vector<nav::AgentId> kinds_;
};

/// Reads a file and makes the tables of the kinds; blocks. Files are baked ones of grids and
/// volumes, navmeshes, MovingAI's `.map` and grids as text (`.txt`). no_map, bad_map, bad_request;
/// the text names the file.
Result<std::shared_ptr<Map>> read_map(const std::string& file,
                                      const std::vector<WalkerKind>& kinds);

/// bad_request: no kind, more than kMaxWalkerKinds, or an area beyond nav::kMaxArea.
Result<> check_kinds(const std::vector<WalkerKind>& kinds);

}  // namespace starbus::nodes::crowds
