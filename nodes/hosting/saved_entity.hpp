#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bus/core/bytes.hpp"
#include "bus/core/wire/ids.hpp"
#include "nodes/runtime/steps.hpp"

namespace starbus::nodes::entities {

/// Which of two states of an entity is the later one: by its owner's epoch, then by their order at
/// that owner. So what a process writes that has lost its lease is never taken for later than what
/// the next owner has written.
struct SaveVersion {
  std::uint64_t epoch = 0;   // of the entity's name; 0: it has none, which is before any owner
  std::uint64_t number = 0;  // grows with each save, also from one process to the next (its clock)

  friend auto operator<=>(const SaveVersion&, const SaveVersion&) = default;
};

/// One property as a value.
struct SavedValue {
  std::string path;  // "level", "stats.strength"
  nlohmann::json value;
};

/// What is kept of an entity: its properties, as View::save.
struct SavedEntity {
  std::string type;
  std::string persistent_id;
  bus::Bytes properties;
  SaveVersion version{};
  std::vector<SavedValue> values{};  // those of TypeOptions::searchable
};

/// Keeps one entity, and calls what it is given once, at once or later. Where it fails for a reason
/// that passes, it is called again with the same: see EntitySaves.
using Store = std::function<void(SavedEntity, Done)>;

}  // namespace starbus::nodes::entities
