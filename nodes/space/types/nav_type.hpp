/// The crowd of a type of spaces, as its data file describes it. Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "nodes/nav/messages.hpp"

namespace starbus::nodes::space {

struct NavType {
  crowds::CrowdSpec crowd;
  std::uint32_t steps_per_second = 10;  ///< at most: a tick has one step at most
  std::string service;                  ///< of a node of crowds; empty: the space's own process
  std::string declared;                 ///< where the file names the map: "towns.toml:12:9: "
  bool operator==(const NavType&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(crowd, steps_per_second, service, declared);
  }
};

}  // namespace starbus::nodes::space
