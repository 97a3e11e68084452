/// The names of generated code: identifiers of the target language, each once. The rule is in
/// docs/reference/client-code.md. Plain values; one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tools/starbus/code/schema.hpp"

namespace starbus::starter {

/// Letters, digits and `_`; other bytes become `_`, a run of which is one; a digit first gets an
/// `_` before it. Never empty.
std::string identifier_of(std::string_view text);
/// "player_client" as "PlayerClient".
std::string pascal_of(std::string_view text);
bool is_cpp_keyword(std::string_view word);
/// An identifier that is no keyword of C++: those get an `_` behind them.
std::string cpp_word(std::string_view text);

/// Names within one scope. The first that wants a name has it.
class Scope {
 public:
  explicit Scope(std::set<std::string> reserved = {}) : taken_(std::move(reserved)) {}
  /// `wanted`, else `otherwise`, else that with the next free number behind it.
  std::string take(const std::string& wanted, const std::string& otherwise);
  std::string take(const std::string& wanted) { return take(wanted, wanted); }

 private:
  std::set<std::string> taken_;
};

/// The types of the generated code, by what the schema calls them. The first in this order has the
/// short name: entities, interfaces, calls, states, structs, enums, and states as other clients see
/// them, each by name.
struct TypeWords {
  std::map<std::string, std::string> entities;
  std::map<std::string, std::string> interfaces;
  std::map<std::string, std::string> calls;
  std::map<std::string, std::string> states;
  std::map<std::string, std::string> structs;
  std::map<std::string, std::string> enums;
  /// `reserved`: names of the language and of the client that types must not have.
  TypeWords(const CodeSchema& schema, std::set<std::string> reserved);
};

/// The enums that the schema speaks of, with the type of their numbers.
std::map<std::string, CodeType> enums_of(const CodeSchema& schema);

/// What both languages leave out, as values of it cannot be read: nothing but comments tells it.
bool is_left_out(const CodeMethod& method, const CodeSchema& schema);
/// Properties of which a field, here or below, cannot be read.
bool is_left_out(const std::string& properties, const CodeSchema& schema);
/// Whether the class of methods, or one that it goes on from, has methods for clients.
bool has_calls(const std::string& rpc, const CodeSchema& schema);

}  // namespace starbus::starter
