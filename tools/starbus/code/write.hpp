/// Writes typed code for clients: of `starbus client-code`. The same schema gives the same bytes.
/// Pure functions; any thread.
#pragma once

#include <string>

#include "tools/starbus/code/schema.hpp"

namespace starbus::starter {

/// Who is told in the first line to have written it.
struct CodeHead {
  std::string name;     // of files and namespace: an identifier
  std::string command;  // that writes it
};

/// One header, over clients/cpp/stubs.hpp and view.hpp.
std::string cpp_code(const CodeSchema& schema, const CodeHead& head);
/// One module, over the package starbus-client.
std::string typescript_code(const CodeSchema& schema, const CodeHead& head);

/// The classes of methods for clients, each after the one that it goes on from.
std::vector<std::string> calls_in_order(const CodeSchema& schema);
/// The class that has calls of those that `rpc` goes on from; empty: none.
std::string base_with_calls(const std::string& rpc, const CodeSchema& schema);
/// A text as JSON has it; a literal of both languages.
std::string literal_of(std::string_view text);

/// A name within a comment: in back quotes, and so that the comment does not end by it. What is not
/// ASCII is `?`.
std::string in_comment(std::string_view name);

}  // namespace starbus::starter
