/// The state of a component that is written once for owners of any class: a struct in the
/// properties of its owner, under the component's name. So flags, changes, saving, moves, history
/// and inspection are those of the owner.
///
///   class Backpack final : public entity::ComponentOf<Backpack>, public rpc::Callable<Backpack> {
///    public:
///     struct State : entity::Struct<State> {
///       STARBUS_FIELDS(Bag<Item> items{*this, 60};)
///     };
///     static constexpr auto kStateFlags = entity::own_client | entity::Flags::save;
///     bool add(rpc::Caller&, std::int64_t key) { return state().items.insert(key).has_value(); }
///     ...
///   };
///   struct PlayerState : entity::Properties<PlayerState> {
///     STARBUS_FIELDS(...)
///     StateOf<Backpack> backpack{this};
///   };
///
/// An owner without it refuses the component: wrong_owner. Belongs to the thread of the entity.
#pragma once

#include "entity/objects/component.hpp"
#include "entity/properties/field.hpp"

namespace starbus::entity {

/// The state of a component, as a field of the properties of its owner. Its flags are those that
/// the component declares, for all owners alike.
template <class C>
class StateOf : public Field<typename C::State, C::kStateFlags> {
  static_assert(StructType<typename C::State>, "the State of a component is a Struct");

 public:
  template <class Owner>
  explicit StateOf(Owner* owner)
      : Field<typename C::State, C::kStateFlags>(owner, component_name<C>()) {}
};

}  // namespace starbus::entity
