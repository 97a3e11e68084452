/// A property of a saved entity as a value, for stores that search. Apart from saved_entity.hpp so
/// that game code does without the JSON library. Plain values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "nodes/hosting/saved_entity.hpp"

namespace starbus::nodes::entities {

struct SavedValue {
  std::string path;  // "level", "stats.strength"
  nlohmann::json value;
};

}  // namespace starbus::nodes::entities
