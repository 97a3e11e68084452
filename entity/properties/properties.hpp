/// Properties of entities: declared once, used like plain fields, and known by that declaration to
/// clients, ghosts, the database, migration and inspection. Read this first;
/// docs/guide/properties.md says what a declaration means and what travels.
///
///   struct Item : entity::Struct<Item> {
///     STARBUS_FIELDS(Field<int> kind{*this};                // visible to all audiences of the bag
///                    Field<int, own_client | save> count{*this};)   // by these of them
///   };
///   struct Player : entity::Properties<Player> {
///     STARBUS_FIELDS(Field<std::int64_t, own_client | save> gold{*this, 100};
///                    Field<std::string, all_clients | save> nick{*this};
///                    Bag<Item, own_client | ghost | save> items{*this, 60};)
///   };
///   struct Knight : entity::Properties<Knight, Player> {    // the fields of Player, then its own
///     entity::Field<int, entity::all_clients> order{this, "order"};    // the same in long
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

template <class C>
class StateOf;  // objects/component_state.hpp

/// The words of a declaration, within the struct that declares.
struct FieldWords {
  template <class T, Flags F = Flags::none>
  using Field = entity::Field<T, F>;
  template <class T, Flags F = Flags::none>
  using List = entity::List<T, F>;
  template <class K, class V, Flags F = Flags::none>
  using Map = entity::Map<K, V, F>;
  template <class Item, Flags F = Flags::none, class Key = std::int64_t>
  using Bag = entity::Bag<Item, F, Key>;
  template <class C>
  using StateOf = entity::StateOf<C>;

  static constexpr Flags ghost = Flags::ghost;                  ///< see Flags
  static constexpr Flags other_clients = Flags::other_clients;  ///< see Flags
  static constexpr Flags own_client = Flags::own_client;        ///< see Flags
  static constexpr Flags all_clients = Flags::all_clients;      ///< see Flags
  static constexpr Flags save = Flags::save;                    ///< see Flags
  static constexpr Flags cache = Flags::cache;                  ///< see Flags
  static constexpr Flags server_only = Flags::server_only;      ///< see Flags
  static constexpr Flags per_space = Flags::per_space;          ///< see Flags
  static constexpr Flags per_process = Flags::per_process;      ///< see Flags
  static constexpr Flags per_session = Flags::per_session;      ///< see Flags
  static constexpr Flags latest_only = Flags::latest_only;      ///< see Flags
};
/// The first class of each line of structs has them; those that extend it find them there.
template <class Base>
struct WordsOn : Base, FieldWords {};
template <class Base>
using FieldsAfter =
    std::conditional_t<std::is_same_v<Base, StructBase> || std::is_same_v<Base, Root>,
                       WordsOn<Base>, Base>;

/// The base of a struct of fields, which names itself, and the struct whose fields it has first:
/// `Sword : Struct<Sword, Item>`. Default-constructible and copyable; a copy has the values, and
/// stands alone until a field or a bag takes it.
template <class Self, class Base = StructBase>
class Struct : public FieldsAfter<Base> {
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
class Properties : public FieldsAfter<Base> {
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
  using FieldsAfter<Base>::observe;

 protected:
  Properties() = default;

 private:
  inline static const bool enlisted_ = Schema::enlist(&Schema::of<Self>);
};

}  // namespace starbus::entity
