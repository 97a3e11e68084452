#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "entity/properties/field_names.hpp"
#include "entity/properties/flags.hpp"

namespace starbus::entity {

class Address;
class Describer;
class FieldType;
class Root;
class StructBase;

/// Where a member stands: its distance from the base of the struct that has it, and its number in
/// there. Four bytes instead of a pointer, and right in every copy. A plain value.
class Place {
 public:
  Place() = default;
  Place(std::size_t distance, std::uint8_t index)
      : bits_(static_cast<std::uint32_t>(distance << 8) | index) {}
  std::uint8_t index() const { return static_cast<std::uint8_t>(bits_); }
  /// `member` is the object at this place.
  StructBase* owner(const void* member) const {
    return reinterpret_cast<StructBase*>(reinterpret_cast<std::uintptr_t>(member) - (bits_ >> 8));
  }
  std::uintptr_t distance() const { return bits_ >> 8; }

  /// Bytes: a struct may not be larger.
  static constexpr std::size_t kMaxDistance = (1U << 24) - 1;

 private:
  std::uint32_t bits_ = 0;
};

/// The holder of a struct within a container; the struct's distance leads here.
class Element {
 public:
  virtual ~Element() = default;
  /// The bag: its place, and the reach of its field.
  virtual const void* container(Place& place, Reach& reach) const = 0;
  /// Appends the key to an address, in front.
  virtual void prepend_key(Address& address) const = 0;
};

/// True if the class that declares a field has a schema of its own that names it.
template <class Owner>
inline constexpr bool names_itself = false;
template <class Owner>
requires requires {
  typename Owner::DeclaredAs;
}
inline constexpr bool names_itself<Owner> = std::is_same_v<typename Owner::DeclaredAs, Owner>;

/// Named in the compiler's message where a class declares fields that no schema would know.
template <class Owner>
struct class_with_fields_does_not_name_itself {
  static_assert(names_itself<Owner>,
                "a class with fields derives from Struct<Itself> or Properties<Itself>; to extend "
                "another one: Struct<Itself, Base> or Properties<Itself, Base>");
};

/// The first base of every struct of fields, and of an entity's properties: its place, by which a
/// field finds its entity. Owned by the holder of the struct; used by the
/// thread that owns the entity. A struct that stands alone records nothing.
class StructBase {
 public:
  /// Bits of attention(): the watched audiences, and these.
  static constexpr std::uint8_t kReplicaBit = 0x20;   ///< writing is refused
  static constexpr std::uint8_t kObservedBit = 0x40;  ///< it has observers in this process
  static constexpr std::uint8_t kFrozenBit = 0x80;    ///< writing is refused, until the thaw

  /// The struct that no other one holds.
  StructBase* top() {
    StructBase* at = this;
    while (at->place_.index() != kTop) at = at->holder();
    return at;
  }
  /// Bits of the top struct that a write must check. 0: a plain store will do.
  std::uint8_t attention() const { return attention_; }

  /// Called by the constructors of fields, in the order of their declaration. `placed` is what has
  /// the place: the field, or the struct within it.
  /// `name` is its text, or the FieldText in which it is declared.
  template <class Field, class Name>
  Place enlist(const Field* field, const void* placed, const Name& name) {
    const Place place(distance_to(placed), next_++);
    if (describer != nullptr) [[unlikely]]
      describe(Field::type(), distance_to(field), name);
    return place;
  }
  /// Called by the field that holds this struct.
  void hold(Place place, Reach reach) {
    place_ = place;
    reach_ = reach;
  }
  /// Called by the node of a container that holds this struct, `element`.
  void hold(const Element* element) {
    place_ = Place(static_cast<std::size_t>(reinterpret_cast<const char*>(this) -
                                            reinterpret_cast<const char*>(element)),
                   kElement);
  }
  Place place() const { return place_; }
  Reach reach() const { return reach_; }

  /// Set while a schema is built; see schema.cpp.
  static inline constinit thread_local Describer* describer = nullptr;

 protected:
  StructBase() {
    if (describer != nullptr) [[unlikely]]
      describe_begin();
  }
  // The fields of a struct are copied; its place is not.
  StructBase(const StructBase&) : StructBase() {}
  StructBase& operator=(const StructBase&) { return *this; }
  ~StructBase() = default;

  std::uint8_t attention_ = 0;

 private:
  friend class Address;
  static constexpr std::uint8_t kElement = 0;
  static constexpr std::uint8_t kTop = 255;

  std::size_t distance_to(const void* member) const {
    return static_cast<std::size_t>(static_cast<const char*>(member) -
                                    reinterpret_cast<const char*>(this));
  }
  StructBase* holder();
  void describe_begin();
  void describe(const FieldType& type, std::size_t distance, std::string_view name);
  void describe(const FieldType& type, std::size_t distance, FieldText declared_in);

  Place place_{0, kTop};
  Reach reach_ = kWholeReach;
  std::uint8_t next_ = 1;
};

inline StructBase* StructBase::holder() {
  if (place_.index() != kElement) return place_.owner(this);
  const auto* element =
      reinterpret_cast<const Element*>(reinterpret_cast<std::uintptr_t>(this) - place_.distance());
  Place place;
  Reach reach = 0;
  const void* container = element->container(place, reach);
  return place.owner(container);
}

}  // namespace starbus::entity
