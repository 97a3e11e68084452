/// Permissions of methods, and the kinds of callers.
///
/// The receiver decides the kind of a caller, by the process that the bus stamps on a
/// message (see gates.hpp and servers.hpp); the bytes only ever take rights away.
///
///   sender      bytes say        the caller is
///   itself      nothing          server: the code of a process may do all to its own objects
///   a server    nothing          server: may call every method
///   a server    a client         refused: not_permitted
///   unknown     nothing          any_client: its busd does not call it a server
///   unknown     a client         refused: not_permitted
///   a gate      own client       own_client
///   a gate      another client   any_client
///   a gate      nothing          gate: the code of the gate, on its own behalf; never server
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starbus::entity::rpc {

/// The callers that may call a method. Any combination with `|`.
enum class Permission : std::uint8_t {
  server = 0,      ///< a process whose role has trust "server", and is no gate; always permitted;
                   ///< so is the process that has the object
  own_client = 1,  ///< the client that controls the object
  any_client = 3,  ///< every client that a gate has let in, its own among them
  gate = 4,        ///< the code of a gate itself: "this session has ended"
};
constexpr Permission operator|(Permission a, Permission b) {
  return static_cast<Permission>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

/// The kind of a caller, as the receiver sees it.
enum class From : std::uint8_t { server = 0, own_client = 1, any_client = 2, gate = 3 };

/// The caller that the bytes of a call claim: the kinds of From that may travel.
enum class Behalf : std::uint8_t { none = 0, own_client = 1, any_client = 2 };

inline constexpr Permission server = Permission::server;
inline constexpr Permission own_client = Permission::own_client;
inline constexpr Permission any_client = Permission::any_client;
inline constexpr Permission gate = Permission::gate;

/// Whether a caller of this kind may call.
constexpr bool permits(Permission allowed, From from) {
  const auto bits = static_cast<std::uint8_t>(allowed);
  switch (from) {
    case From::server:
      return true;
    case From::own_client:
      return (bits & 1) != 0;
    case From::any_client:
      return (bits & 2) != 0;
    case From::gate:
      return (bits & 4) != 0;
  }
  return false;
}

/// "server", "own_client", "any_client|gate".
std::string to_string(Permission permission);
std::string_view name_of(From from);

}  // namespace starbus::entity::rpc
