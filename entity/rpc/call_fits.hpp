/// Whether the arguments of a call fit its method, and what the compiler says if they do not: a
/// template is instantiated for each mistake, so that its name and its arguments stand in the first
/// lines of the message. Part of rpc.hpp; nothing of it runs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "entity/archive/archivable.hpp"
#include "entity/rpc/method.hpp"

namespace starbus::entity::rpc {

/// Whether an A may be passed for a parameter of the decayed type P: it converts, and is not a
/// fraction for a whole number.
template <class A, class P>
concept PassableAs = (std::convertible_to<A, P> ||
                      (std::same_as<P, std::string> && std::convertible_to<A, std::string_view>)) &&
                     !(std::floating_point<std::remove_cvref_t<A>> && std::integral<P>);

/// Whether all arguments may be passed for the parameters, in number and type.
template <class Parameters, class... A>
inline constexpr bool kPassable = false;
template <class... P, class... A>
requires(sizeof...(P) == sizeof...(A)) inline constexpr bool kPassable<std::tuple<P...>, A...> =
    (PassableAs<A, P> && ...);

/// The arguments fit the method in number and types.
template <auto M, class... A>
concept CallableWith = Declared<M> && kPassable<typename TraitsOf<M>::Arguments, A...>;

// --- conditions ----------------------------------------------------------------------------------

/// R name(Caller&, A...), with types that may travel.
template <auto M>
inline constexpr bool has_the_form_of_a_method = RpcMethod<M>;
/// The kRpc of its class names it.
template <auto M>
inline constexpr bool is_declared_in_kRpc = Declared<M>;
/// M is there for the message alone.
template <auto M, std::size_t Wanted, std::size_t Given>
inline constexpr bool number_of_arguments_fits = Wanted == Given;
/// The same for argument `Number`, counted from 1.
template <auto M, std::size_t Number, class Wanted, class Given>
inline constexpr bool argument_fits = PassableAs<Given, Wanted>;

// --- messages ------------------------------------------------------------------------------------

/// M cannot be called from outside, whatever is passed.
template <auto M>
struct method_cannot_be_called {
  static_assert(has_the_form_of_a_method<M>,
                "an RPC method is `R name(rpc::Caller&, A...)`: arguments by value or by reference "
                "to const (a Task: by value), default-constructible, no pointers, no views");
};
template <auto M>
struct method_is_not_declared {
  static_assert(is_declared_in_kRpc<M>,
                "the class does not declare this method in its kRpc: add "
                "rpc::method<&Class::name>(\"name\") to rpc::methods(...)");
};
template <auto M, std::size_t Wanted, std::size_t Given>
struct wrong_number_of_arguments {
  static_assert(number_of_arguments_fits<M, Wanted, Given>,
                "the call passes another number of arguments than the method takes: the template "
                "arguments are the method, the number wanted, and the number given");
};
/// Counted from 1, without the Caller.
template <auto M, std::size_t Number, class Wanted, class Given>
struct argument_does_not_fit {
  static_assert(argument_fits<M, Number, Wanted, Given>,
                "an argument does not convert to what the method takes: the template arguments are "
                "the method, the number of the argument, the type wanted, and the type given");
};

namespace detail {

template <auto M, class Wanted, class Numbers, class... Given>
struct ArgumentFaults;
template <auto M, class... Wanted, std::size_t... I, class... Given>
struct ArgumentFaults<M, std::tuple<Wanted...>, std::index_sequence<I...>, Given...>
    : argument_does_not_fit<M, I + 1, Wanted, Given>... {};

}  // namespace detail

/// Compiles if the archive takes all that a method is given and answers; names the type otherwise.
template <class Value>
consteval bool check_sent() {
  if constexpr (std::is_void_v<Value>) {
    return true;
  } else {
    return sizeof(cannot_be_saved_or_sent<Value>) > 0;
  }
}
template <class... A>
consteval bool check_all_sent(std::tuple<A...>*) {
  return (check_sent<A>() && ... && true);
}
template <auto M>
consteval bool check_sent_types() {
  return check_all_sent(static_cast<typename TraitsOf<M>::Arguments*>(nullptr)) &&
         check_sent<typename TraitsOf<M>::Value>() && check_sent<typename TraitsOf<M>::Refusal>();
}

/// The first mistake of a call of M with arguments of these types; compiles if there is none.
template <auto M, class... Given>
struct CallFault {
  static consteval bool check() {
    if constexpr (!RpcMethod<M>) {
      return sizeof(method_cannot_be_called<M>) > 0;
    } else if constexpr (!Declared<M>) {
      return sizeof(method_is_not_declared<M>) > 0;
    } else {
      using Wanted = typename TraitsOf<M>::Arguments;
      constexpr std::size_t kWanted = std::tuple_size_v<Wanted>;
      if constexpr (kWanted != sizeof...(Given)) {
        return sizeof(wrong_number_of_arguments<M, kWanted, sizeof...(Given)>) > 0;
      } else {
        return sizeof(detail::ArgumentFaults<M, Wanted, std::make_index_sequence<kWanted>,
                                             std::remove_reference_t<Given>...>) > 0;
      }
    }
  }
};

}  // namespace starbus::entity::rpc
