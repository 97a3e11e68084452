/// Makes objects by the name of their type.
///
/// Filled before the loop starts, then read by its thread. Does not own the objects that it makes.
/// Failures are values.
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

/// How objects of a root are made and owned: by std::make_unique, unless the root says otherwise,
/// with `MadePointer`, and each of its classes with a static construct().
template <class Root>
struct MadeOf {
  using Pointer = std::unique_ptr<Root>;
};
template <class Root>
requires requires {
  typename Root::MadePointer;
}
struct MadeOf<Root> {
  using Pointer = typename Root::MadePointer;
};

template <class Root, class... Arguments>
class Factory {
 public:
  using Pointer = typename MadeOf<Root>::Pointer;

  /// Error: duplicate_type.
  template <class T>
  IdentityResult<> add() {
    static_assert(std::is_same_v<typename T::Root, Root>);
    static_assert(std::has_virtual_destructor_v<Root>);
    const TypeInfo& type = type_info<T>();
    Entry entry{&type, nullptr};
    if constexpr (!std::is_abstract_v<T>) {
      entry.make = [](Arguments... arguments) -> Pointer {
        if constexpr (requires { typename Root::MadePointer; }) {
          return T::construct(std::forward<Arguments>(arguments)...);
        } else {
          return std::make_unique<T>(std::forward<Arguments>(arguments)...);
        }
      };
    }
    return insert(entry);
  }
  /// The same, made by a function, which may bring further arguments of the constructor.
  template <class T>
  IdentityResult<> add(std::function<Pointer(Arguments...)> make) {
    static_assert(std::is_same_v<typename T::Root, Root> && !std::is_abstract_v<T>);
    return insert({&type_info<T>(), std::move(make)});
  }
  /// A type whose objects need other arguments: it is known by its name, and not made by it. Error:
  /// duplicate_type.
  template <class T>
  IdentityResult<> declare() {
    static_assert(std::is_same_v<typename T::Root, Root> && !std::is_abstract_v<T>);
    return insert({&type_info<T>(), nullptr, true});
  }

  /// Errors: unknown_type, abstract_type, needs_arguments.
  IdentityResult<Pointer> make(std::string_view name, Arguments... arguments) const {
    const auto found = types_.find(name);
    if (found == types_.end()) return IdentityErrc::unknown_type;
    if (found->second.needs_arguments) return IdentityErrc::needs_arguments;
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
    std::function<Pointer(Arguments...)> make;  // empty: abstract, or
    bool needs_arguments = false;
  };
  IdentityResult<> insert(const Entry& entry) {
    if (types_.emplace(entry.type->name(), entry).second) return {};
    refused_.emplace_back(entry.type->name());
    return IdentityErrc::duplicate_type;
  }
  std::map<std::string_view, Entry> types_;
  std::vector<std::string> refused_;
};

/// Adds a type before main, to a factory that a function returns, so that it exists in any order of
/// initialisation: `const Registered<Player, entities> player;` at namespace scope, where
/// `entities` is a function that returns a static factory. Linkers drop objects of static libraries
/// to which nothing refers: put such files into the program, or add() by hand.
template <class T, auto kFactory>
struct Registered {
  Registered() { static_cast<void>(kFactory().template add<T>()); }
};

}  // namespace starbus::entity
