/// What the manager knows of a type, and its permission to construct an entity of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entity/identity/slot_table.hpp"
#include "entity/identity/type_info.hpp"

namespace starbus::entity {

class EntityManager;

/// The entities of one exact type.
struct EntityRow {
  const TypeInfo* type;
  EntityManager* home;
  std::vector<std::uint32_t> slots{};  // in the order of their creation; 0: ended
  std::size_t gone = 0;                // of these
  std::size_t walks = 0;               // iterations that are under way
  std::uint64_t created = 0;           // that became alive
  std::uint64_t ended = 0;             // of those
  std::uint64_t steps = 0;             // that ran
  std::uint64_t step_ticks = 0;        // in these; see rpc::ticks

  std::size_t present() const { return slots.size() - gone; }
};

/// The permission to construct one entity, with its ids, which only the manager can make. Belongs
/// to the loop's thread.
class ConstructKey {
 public:
  ConstructKey(const ConstructKey&) = delete;
  ConstructKey& operator=(const ConstructKey&) = delete;

 private:
  friend class Entity;
  friend class EntityManager;
  ConstructKey(EntityRow& row, LocalId local, OnlineId online)
      : row_(row), local_(local), online_(online) {}
  EntityRow& row_;
  LocalId local_;
  OnlineId online_;
  mutable bool used_ = false;
};

}  // namespace starbus::entity
