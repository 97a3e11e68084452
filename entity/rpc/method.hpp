/// Declares which methods of a class can be called, and collects their types at compile time.
///
///   static constexpr auto kRpc =
///       rpc::methods<&Chat::join, &Chat::leave>() |        // servers only
///       rpc::methods<&Chat::said>(rpc::own_client);        // and the object's own client
///
/// Names on the wire are those of the source (base/declared_name.hpp): "chat.join". A class or a
/// method that was renamed keeps its old one as a text:
///
///   static constexpr auto kRpc = rpc::methods<&Chat::leave>("talk") |     // "talk.leave"
///       rpc::methods("talk", rpc::method<&Chat::join>("enter"), rpc::method<&Chat::said>("said"));
///
/// Forms of a method:
///   R name(Caller&, A...)    R: void, T, starbus::Result<T, E>, or Task of one of these
/// Arguments and T, E are default-constructible and known to the archive (entity/archive). Names
/// of one class that collide, as text or as id, do not compile.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/declared_name.hpp"
#include "entity/archive/archive.hpp"
#include "entity/rpc/error.hpp"
#include "entity/rpc/limits.hpp"
#include "entity/rpc/permission.hpp"

namespace starbus::entity::rpc {

class Caller;
template <class T>
class Task;

/// 32 bits of FNV-1a (Fowler, Noll, Vo).
constexpr std::uint32_t hash32(std::string_view text, std::uint32_t seed = 0x811c9dc5) {
  std::uint32_t hash = seed;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x01000193;
  }
  return hash;
}
/// The id of "class.method" on the wire.
constexpr std::uint32_t method_id(std::string_view class_name, std::string_view method) {
  return hash32(method, hash32(".", hash32(class_name)));
}

// --- types of methods ----------------------------------------------------------------------------

/// The answer of a method that returns R.
template <class R>
struct ReturnTraits {
  using Value = R;
  using Refusal = NoError;
  static constexpr bool kRefuses = false;
  static constexpr bool kOwnFailure = false;
};
template <class T, class E>
struct ReturnTraits<starbus::Result<T, E>> {
  using Value = T;
  using Refusal = E;
  static constexpr bool kRefuses = true;
  static constexpr bool kOwnFailure = false;
};
template <class T, class E>
struct ReturnTraits<starbus::Result<T, Failure<E>>> {
  using Value = T;
  using Refusal = E;
  static constexpr bool kRefuses = true;
  static constexpr bool kOwnFailure = true;
};

/// Whether a method is a coroutine; TaskResult is what it answers in the end.
template <class R>
inline constexpr bool kIsTask = false;
template <class T>
inline constexpr bool kIsTask<Task<T>> = true;

/// R, or T of a Task<T>.
template <class R>
struct TaskResult {
  using type = R;
};
template <class T>
struct TaskResult<Task<T>> {
  using type = T;
};

/// Passed by value, or by reference to const: the callee has a copy of its own.
template <class A>
concept Argument =
    std::default_initializable<std::remove_cvref_t<A>> &&
    std::move_constructible<std::remove_cvref_t<A>> && !std::is_pointer_v<std::remove_cvref_t<A>> &&
    !std::same_as<std::remove_cvref_t<A>, std::string_view> &&
    (!std::is_reference_v<A> ||
     (std::is_lvalue_reference_v<A> && std::is_const_v<std::remove_reference_t<A>>));
/// A coroutine outlives the arguments of its caller: nothing by reference.
template <class R, class A>
concept ArgumentOf = Argument<A> &&(!kIsTask<R> || !std::is_reference_v<A>);

/// The types of a method; kCallable is false for anything else.
template <class M>
struct MethodTraits {
  static constexpr bool kCallable = false;
};
template <class R, class C, class... A>
struct MethodTraits<R (C::*)(Caller&, A...)> {
  using Host = C;
  using Return = R;
  using Result = typename TaskResult<R>::type;
  using Value = typename ReturnTraits<Result>::Value;
  using Refusal = typename ReturnTraits<Result>::Refusal;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  using ReplyType = Reply<Value, Refusal>;
  static constexpr bool kCallable = (ArgumentOf<R, A> && ...);
  static constexpr bool kCoroutine = kIsTask<R>;
  static constexpr bool kRefuses = ReturnTraits<Result>::kRefuses;
  static constexpr bool kOwnFailure = ReturnTraits<Result>::kOwnFailure;
};
template <class R, class C, class... A>
struct MethodTraits<R (C::*)(Caller&, A...) const> : MethodTraits<R (C::*)(Caller&, A...)> {};
template <class R, class C, class... A>
struct MethodTraits<R (C::*)(Caller&, A...) noexcept> : MethodTraits<R (C::*)(Caller&, A...)> {};
template <class R, class C, class... A>
struct MethodTraits<R (C::*)(Caller&, A...) const noexcept>
    : MethodTraits<R (C::*)(Caller&, A...)> {};

/// A pointer to a member function that has the form of a method.
template <auto M>
concept RpcMethod = MethodTraits<std::remove_const_t<decltype(M)>>::kCallable;
template <auto M>
using TraitsOf = MethodTraits<std::remove_const_t<decltype(M)>>;

// --- declarations --------------------------------------------------------------------------------

