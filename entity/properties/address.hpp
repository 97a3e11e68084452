#pragma once

#include <array>
#include <cassert>

#include "entity/archive/archive.hpp"
#include "entity/properties/struct_base.hpp"

namespace starbus::entity {

/// The effect of a change on the field at its address.
enum class Operation : std::uint8_t {
  clear,        ///< list, map, bag: nothing left
  set,          ///< field, list, map: value
  list_push,    ///< value
  list_pop,     ///<
  list_set,     ///< index, value
  list_insert,  ///< index, value
  list_erase,   ///< index
  map_put,      ///< key, value
  map_erase,    ///< key
  bag_insert,   ///< key, slot, item
  bag_erase,    ///< key
  bag_move,     ///< key, slot: changes places with whatever is there
};
inline constexpr std::size_t kOperations = 12;
std::string_view name_of(Operation operation);

/// The way from an entity to one of its fields, as it goes on the wire: an index per level, and
/// after the index of a bag the key of the item in it. Built from the field upwards, on the stack.
/// A plain value.
class Address {
 public:
  /// The address of the field with this index in `owner`; `reach` is its own.
  Address(StructBase& owner, std::uint8_t index, Flags flags);

  /// Room for any address, with the key of an element and a byte behind it.
  using Buffer = std::array<std::byte, kMaxLevels*(1 + kMaxKey + 2) + 1>;

  /// Inserts before the present bytes.
  void prepend(const std::byte* bytes, std::size_t size) {
    assert(size <= begin_);
    begin_ -= size;
    std::memcpy(bytes_.data() + begin_, bytes, size);
  }
  ByteView bytes() const { return ByteView(bytes_).subspan(begin_); }
  std::uint8_t depth() const { return depth_; }
  /// The views that the field is part of, with all that hold it.
  Reach reach() const { return reach_; }
  /// Only if its attention is not 0: only an entity can have any.
  Root& root() const;

 private:
  // Every level an index, and all but the last a key.
  static constexpr std::size_t kMost = kMaxLevels + (kMaxLevels - 1) * (kMaxKey + 2);

  void prepend_index(std::uint8_t index) {
    assert(begin_ > 0);
    bytes_[--begin_] = static_cast<std::byte>(index);
    ++depth_;
  }

  StructBase* top_;
  std::size_t begin_ = kMost;
  std::uint8_t depth_ = 0;
  Reach reach_;
  std::array<std::byte, kMost> bytes_;  // not initialised: only the end is used
};

}  // namespace starbus::entity
