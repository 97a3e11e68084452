/// Types of objects, and tests whether one is another's descendant in constant time: each type
/// knows its ancestors by depth (Cohen, "Type-extension type tests can be performed in constant
/// time", 1991). A type is named as its class, "guild_hall", or as a `kTypeName` says. No RTTI, no
/// multiple inheritance of typed classes, one program without shared libraries that both have them.
///
/// Values are made on first use and live until the program ends; any thread may read them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/declared_name.hpp"
#include "entity/identity/limits.hpp"

namespace starbus::entity {

class TypeInfo {
 public:
  /// `parent` is null for a root.
  TypeInfo(std::string_view name, const TypeInfo* parent)
      : name_(name), depth_(parent == nullptr ? 0 : parent->depth_ + 1) {
    if (parent != nullptr) chain_ = parent->chain_;
    chain_.at(depth_) = this;
  }
  TypeInfo(const TypeInfo&) = delete;
  TypeInfo& operator=(const TypeInfo&) = delete;

  std::string_view name() const { return name_; }
  const TypeInfo* parent() const { return depth_ == 0 ? nullptr : chain_[depth_ - 1]; }
  std::size_t depth() const { return depth_; }
  /// Also of itself.
  bool is_a(const TypeInfo& ancestor) const { return chain_[ancestor.depth_] == &ancestor; }

 private:
  std::string_view name_;
  std::size_t depth_;
  std::array<const TypeInfo*, kMaxTypeDepth> chain_{};  // null after depth_
};

/// The one TypeInfo of T.
template <class T>
const TypeInfo& type_info();

/// The base of classes with type tests: class Entity : public TypeRoot<Entity>.
template <class T>
class TypeRoot {
 public:
  using TypeSelf = T;
  using TypeParent = void;
  using Root = T;
  /// Number of ancestors.
  static constexpr std::size_t kTypeDepth = 0;

  /// The type of the object; during construction that of the part that exists, as with virtual
  /// calls.
  const TypeInfo& type() const { return *type_; }

 protected:
  TypeRoot() : type_(&type_info<T>()) {}
  ~TypeRoot() = default;

  const TypeInfo* type_;
};

/// Between a type and its parent: class Player : public TypedAs<Player, Actor>. Passes what it is
/// constructed with on to the parent.
template <class T, class Parent>
class TypedAs : public Parent {
 public:
  using TypeSelf = T;
  using TypeParent = Parent;
  /// Number of ancestors.
  static constexpr std::size_t kTypeDepth = Parent::kTypeDepth + 1;
  static_assert(kTypeDepth < kMaxTypeDepth);

 protected:
  template <class... Arguments>
  explicit TypedAs(Arguments&&... arguments) : Parent(std::forward<Arguments>(arguments)...) {
    this->type_ = &type_info<T>();
  }
};

/// Whether a class has a kTypeName of its own, and does not merely inherit one.
template <class T>
constexpr bool has_own_type_name() {
  using Parent = typename T::TypeParent;
  if constexpr (!requires { T::kTypeName; }) {
    return false;
  } else if constexpr (std::is_void_v<Parent>) {
    return true;
  } else if constexpr (!requires { Parent::kTypeName; }) {
    return true;
  } else if constexpr (!std::is_same_v<decltype(T::kTypeName), decltype(Parent::kTypeName)>) {
    return true;
  } else {
    return &T::kTypeName != &Parent::kTypeName;
  }
}
/// The name of a type: its kTypeName, or that of the class.
template <class T>
constexpr std::string_view type_name() {
  if constexpr (has_own_type_name<T>()) {
    return T::kTypeName;
  } else {
    static_assert(!class_name<T>().empty(), "this class has no name: give it a kTypeName");
    return class_name<T>();
  }
}

template <class T>
const TypeInfo& type_info() {
  static_assert(std::same_as<typename T::TypeSelf, T>,
                "derives from TypedAs<itself, parent>, not from the parent");
  if constexpr (std::is_void_v<typename T::TypeParent>) {
    static const TypeInfo info(type_name<T>(), nullptr);
    return info;
  } else {
    static const TypeInfo info(type_name<T>(), &type_info<typename T::TypeParent>());
    return info;
  }
}

template <class T>
bool is_type(const typename T::Root& object) {
  return object.type().is_a(type_info<T>());
}
template <class T>
bool is_exactly(const typename T::Root& object) {
  return &object.type() == &type_info<T>();
}

/// Null if the object is null or of another type.
template <class T>
T* type_cast(typename T::Root* object) {
  return object != nullptr && is_type<T>(*object) ? static_cast<T*>(object) : nullptr;
}
template <class T>
const T* type_cast(const typename T::Root* object) {
  return object != nullptr && is_type<T>(*object) ? static_cast<const T*>(object) : nullptr;
}

}  // namespace starbus::entity
