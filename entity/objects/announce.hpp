/// Calls a method of all clients that are in a group, wherever they are: one message to each gate,
/// which hands it out (docs/operate/gate.md#announcements). Belongs to the loop's thread.
///
///   announce<&PlayerClient::said>(endpoint, "guild/7", "ann", "hello");
///   announce<&AnyClient::notice>(endpoint, "", "the server restarts at five");  // all clients
///
/// An entity lets its client into groups by client().join(). Failures are values.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "entity/client/error.hpp"
#include "entity/objects/client_interface.hpp"
#include "entity/rpc/endpoint.hpp"

namespace starbus::entity {

/// What every client of a game can be told, whatever it plays. Its clients need not know it: what
/// has no handler is shown to their program as any other call.
struct AnyClient {
  void notice(std::string text);
  static constexpr auto kClient =
      client_methods("starbus_client", client_method<&AnyClient::notice>("notice"));
};

/// Sends an encoded call; `group` "" is all clients. Errors: too_large (kPartBytes, kGroupName);
/// those of bus::Bus::announce, for which kGatesGroup is the group.
Result<> announce_call(rpc::Endpoint& endpoint, std::string_view group, Bytes call);

/// As announce_call(). The arguments are encoded once, here. A gate whose window is full does not
/// get it, which bus::Bus::on_undelivered is told.
template <auto M, class... A>
Result<> announce(rpc::Endpoint& endpoint, std::string_view group, A&&... arguments) {
  Bytes call;
  if (encode_client_call<M>(call, std::forward<A>(arguments)...) != DataErrc::ok) {
    return sessions::SessionErrc::too_large;
  }
  return announce_call(endpoint, group, std::move(call));
}

}  // namespace starbus::entity
