/// Makes objects by the name of their type.
///
/// Filled before the loop starts, then read by its thread. Owns nothing of what it makes. Failures
/// are values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "entity/identity/type_info.hpp"

namespace starbus::entity {

template <class Root, class... Arguments>
class Factory {
 public:
  using Pointer = std::unique_ptr<Root>;

  /// Error: duplicate_type.
  template <class T>
  IdentityResult<> add() {
    static_assert(std::is_same_v<typename T::Root, Root>);
    static_assert(std::has_virtual_destructor_v<Root>);
    const TypeInfo& type = type_info<T>();
    Entry entry{&type, nullptr};
    if constexpr (!std::is_abstract_v<T>) {
      entry.make = [](Arguments... arguments) -> Pointer {
        return std::make_unique<T>(std::forward<Arguments>(arguments)...);
      };
    }
    if (types_.emplace(type.name(), entry).second) return {};
    refused_.emplace_back(type.name());
    return IdentityErrc::duplicate_type;
  }

  /// Errors: unknown_type, abstract_type.
  IdentityResult<Pointer> make(std::string_view name, Arguments... arguments) const {
    const auto found = types_.find(name);
    if (found == types_.end()) return IdentityErrc::unknown_type;
    if (found->second.make == nullptr) return IdentityErrc::abstract_type;
    return found->second.make(std::forward<Arguments>(arguments)...);
  }

  /// Null if no type has this name.
  const TypeInfo* find(std::string_view name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second.type;
  }
  /// In order of their names.
  std::vector<const TypeInfo*> types() const {
    std::vector<const TypeInfo*> all;
    for (const auto& [name, entry] : types_) all.push_back(entry.type);
    return all;
  }
  /// Names that add() refused. A program in which there are any must not go on.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  struct Entry {
    const TypeInfo* type;
    Pointer (*make)(Arguments...);  // null: abstract
  };
  std::map<std::string_view, Entry> types_;
  std::vector<std::string> refused_;
};

/// Adds a type before main, to a factory behind a function, so that it exists whatever the order of
/// initialisation: `const Registered<Player, entities> player;` at namespace scope, where
/// `entities` is a function that returns a static factory. Linkers drop objects of static libraries
/// to which nothing refers: put such files into the program, or add() by hand.
template <class T, auto kFactory>
struct Registered {
  Registered() { static_cast<void>(kFactory().template add<T>()); }
};

}  // namespace starbus::entity
