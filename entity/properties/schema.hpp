#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "entity/properties/differences.hpp"
#include "entity/properties/evolution.hpp"
#include "entity/properties/field_type.hpp"

namespace starbus::entity {

/// One field, as declared.
struct FieldInfo {
  std::string name;
  std::uint8_t index = 0;    ///< 1..254, in the order of declaration
  std::size_t distance = 0;  ///< bytes from the struct's base
  const FieldType* type = nullptr;
  Flags flags = Flags::none;
  Reach reach = 0;
  std::string signature;
  std::size_t capacity = 0;

  void* of(StructBase& owner) const { return reinterpret_cast<char*>(&owner) + distance; }
  /// The field within its struct.
  const void* of(const StructBase& owner) const {
    return reinterpret_cast<const char*>(&owner) + distance;
  }
};

/// The fields of a struct or of an entity's properties. Built once per type, by constructing one
/// object of it (the prototype, which also holds the defaults) while its fields enlist themselves;
/// immutable afterwards, so any thread may read it. A declaration that breaks a limit is a
/// std::logic_error, thrown when the schema is first asked for: ask at start-up.
class Schema {
 public:
  /// T is default-constructible and derives from Struct<T> or Properties<T>, or from such a class
  /// with another one as its base: then the base's fields are first.
  template <class T>
  static const Schema& of() {
    static const Schema schema = build<T>();
    return schema;
  }

  /// Before main, and idempotent: each Properties that a program uses names itself here.
  static bool enlist(const Schema& (*of)());
  /// All of these, and the structs within, each once, by name. Throws as of().
  static std::vector<const Schema*> all();

  std::string_view name() const { return name_; }
  std::span<const FieldInfo> fields() const { return fields_; }
  /// nullptr if there is none.
  const FieldInfo* find(std::uint8_t index) const {
    return index == 0 || index > fields_.size() ? nullptr : &fields_[index - 1U];
  }
  const FieldInfo* find(std::string_view name) const;
  /// Of Properties, and not of a Struct.
  bool of_entity() const { return of_entity_; }
  const StructBase& prototype() const { return *prototype_; }
  /// A new object with the defaults, which stands alone.
  std::shared_ptr<StructBase> fresh() const {
    const Prototype made = make_();
    return {made.object, made.base};
  }
  const Evolution& evolution() const { return evolution_; }
  /// Levels of indices from here down to the deepest field, at least 1.
  std::size_t levels() const { return levels_; }

  /// Equal for two builds exactly if all that they exchange by index means the same: names, types,
  /// flags, capacities and the order of fields.
  std::uint64_t hash() const { return hash_; }
  /// The same without the order: equal if saved values, which go by name, mean the same.
  std::uint64_t saved_hash() const { return saved_hash_; }
  /// The first audience that sees exactly the same fields, here and below, as this one.
  Audience same_sight(Audience audience) const {
    return same_sight_[static_cast<std::size_t>(audience)];
  }

 private:
  friend class Describer;
  struct Prototype {
    std::shared_ptr<void> object;  // owns
    StructBase* base;
  };
  using Make = Prototype (*)();

  template <class T>
  static Schema build() {
    static_assert(std::is_default_constructible_v<T>, "a schema is learnt from a default object");
    const Make make = [] {
      auto object = std::make_shared<T>();
      return Prototype{object, object.get()};
    };
    return build(typeid(T), std::is_base_of_v<Root, T>, make, &evolve_line<T>);
  }
  /// What the classes of its line declare of earlier declarations, each once, the base's first.
  template <class T>
  static void evolve_line(Evolution& evolution) {
    if constexpr (requires { typename T::Inherited; }) {
      evolve_line<typename T::Inherited>(evolution);
      if constexpr (requires { requires& T::evolve == &T::Inherited::evolve; }) return;
    }
    if constexpr (requires { T::evolve(evolution); }) T::evolve(evolution);
  }
  static Schema build(const std::type_info& type, bool entity, Make make,
                      void (*evolve)(Evolution&));
  void check() const;
  void finish();
  std::string sight(Audience audience) const;

  std::string name_;
  std::vector<FieldInfo> fields_;
  Make make_ = nullptr;
  std::shared_ptr<void> object_;
  StructBase* prototype_ = nullptr;
  Evolution evolution_;
  bool of_entity_ = false;
  std::size_t levels_ = 1;
  std::uint64_t hash_ = 0;
  std::uint64_t saved_hash_ = 0;
  std::array<Audience, kAudiences> same_sight_{};
};

/// A struct as a type of a field: {"properties":"Stats"}.
std::string describe_fields(const Schema& schema);
/// The value of a struct as a view sees it: the fields that are part of it, each after its index,
/// and a zero byte.
void encode_fields(const Schema& schema, const StructBase& from, View view, Encoder& out);
void replace_fields(const Schema& schema, StructBase& to, View view, Decoder& in,
                    Transaction& undo);
/// By way of ordinary writes: recorded, observed, refused. Stops at the first error.
DataErrc assign_fields(const Schema& schema, StructBase& to, const StructBase& from);
/// The same without: as part of a replacement.
void restore_fields(const Schema& schema, StructBase& to, const StructBase& from,
                    Transaction& undo);

/// Those whose lifetime ends become the defaults, by ordinary writes; `reach` is that of the
/// struct.
DataErrc reset_fields(const Schema& schema, StructBase& of, Reach reach, Lifetime lifetime);
/// Members by the names of the fields. Input may leave fields out, but not name unknown ones.
void show_fields(const Schema& schema, const StructBase& from, JsonWriter out);
/// All or nothing, by ordinary writing. Errors: bad_json, unknown_path, replica, and those of
/// writes.
DataResult<> set_fields_from(const Schema& schema, StructBase& to, const JsonReader& in);

}  // namespace starbus::entity
