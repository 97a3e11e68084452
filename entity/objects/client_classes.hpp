/// The interfaces of clients that this program calls: for its schema (docs/reference/schema.md),
/// and for clients that were built from another one (client_names.hpp). Each call of a method
/// enlists its interface before main; any thread may read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starbus::entity {

class TypeTable;

/// A method that the server calls at the client.
struct ClientMethodRow {
  std::string_view name;
  /// The types of the arguments: null for signatures, or a table for descriptions.
  std::vector<std::string> (*types)(TypeTable* types);
};
/// One interface.
struct ClientClass {
  std::string_view name;
  std::string type;  // as C++ spells the class
  std::vector<ClientMethodRow> methods;
};

/// Idempotent.
bool enlist_client_class(ClientClass (*describe)());
/// All of them by name, their methods by name.
std::vector<ClientClass> client_classes();

/// "(str,i32)" of signatures.
std::string client_signature_text(const std::vector<std::string>& types);

}  // namespace starbus::entity
