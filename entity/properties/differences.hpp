#pragma once

#include <utility>
#include <vector>

#include "entity/properties/observers.hpp"

namespace starbus::entity {

class Schema;
class StructBase;

/// What is different between two states of one declaration, as changes for observers, in the order
/// of the schema: a field is set, a list or map is set as a whole, items of a bag are erased, moved
/// or inserted, and fields of items that stay are set. Lives on the stack of one call, of the
/// thread that owns the entity; the observers outlive it. Only what an observer wants is kept.
class Differences {
 public:
  Differences(const Observers& observers, Cause cause) : observers_(observers), cause_(cause) {}
  Differences(const Differences&) = delete;
  Differences& operator=(const Differences&) = delete;

  /// All fields of a struct that stands at the present address; at the beginning: the entity.
  void fields(const Schema& schema, const StructBase& before, const StructBase& now);
  /// The item with this key, as it goes on the wire, of the bag at the present address.
  void item(ByteView key, const Schema& schema, const StructBase& before, const StructBase& now);

  /// The field at the present address has changed; old() returns its value before, or a part of
  /// it, as observers get it of a write.
  template <class Old>
  void change(Operation operation, Old&& old) {
    if (observers_.wanted(address_)) {
      changes_.push_back({{}, operation, std::any(old()), address_, cause_});
    }
  }
  /// The same for an operation that has no old value.
  void change(Operation operation) {
    if (observers_.wanted(address_)) changes_.push_back({{}, operation, {}, address_, cause_});
  }

  /// The changes, with their paths from the entity, whose schema this is.
  std::vector<Change> take(const Schema& schema) &&;

 private:
  const Observers& observers_;
  const Cause cause_;
  Bytes address_;
  std::vector<Change> changes_;
};

}  // namespace starbus::entity
