/// The classes of entities that a program declares, for the schema that it prints:
/// docs/reference/schema.md. declare_entity() enlists them before main; any thread may read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "entity/archive/type_table.hpp"
#include "entity/identity/type_info.hpp"
#include "entity/objects/component.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {

template <class... C>
struct Components;

/// One class of entities, by names: of its type, of the classes of its methods and properties.
struct EntityDeclaration {
  struct Part {
    std::string_view name;
    std::string_view rpc;  // empty: it has no methods of its own
  };
  std::string_view type;
  std::string_view parent;  // empty: an entity without a parent of its own
  std::string cpp;
  std::string_view rpc;
  std::string properties;  // empty: none, or not the public member `state`
  std::vector<Part> components;
};

/// Idempotent.
bool enlist_entity(EntityDeclaration (*describe)());
/// All of them, by type.
nlohmann::ordered_json entities_schema();

namespace objects_detail {

template <class... C>
std::vector<EntityDeclaration::Part> parts_of(Components<C...>*) {
  std::vector<EntityDeclaration::Part> parts;
  [[maybe_unused]] const auto add = [&parts]<class Each>(Each*) {
    EntityDeclaration::Part part{component_name<Each>(), {}};
    if constexpr (requires { Each::kRpc; }) part.rpc = Each::kRpc.class_name;
    parts.push_back(part);
  };
  (add(static_cast<C*>(nullptr)), ...);
  return parts;
}

template <class T>
EntityDeclaration declared_entity() {
  EntityDeclaration made{type_name<T>(), {}, name_of_type(typeid(T)), T::kRpc.class_name, {}, {}};
  if constexpr (!std::is_void_v<typename T::TypeParent::TypeParent>) {
    made.parent = type_name<typename T::TypeParent>();
  }
  if constexpr (requires(T & entity) {
                  requires std::is_base_of_v<Root, std::remove_cvref_t<decltype(entity.state)>>;
                }) {
    made.properties = name_of_type(typeid(std::remove_cvref_t<decltype(std::declval<T&>().state)>));
  }
  made.components = parts_of(static_cast<typename T::TypeComponents*>(nullptr));
  return made;
}

/// Naming it enlists T before main.
template <class T>
inline const bool kEnlisted = enlist_entity(&declared_entity<T>);

}  // namespace objects_detail
}  // namespace starbus::entity
