#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

struct SavedValue;  // saved_value.hpp

/// The values of some properties; immutable, so that copies share them. Include saved_value.hpp to
/// make or read them.
class SavedValues {
 public:
  SavedValues() = default;
  SavedValues(std::vector<SavedValue> values);  // NOLINT: converts
  std::size_t size() const;
  bool empty() const { return values_ == nullptr; }
  const SavedValue* begin() const;
  const SavedValue* end() const;
  const SavedValue& operator[](std::size_t place) const;

 private:
  std::shared_ptr<const std::vector<SavedValue>> values_;  // null: none
};

/// The stored form of an entity: its properties, as View::save. Or the order to erase what is
/// stored of it.
struct SavedEntity {
  std::string type;
  std::string persistent_id;
  bus::Bytes properties;
  SaveVersion version{};
  SavedValues values{};  // those of TypeOptions::searchable
  bool erase = false;    // it ended as EndReason::erased: the rest is empty
  /// Set: the state has come from what owners up to this epoch have left, though later ones may
  /// have lived: a move was rolled back. It is `superseded` if one of those has stored anything,
  /// that is, if what is stored has an epoch between this one and that of `version`.
  std::optional<std::uint64_t> after{};
};

/// Stores one entity, or erases it (SavedEntity::erase), and calls `done` once, at once or later.
/// After a temporary failure it is called again with the same state: see EntitySaves.
using Store = std::function<void(SavedEntity, Done)>;

/// Loads the stored properties of one entity, by its type and persistent id, and calls back once,
/// at once or later; none: nothing of it is stored.
using Load = std::function<void(std::string type, std::string persistent_id,
                                std::function<void(bus::Result<std::optional<bus::Bytes>>)>)>;

}  // namespace starbus::nodes::entities
