/// Objects of a process by slot and salt: an index, and a comparison that finds stale ids out.
///
/// Used by the loop's thread. Does not own the objects; an object must be erased before it
/// ends. Invariants: slot 0 is never given out; the salt of a slot grows each time it is given up,
/// and a slot whose last salt is used up is never given out again, so no id is given out twice.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "entity/identity/limits.hpp"

namespace starbus::entity {

/// Valid in one process and run. The default names nothing.
class LocalId {
 public:
  constexpr LocalId() = default;
  constexpr LocalId(std::uint32_t slot, std::uint32_t salt)
      : value_(std::uint64_t{salt} << 32 | slot) {}
  /// The id of this number, as `value` returns it.
  static constexpr LocalId from_value(std::uint64_t value) {
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  }

  constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(value_); }
  constexpr std::uint32_t salt() const { return static_cast<std::uint32_t>(value_ >> 32); }
  constexpr std::uint64_t value() const { return value_; }
  explicit constexpr operator bool() const { return value_ != 0; }
  friend constexpr auto operator<=>(const LocalId&, const LocalId&) = default;

 private:
  std::uint64_t value_ = 0;
};

/// `kLastSalt` is for tests of slots after 4 billion uses.
template <class T, std::uint32_t kLastSalt = std::numeric_limits<std::uint32_t>::max()>
class SlotTable {
 public:
  SlotTable() : slots_(1) {}

  /// Error: too_many_objects.
  IdentityResult<LocalId> insert(T& object) {
    const IdentityResult<LocalId> id = reserve();
    if (id) fill(*id, object);
    return id;
  }
  /// A place for an object that does not exist yet: find() returns null until it is filled. Error:
  /// too_many_objects.
  IdentityResult<LocalId> reserve() {
    std::uint32_t slot = first_free_;
    if (slot != 0) {
      first_free_ = slots_[slot].next_free;
    } else {
      if (slots_.size() > kMaxSlots) return IdentityErrc::too_many_objects;
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    }
    return LocalId(slot, slots_[slot].salt);
  }
  /// Fills a reserved place.
  void fill(LocalId id, T& object) {
    assert(slots_[id.slot()].salt == id.salt() && slots_[id.slot()].object == nullptr);
    slots_[id.slot()].object = &object;
    ++size_;
  }

  /// Null if it has gone, or never was.
  T* find(LocalId id) const {
    if (id.slot() >= slots_.size()) return nullptr;
    const Slot& slot = slots_[id.slot()];
    return slot.salt == id.salt() ? slot.object : nullptr;
  }

  /// Gives a reserved place back.
  void give_back(LocalId id) {
    assert(slots_[id.slot()].salt == id.salt() && slots_[id.slot()].object == nullptr);
    free_slot(id.slot());
  }

  /// The object in a slot now; null if it is empty.
  T* at(std::uint32_t slot) const { return slot < slots_.size() ? slots_[slot].object : nullptr; }
  LocalId id_at(std::uint32_t slot) const { return {slot, slots_[slot].salt}; }

  /// Was it there?
  bool erase(LocalId id) {
    if (find(id) == nullptr) return false;
    slots_[id.slot()].object = nullptr;
    --size_;
    free_slot(id.slot());
    return true;
  }

  std::size_t size() const { return size_; }

  /// `visit(T&)` for each, in order of slots; it may insert (seen or not) and erase.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t at = 1; at < slots_.size(); ++at) {
      if (slots_[at].object != nullptr) visit(*slots_[at].object);
    }
  }

 private:
  struct Slot {
    T* object = nullptr;
    std::uint32_t salt = 1;
    std::uint32_t next_free = 0;  // 0: the last
  };
  void free_slot(std::uint32_t index) {
    Slot& slot = slots_[index];
    if (slot.salt == kLastSalt) return;  // retired
    ++slot.salt;
    slot.next_free = first_free_;
    first_free_ = index;
  }

  std::vector<Slot> slots_;  // [0] is the permanent dummy, whose object is null
  std::uint32_t first_free_ = 0;
  std::size_t size_ = 0;
};

}  // namespace starbus::entity
