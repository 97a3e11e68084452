/// A part of an entity with logic of its own, and, if it wants, with methods that can be called:
///
///   class Bag final : public entity::ComponentOf<Bag, Player>, public rpc::Callable<Bag> {
///    public:
///     int add(rpc::Caller&, int count) { owner().weight += count; ... }
///     static constexpr auto kRpc = rpc::methods<&Bag::add>();
///   };
///
/// It is named as its class, "bag", or as a `kComponentName` of its own says. A constructor that
/// wants the owner takes the key: `explicit Bag(const entity::ComponentKey& key) :
/// ComponentOf(key)`, and the destructor is private then.
///
/// One that is written once for owners of any class has a state of its own, which stands in their
/// properties under its name: see component_state.hpp. Its steps (step.hpp) are called
/// "component.step", and are those of an owner that declares it.
///
/// Classes are final; an entity has at most one of each, and finds it in constant time. Belongs to
/// the loop's thread and to its entity, which owns it: it lives from its construction, in which
/// the owner exists, until the owner is destroyed. See part.hpp for the hooks.
#pragma once

#include <atomic>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/declared_name.hpp"
#include "entity/objects/part.hpp"
#include "entity/objects/pending_key.hpp"

namespace starbus::entity {

class Entity;
class Schema;
class StructBase;

/// The name of a class of components: its kComponentName, or that of the class.
template <class C>
constexpr std::string_view component_name() {
  if constexpr (requires { C::kComponentName; }) {
    return C::kComponentName;
  } else {
    static_assert(!class_name<C>().empty(), "this class has no name: give it a kComponentName");
    return class_name<C>();
  }
}

/// One class of components; its number is valid in this process only.
struct ComponentInfo {
  std::string_view name;
  std::uint32_t number;
};

namespace objects_detail {
inline std::atomic<std::uint32_t> component_classes{0};
}

/// Made on first use; from any thread.
template <class C>
const ComponentInfo& component_info() {
  static const ComponentInfo info{component_name<C>(), objects_detail::component_classes++};
  return info;
}

/// The permission to construct one component, which only the manager can make.
class ComponentKey {
 public:
  ComponentKey(const ComponentKey&) = delete;
  ComponentKey& operator=(const ComponentKey&) = delete;

 private:
  friend class Component;
  friend class Entity;
  ComponentKey(Entity& owner, const ComponentInfo& info, StructBase* state)
      : owner_(owner), info_(info), state_(state) {}
  Entity& owner_;
  const ComponentInfo& info_;
  StructBase* state_;  // null: the class has none
};

class Component : public Part {
 public:
  const ComponentInfo& info() const { return info_; }
  Entity& entity() const { return owner_; }

 protected:
  explicit Component(const ComponentKey& key)
      : owner_(key.owner_), info_(key.info_), state_(key.state_) {}
  /// For classes whose constructor takes no key: within ComponentOf::construct.
  Component() : Component(objects_detail::PendingKey<ComponentKey>::take()) {}
  ~Component() override = default;

 private:
  friend class Entity;
  friend class EntityManager;
  const Entity& acting_entity() const final { return owner_; }

  Entity& owner_;
  const ComponentInfo& info_;

 protected:
  StructBase* const state_;  // within the properties of its owner, which outlive it
};

/// The `State` of a component's class; void if it has none.
template <class C>
struct ComponentStateOf {
  using type = void;
};
template <class C>
requires requires {
  typename C::State;
}
struct ComponentStateOf<C> {
  using type = typename C::State;
};

/// The declaration of a component's state; null: it has none.
template <class C>
const Schema* state_schema() {
  if constexpr (std::is_void_v<typename ComponentStateOf<C>::type>) {
    return nullptr;
  } else {
    return &C::State::schema();
  }
}

/// Between a class and Component. `Owner` is the class of entities that may have it.
template <class Self, class Owner = Entity>
class ComponentOf : public Component {
 public:
  using OwnerClass = Owner;
  Owner& owner() const { return static_cast<Owner&>(entity()); }
  /// Its part of the owner's properties: for classes that declare a State. Writes to it are those
  /// of the owner's properties: recorded, saved, observed, refused.
  auto& state() const {
    using State = typename ComponentStateOf<Self>::type;
    static_assert(!std::is_void_v<State>, "the class of the component declares no `State`");
    return static_cast<State&>(*this->state_);
  }

  /// For the EntityManager, which alone can make the key.
  template <class... A>
  static Self* construct(const ComponentKey& key, A&&... arguments) {
    static_assert(std::is_final_v<Self>, "classes of components are final");
    if constexpr (requires { new Self(key, std::forward<A>(arguments)...); }) {
      static_assert(!std::is_destructible_v<Self>, "its owner ends it: its destructor is private");
      return new Self(key, std::forward<A>(arguments)...);
    } else {
      const objects_detail::PendingKey<ComponentKey> pending(key);
      return new Self(std::forward<A>(arguments)...);
    }
  }

 protected:
  explicit ComponentOf(const ComponentKey& key) : Component(key) {}
  ComponentOf() = default;
  ~ComponentOf() override = default;

 private:
  /// One without methods has no calls of its own: they end with its entity.
  rpc::CallableBase& acting_object() final {
    if constexpr (std::is_base_of_v<rpc::CallableBase, Self>) {
      return static_cast<Self&>(*this);
    } else {
      return owner();
    }
  }
};

}  // namespace starbus::entity
