/// A reference to something that can be called, for parameters of virtual functions: two pointers,
/// no allocation, no copy of what is called. It must outlive the call that it is passed to.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace starbus::aoi {

template <class Signature>
class FunctionRef;

/// A plain value: two pointers.
template <class Return, class... Arguments>
class FunctionRef<Return(Arguments...)> {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef> &&
           std::is_object_v<std::remove_reference_t<Function>> &&
           std::is_invocable_r_v<Return, Function&, Arguments...>)
      FunctionRef(
          Function&& function)  // NOLINT(google-explicit-constructor): converts as a reference
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Return {
          return (*static_cast<std::add_pointer_t<Function>>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Return operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Return (*call_)(void*, Arguments...);
};

}  // namespace starbus::aoi
