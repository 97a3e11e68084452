/// The names that clients of this program are built from: methods that they may call, methods that
/// are called at them, and properties that their own client, or that other clients see. A client
/// that was built from another schema asks for this table, and finds out what differs
/// (docs/reference/ client-protocol.md, section "Names").
///
/// Made when it is first asked for, encoded once, and immutable; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/bytes.hpp"

namespace starbus::entity {

/// Who calls a method. The numbers travel.
enum class ClientSide : std::uint8_t { asks = 1, hears = 2 };

/// A method: "player.buy". The types are for people, and the fingerprint is that of a call.
struct ClientMethodName {
  ClientSide side = ClientSide::asks;
  std::string name;
  std::uint32_t fingerprint = 0;
  std::string types;
};
/// A field that is seen.
struct ClientFieldName {
  std::string name;
  std::uint8_t index = 0;
  std::uint32_t fingerprint = 0;  // hash of the types
  std::string types;              // "i64", "bag[i64] game::Item 8"
  std::string shape;              // how a reader passes over a value of it
};
/// Properties, or a struct within them, as the own client sees them: "game::Player"; or as others
/// do: "game::Player@others". The hash is that of its snapshots.
struct ClientFieldsName {
  std::string name;
  std::uint64_t hash = 0;
  std::vector<ClientFieldName> fields;
};
/// All of them, each list by name.
struct ClientTable {
  std::vector<ClientMethodName> methods;
  std::vector<ClientFieldsName> classes;
  std::uint64_t hash = 0;  // of the table: two programs with one hash are the same to a client
};

/// That of this process. Throws std::logic_error as Dictionary::of_process().
const ClientTable& client_table();

/// The answer to a request of a client, as a method of the subject would give it; nullopt: it does
/// not ask for names. The request is hostile.
std::optional<bus::Bytes> answer_names(bus::ByteView request);
/// Likewise, for a table of the caller's.
std::optional<bus::Bytes> answer_names(bus::ByteView request, const ClientTable& table);

}  // namespace starbus::entity
