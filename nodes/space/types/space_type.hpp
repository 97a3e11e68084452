/// A type of spaces, as a data file describes it: how many lines, how many players, how long, how
/// large, and what it is expected to cost. Plain values.
///
/// docs/guide/spaces.md has the keys of the file. The service reads the files and sends the type
/// with each order to create a space, so nodes need no files, and a space keeps the type that it
/// was created with.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aoi/options.hpp"
#include "nodes/space/types/nav_type.hpp"

namespace starbus::nodes::space {

/// Who shares a place.
enum class Scope : std::uint8_t {
  cluster,  ///< the type has one place, and players are spread over its lines
  key,      ///< each key (a team, a match) has a place of its own
};

struct SpaceType {
  std::string name;
  Scope scope = Scope::cluster;
  std::uint32_t capacity = 0;             // players of a space: never exceeded
  std::uint32_t soft_capacity = 0;        // a further line begins beyond it
  std::uint32_t min_lines = 0;            // that always run; 0 if each key has a place
  std::uint32_t max_lines = 1;            // of a place
  std::uint32_t precreated = 0;           // lines that are made when the place begins
  std::chrono::milliseconds idle{};       // until an empty line ends
  std::chrono::milliseconds countdown{};  // from its announcement until the end
  std::array<float, 3> min{};             // m: of the area that the cells cover
  std::array<float, 3> max{};
  float sight = 0;         // m: radius within which players see each other
  float leave_margin = 0;  // m: beyond which one goes out of sight again
  float cell = 0;          // m: reach of the area of interest
  std::uint32_t ticks_per_second = 0;
  std::uint32_t weight = 0;         // ms per second of a node's loop, until its load shows it
  std::vector<std::string> labels;  // that a node must have, all of them
  std::string next;                 // type of the place where its players go; empty: none
  std::optional<NavType> nav;       // its crowd

  bool operator==(const SpaceType&) const = default;
  std::chrono::nanoseconds tick() const {
    return std::chrono::nanoseconds(std::chrono::seconds(1)) / ticks_per_second;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, scope, capacity, soft_capacity, min_lines, max_lines, precreated, idle, countdown,
            min, max, sight, leave_margin, cell, ticks_per_second, weight, labels, next, nav);
  }
};

/// The world of a space of this type.
aoi::WorldOptions world_options(const SpaceType& type);

/// By name.
using SpaceTypes = std::map<std::string, SpaceType, std::less<>>;

}  // namespace starbus::nodes::space
