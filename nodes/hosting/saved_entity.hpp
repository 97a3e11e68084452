#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bus/core/bytes.hpp"
#include "bus/core/wire/ids.hpp"
#include "nodes/runtime/steps.hpp"

namespace starbus::nodes::entities {

/// Orders the states of an entity: by the epoch of its owner, then by their order at that owner. So
/// a write of a process that has lost its lease never counts as later than one of the next owner.
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

/// The stored form of an entity: its properties, as View::save. Or the order to erase what is
/// stored of it.
struct SavedEntity {
  std::string type;
  std::string persistent_id;
  bus::Bytes properties;
  SaveVersion version{};
  std::vector<SavedValue> values{};  // those of TypeOptions::searchable
  bool erase = false;                // it ended as EndReason::erased: the rest is empty
};

/// Stores one entity, or erases it (SavedEntity::erase), and calls `done` once, at once or later.
/// After a temporary failure it is called again with the same state: see EntitySaves.
using Store = std::function<void(SavedEntity, Done)>;

/// Loads the stored properties of one entity, by its type and persistent id, and calls back once,
/// at once or later; none: nothing of it is stored.
using Load = std::function<void(std::string type, std::string persistent_id,
                                std::function<void(bus::Result<std::optional<bus::Bytes>>)>)>;

}  // namespace starbus::nodes::entities
