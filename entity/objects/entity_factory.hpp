/// Types of entities by name, which a program declares before it makes any. Used by the loop's
/// thread; the factory outlives the managers that use it. Errors are values.
#pragma once

#include <utility>

#include "entity/objects/entity.hpp"
#include "entity/objects/entity_schema.hpp"

namespace starbus::entity {

/// Types by name, which a program declares before it makes any: see declare_entity().
using EntityFactory = Factory<Entity, const ConstructKey&>;

/// Declares a class. One that is constructible from its key alone can be made by name. Error:
/// duplicate_type; nothing can be made then.
template <class T>
IdentityResult<> declare_entity(EntityFactory& types) {
  (void)&objects_detail::kEnlisted<T>;
  if constexpr (std::is_abstract_v<T> || T::made_by_key()) {
    return types.add<T>();
  } else {
    return types.declare<T>();
  }
}

/// The same with a function that makes it, for a class whose constructor takes more than the key:
/// `[&town](const ConstructKey& key) { return Guard::construct(key, town); }`.
template <class T, class Make>
IdentityResult<> declare_entity(EntityFactory& types, Make make) {
  (void)&objects_detail::kEnlisted<T>;
  return types.add<T>([make = std::move(make)](const ConstructKey& key) -> Entity* {
    T* made = make(key);
    return made;
  });
}

}  // namespace starbus::entity
