/// A typed reference to an object that can be called, wherever it lives, and while it lives
/// nowhere.
///
///   struct PlayerState : Properties<PlayerState> {
///     Field<Ref<Guild>, Flags::save> guild{this, "guild"};     // a property
///   };
///   void join(rpc::Caller&, Ref<Guild> guild);                 // an argument
///   co_await call<&Guild::invite>(state.guild, 5);             // within an entity or component
///   co_await state.guild->call<&Guild::invite>(*this, 5);      // the same
///
/// Holds the name of a channel and not an online id: a name outlives the life that an id stands
/// for, so a saved reference is right after a restart, and the bus finds the owner by it. An empty
/// one refers to nothing: a call ends with bad_name of the bus. A plain value, from any thread; T
/// may be incomplete until something is called. In an archive it has the bytes of its name, which
/// throws, so the archive refuses it, if it is longer than a name may be.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bus/core/limits.hpp"

namespace starbus::entity {

/// Whether the methods of a class can be called through a Ref<T>: T is of that class, or that is a
/// class of components which a T may have.
template <class MethodsClass, class T>
inline constexpr bool kMethodsReach = [] {
  if constexpr (std::is_base_of_v<MethodsClass, T>) {
    return true;
  } else if constexpr (requires { typename MethodsClass::OwnerClass; }) {
    return std::is_base_of_v<typename MethodsClass::OwnerClass, T>;
  } else {
    return false;
  }
}();

/// Named in the compiler's message, with both classes, when a method does not fit a reference.
template <class MethodsClass, class ReferredClass>
struct MethodFitsReference {
  static_assert(kMethodsReach<MethodsClass, ReferredClass>,
                "the method is of MethodsClass, and the reference is to a ReferredClass, which has "
                "no such method");
  static constexpr bool kFits = kMethodsReach<MethodsClass, ReferredClass>;
};

template <class T>
class Ref {
 public:
  using Referred = T;

  Ref() = default;
  /// To the object that has this channel: "player/42". The name is checked where it is called.
  explicit Ref(std::string name) : name_(std::move(name)) {}
  explicit Ref(std::string_view name) : name_(name) {}
  explicit Ref(const char* name) : name_(name) {}
  /// A reference to a derived class is one to its base.
  template <class Derived>
  requires(!std::is_same_v<Derived, T> && std::is_base_of_v<T, Derived>)  //
      Ref(const Ref<Derived>& other)                                      // NOLINT: converts
      : name_(other.name()) {}

  /// The channel; empty if it refers to nothing.
  const std::string& name() const { return name_; }
  explicit operator bool() const { return !name_.empty(); }

  /// Calls a method of T, or of a component class of it: see Acting::call, as which it is, with
  /// the entity, component or rpc::Endpoint that calls. Include entity/objects/entity.hpp.
  template <auto M, class By, class... A>
  auto call(By& by, A&&... arguments) const;
  /// The same without an answer: see Acting::send.
  template <auto M, class By, class... A>
  auto send(By& by, A&&... arguments) const;

  friend bool operator==(const Ref&, const Ref&) = default;
  friend auto operator<=>(const Ref&, const Ref&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Ref& ref) { return out << ref.name_; }
  friend std::size_t hash_value(const Ref& ref) { return std::hash<std::string>()(ref.name_); }

  // For archives: cereal's names.
  template <class Archive>
  std::string save_minimal(const Archive&) const {
    return name_;
  }
  template <class Archive>
  void load_minimal(const Archive&, const std::string& name) {
    if (name.size() > bus::kMaxName) throw std::length_error("a reference: its name is too long");
    name_ = name;
  }

 private:
  std::string name_;
};

}  // namespace starbus::entity

template <class T>
struct std::hash<starbus::entity::Ref<T>> {
  std::size_t operator()(const starbus::entity::Ref<T>& ref) const noexcept {
    return std::hash<std::string>()(ref.name());
  }
};
