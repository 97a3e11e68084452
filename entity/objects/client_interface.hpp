/// What an entity can tell its client: classes that are declared and never implemented. A client
/// has the code; here are the names, the types of the arguments, and the ids on the wire.
///
///   struct PlayerClient {
///     void hit(int damage);
///     void said(std::string who, std::string text);
///     static constexpr auto kClient = entity::client_methods("player_client",
///         entity::client_method<&PlayerClient::hit>("hit"),
///         entity::client_method<&PlayerClient::said>("said"));
///   };
///   ...
///   client().call<&PlayerClient::hit>(5);                  // in an entity
///
/// A call is {id, hash of the types, arguments}: method_id("player_client", "hit"), as of RPC. Two
/// methods with one id do not compile. Constants; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "entity/archive/archive.hpp"
#include "entity/archive/signature.hpp"
#include "entity/objects/client_classes.hpp"
#include "entity/rpc/method.hpp"

namespace starbus::entity {

/// The types of a client's method; kIs is false for anything else.
template <class M>
struct ClientTraits {
  static constexpr bool kIs = false;
};
template <class C, class... A>
struct ClientTraits<void (C::*)(A...)> {
  using Interface = C;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  static constexpr bool kIs = true;
};

/// A method and its name.
template <auto M>
struct ClientMethod {
  static_assert(ClientTraits<decltype(M)>::kIs, "a client's method returns void");
  std::string_view name;
};
/// A row of client_methods().
template <auto M>
constexpr ClientMethod<M> client_method(std::string_view name) {
  return {name};
}

/// The methods of an interface, in order.
template <auto... M>
struct ClientMethods {
  std::string_view class_name;
  std::array<std::string_view, sizeof...(M)> names;

  /// Empty: it is not declared.
  template <auto Wanted>
  constexpr std::string_view name_of() const {
    std::string_view found;
    std::size_t at = 0;
    const auto look = [&](bool same) {
      if (same) found = names[at];
      ++at;
    };
    (look(std::is_same_v<ClientMethod<M>, ClientMethod<Wanted>>), ...);
    return found;
  }
};
/// An interface's kClient.
template <auto... M>
consteval ClientMethods<M...> client_methods(std::string_view class_name, ClientMethod<M>... rows) {
  ClientMethods<M...> methods{class_name, {rows.name...}};
  for (std::size_t i = 0; i < methods.names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (rpc::method_id(class_name, methods.names[i]) ==
          rpc::method_id(class_name, methods.names[j])) {
        throw "two methods of a client have one name, or one id";
      }
    }
  }
  return methods;
}

/// The types of its arguments: signatures, or with a table descriptions.
template <auto M>
std::vector<std::string> client_types(TypeTable* types) {
  return [types]<class... P>(std::tuple<P...>*) {
    return std::vector<std::string>{described<P>(types)...};
  }(static_cast<typename ClientTraits<decltype(M)>::Arguments*>(nullptr));
}

/// The hash of the types of its arguments: "(str,i32)".
template <auto M>
std::uint32_t client_signature() {
  static const std::uint32_t kHash = rpc::hash32(client_signature_text(client_types<M>(nullptr)));
  return kHash;
}

/// What the schema says of an interface.
template <class Interface>
ClientClass describe_interface() {
  ClientClass made{Interface::kClient.class_name, name_of_type(typeid(Interface)), {}};
  std::size_t at = 0;
  const auto add = [&]<auto M>() {
    made.methods.push_back({Interface::kClient.names[at++], &client_types<M>});
  };
  [&add]<auto... M>(const ClientMethods<M...>&) {
    (add.template operator()<M>(), ...);
  }
  (Interface::kClient);
  return made;
}
/// Naming it enlists an interface before main.
template <class Interface>
inline const bool kInterfaceEnlisted = enlist_client_class(&describe_interface<Interface>);

/// Appends a call. too_large: the arguments exceed the limits of an archive.
template <auto M, class... A>
DataErrc encode_client_call(Bytes& out, A&&... arguments) {
  using Traits = ClientTraits<decltype(M)>;
  using Interface = typename Traits::Interface;
  constexpr std::string_view kName = Interface::kClient.template name_of<M>();
  static_assert(!kName.empty(), "the interface does not declare this method in its kClient");
  static_cast<void>(&kInterfaceEnlisted<Interface>);
  static_assert(std::is_constructible_v<typename Traits::Arguments, A&&...>,
                "the arguments do not fit those of the client's method");
  constexpr std::uint32_t kId = rpc::method_id(Interface::kClient.class_name, kName);
  const typename Traits::Arguments values(std::forward<A>(arguments)...);
  std::byte head[8];
  bus::store(head, kId);
  bus::store(head + 4, client_signature<M>());
  Encoder encoder(out);
  encoder.raw(head, sizeof head);
  std::apply([&](const auto&... each) { (put_value(encoder, each), ...); }, values);
  return encoder.error();
}

}  // namespace starbus::entity
