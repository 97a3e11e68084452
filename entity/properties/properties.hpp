/// Properties of entities: declared once, used like plain fields, and known by that declaration to
/// clients, ghosts, the database, migration and inspection. Read this first;
/// docs/guide/properties.md says what a declaration means and what travels.
///
///   struct Item : entity::Struct<Item> {
///     Field<int> kind{this, "kind"};                        // visible to all audiences of the bag
///     Field<int, own_client | save> count{this, "count"};   // by these of them
///   };
///   struct Player : entity::Properties<Player> {
///     Field<std::int64_t, own_client | save> gold{this, "gold", 100};
///     Field<std::string, all_clients | save> nick{this, "nick"};
///     Bag<Item, own_client | ghost | save> items{this, "items", 60};
///   };
///
///   struct Knight : entity::Properties<Knight, Player> {    // the fields of Player, then its own
///     Field<int, all_clients | save> order{this, "order"};
///   };
///
///   player.gold += 5;
///   player.items.edit(1001)->count -= 1;
///   player.flush([](Audience audience, ByteView bytes) { ... });
#pragma once

#include "entity/properties/bag.hpp"
#include "entity/properties/field.hpp"
#include "entity/properties/list.hpp"
#include "entity/properties/map.hpp"

namespace starbus::entity {

/// The base of a struct of fields, which names itself, and the struct whose fields it has first:
/// `Sword : Struct<Sword, Item>`. Default-constructible and copyable; a copy has the values, and
/// stands alone until a field or a bag takes it.
template <class Self, class Base = StructBase>
class Struct : public Base {
  static_assert(std::is_base_of_v<StructBase, Base> && !std::is_base_of_v<Root, Base>,
                "a Struct has the fields of another Struct, not of Properties");

 public:
  using DeclaredAs = Self;
  using Inherited = Base;
  Struct() = default;
  Struct(const Struct&) = default;
  Struct& operator=(const Struct&) = default;
  ~Struct() = default;

  /// Throws std::logic_error if a declaration in it breaks a limit.
  static const Schema& schema() { return Schema::of<Self>(); }
};

/// The base of the properties of an entity, which name themselves, and the properties that they
/// extend: `MonsterState : Properties<MonsterState, ActorState>` has the fields of ActorState, then
/// its own, in one schema. Default-constructible. A class with fields that derives from another one
/// without naming itself does not compile. See Root for what it can do.
template <class Self, class Base = Root>
class Properties : public Base {
  static_assert(std::is_base_of_v<Root, Base>, "Properties extend other Properties");

 public:
  using DeclaredAs = Self;
  using Inherited = Base;

  /// As Struct::schema. Ask at start-up, so that a bad declaration shows there.
  static const Schema& schema_of() { return Schema::of<Self>(); }
  const Schema& schema() const override {
    (void)&enlisted_;
    return schema_of();
  }

  /// As Root::observe, for one field: tell(old, now). For a field of an item: of whatever item has
  /// its key when it changes.
  template <class T, Flags F, class Tell>
  DataResult<ObserverId> observe(const Field<T, F>& field, Tell tell) {
    return this->add_observer(
        field.address().bytes(), [this, tell = std::move(tell)](const Change& change) {
          // Looked up: a snapshot has put other items into the bags.
          const auto* now = static_cast<const Field<T, F>*>(this->field_at(change.address));
          const T* const old = change.template old<T>();
          if (old != nullptr && now != nullptr) tell(*old, now->get());
        });
  }
  using Base::observe;

 protected:
  Properties() = default;

 private:
  inline static const bool enlisted_ = Schema::enlist(&Schema::of<Self>);
};

}  // namespace starbus::entity