/// One row of kRpc.
template <auto M>
struct Method {
  std::string_view name;
  Permission allow;
};

/// One method in a list of all classes.
struct MethodRow {
  std::string_view name;
  std::uint32_t id = 0;
  Permission allow = server;
};

/// The type of kRpc.
template <auto... M>
struct Methods {
  std::string_view class_name;
  std::array<MethodRow, sizeof...(M)> rows;
};

/// a-z, 0-9 and _, at most kMaxPart of them: "." separates a class and its method.
constexpr bool is_part(std::string_view name) {
  if (name.empty() || name.size() > kMaxPart) return false;
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

enum class DeclarationFault { none, bad_class_name, bad_method_name, same_name, same_id };

/// The first fault in the names of one class.
template <std::size_t N>
constexpr DeclarationFault fault_of(std::string_view class_name,
                                    const std::array<MethodRow, N>& rows) {
  if (!is_part(class_name)) return DeclarationFault::bad_class_name;
  for (std::size_t i = 0; i < N; ++i) {
    if (!is_part(rows[i].name)) return DeclarationFault::bad_method_name;
    for (std::size_t j = 0; j < i; ++j) {
      if (rows[i].name == rows[j].name) return DeclarationFault::same_name;
      if (rows[i].id == rows[j].id) return DeclarationFault::same_id;
    }
  }
  return DeclarationFault::none;
}

/// Declares one method, under its name within the class.
template <auto M>
consteval Method<M> method(std::string_view name, Permission allow = server) {
  static_assert(RpcMethod<M>,
                "an RPC method is `R name(rpc::Caller&, A...)`: arguments by value or by reference "
                "to const (a Task: by value), default-constructible, no pointers, no views");
  return {name, allow};
}

/// Does not compile if there is a mistake in the rows.
template <auto... M>
consteval Methods<M...> checked(const Methods<M...>& all) {
  switch (fault_of(all.class_name, all.rows)) {  // the text shows in the compiler's message
    case DeclarationFault::none:
      break;
    case DeclarationFault::bad_class_name:
      throw "the class' name: 1..48 of a-z 0-9 _";
    case DeclarationFault::bad_method_name:
      throw "a method's name: 1..48 of a-z 0-9 _";
    case DeclarationFault::same_name:
      throw "two methods of one class have the same name";
    case DeclarationFault::same_id:
      throw "the names of two methods have the same id: rename one";
  }
  return all;
}

/// Collects the rows of kRpc; a mistake in them does not compile.
template <auto... M>
consteval Methods<M...> methods(std::string_view class_name, Method<M>... rows) {
  return checked(
      Methods<M...>{class_name, std::array<MethodRow, sizeof...(M)>{MethodRow{
                                    rows.name, method_id(class_name, rows.name), rows.allow}...}});
}

/// The place of M in the declaration of its class; the number of rows if it is not there.
template <auto M, template <auto...> class List, auto... Declared>
consteval std::size_t place_in(const List<Declared...>&) {
  std::size_t place = 0;
  const auto differs = [&place]<auto D>() {
    if constexpr (std::is_same_v<std::remove_const_t<decltype(D)>,
                                 std::remove_const_t<decltype(M)>>) {
      if (D == M) return false;
    }
    ++place;
    return true;
  };
  (void)(differs.template operator()<Declared>() && ...);
  return place;
}

/// A method that the kRpc of its class declares.
template <auto M>
concept Declared = RpcMethod<M> && place_in<M>(TraitsOf<M>::Host::kRpc)
< TraitsOf<M>::Host::kRpc.rows.size();

/// The row of a declared method.
template <auto M>
constexpr const MethodRow& row_of() {
  return TraitsOf<M>::Host::kRpc.rows[place_in<M>(TraitsOf<M>::Host::kRpc)];
}

// --- names of the source
// --------------------------------------------------------------------------

/// Declares one method under its own name, for `methods(...)`.
template <auto M>
consteval Method<M> method(Permission allow = server) {
  return method<M>(member_name<M>(), allow);
}

/// The kRpc of a class: these methods under their own names, with one permission. The class has
/// the name `class_name`.
template <auto M, auto... More>
consteval Methods<M, More...> methods(std::string_view class_name, Permission allow = server) {
  return methods(class_name, method<M>(allow), method<More>(allow)...);
}
/// The same under the name of the class.
template <auto M, auto... More>
consteval Methods<M, More...> methods(Permission allow = server) {
  if constexpr (RpcMethod<M>) {
    return methods<M, More...>(class_name<typename TraitsOf<M>::Host>(), allow);
  } else {
    return methods<M, More...>("", allow);  // says what is wrong with M
  }
}

/// Both, for methods that others may call. They name one class.
template <auto... A, auto... B>
consteval Methods<A..., B...> operator|(const Methods<A...>& a, const Methods<B...>& b) {
  if (a.class_name != b.class_name) throw "the two parts of kRpc name different classes";
  Methods<A..., B...> all{a.class_name, {}};
  for (std::size_t i = 0; i < sizeof...(A); ++i) all.rows[i] = a.rows[i];
  for (std::size_t i = 0; i < sizeof...(B); ++i) all.rows[sizeof...(A) + i] = b.rows[i];
  return checked(all);
}

}  // namespace starbus::entity::rpc
