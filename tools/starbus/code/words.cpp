#include "tools/starbus/code/words.hpp"

#include <algorithm>
#include <functional>

namespace starbus::starter {
namespace {

using Kind = CodeType::Kind;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// "Line" of "game::Player::Line", "Box_int" of "game::Box<int>".
std::string short_name(std::string_view cpp) {
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < cpp.size(); ++at) {
    if (cpp[at] == '<' || cpp[at] == '(') ++depth;
    if ((cpp[at] == '>' || cpp[at] == ')') && depth > 0) --depth;
    if (depth == 0 && cpp.substr(at, 2) == "::") begin = at + 2;
  }
  return cpp_word(cpp.substr(begin));
}

void find_enums(const CodeType& type, std::map<std::string, CodeType>& found) {
  if (type.kind == Kind::enumeration) found.emplace(type.name, type.parts[0]);
  for (const CodeType& part : type.parts) find_enums(part, found);
}

bool fields_readable(const std::string& name, const CodeSchema& schema,
                     std::set<std::string>& seen) {
  if (!seen.insert(name).second) return true;
  const auto found = schema.properties.find(name);
  if (found == schema.properties.end()) return false;
  return std::ranges::all_of(found->second.fields, [&](const CodeField& field) {
    const CodeType& type = field.type;
    if (type.kind == Kind::properties) return fields_readable(type.name, schema, seen);
    if (type.kind == Kind::bag) return fields_readable(type.parts[1].name, schema, seen);
    return is_readable(type, schema);
  });
}

}  // namespace

std::string identifier_of(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const char next = is_word(c) ? c : '_';
    if (next != '_' || made.empty() || made.back() != '_') made += next;
  }
  while (made.size() > 1 && made.back() == '_') made.pop_back();
  while (made.size() > 1 && made.front() == '_') made.erase(0, 1);
  const bool digit = !made.empty() && made.front() >= '0' && made.front() <= '9';
  return made.empty() || digit ? "_" + made : made == "_" ? "x" : made;
}

std::string pascal_of(std::string_view text) {
  std::string made;
  bool upper = true;
  for (const char c : text) {
    if (is_word(c)) made += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = !is_word(c);
  }
  return identifier_of(made);
}

bool is_cpp_keyword(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept",
      "const", "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await",
      "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast",
      "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
      "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
      "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
      "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
      "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Macros of the standard library and of systems.
      "NULL", "assert", "errno", "stdin", "stdout", "stderr", "linux", "unix", "major", "minor",
      "EOF", "INT_MAX"};
  return kWords.contains(word);
}

std::string cpp_word(std::string_view text) {
  std::string word = identifier_of(text);
  return is_cpp_keyword(word) ? word + "_" : word;
}

std::string Scope::take(const std::string& wanted, const std::string& otherwise) {
  if (taken_.insert(wanted).second) return wanted;
  if (taken_.insert(otherwise).second) return otherwise;
  for (std::size_t number = 2;; ++number) {
    const char* const between = otherwise.ends_with('_') ? "" : "_";
    std::string next = otherwise + between + std::to_string(number);
    if (taken_.insert(next).second) return next;
  }
}

std::map<std::string, CodeType> enums_of(const CodeSchema& schema) {
  std::map<std::string, CodeType> found;
  const auto of_class = [&found](const CodeClass& each) {
    for (const CodeMethod& method : each.methods) {
      for (const CodeType& type : method.arguments) find_enums(type, found);
      if (method.answer) find_enums(*method.answer, found);
      if (method.refusal) find_enums(*method.refusal, found);
    }
  };
  for (const auto& row : schema.classes) of_class(row.second);
  for (const auto& row : schema.interfaces) of_class(row.second);
  for (const auto& row : schema.properties) {
    for (const CodeField& field : row.second.fields) find_enums(field.type, found);
  }
  for (const auto& row : schema.structs) {
    for (const CodeField& field : row.second) find_enums(field.type, found);
  }
  return found;
}

TypeWords::TypeWords(const CodeSchema& schema, std::set<std::string> reserved) {
  Scope scope(std::move(reserved));
  for (const auto& row : schema.entities) {
    entities[row.first] = scope.take(pascal_of(row.first), identifier_of(row.first));
  }
  for (const auto& row : schema.interfaces) {
    interfaces[row.first] = scope.take(pascal_of(row.first), identifier_of(row.first));
  }
  for (const auto& row : schema.classes) {
    if (!has_calls(row.first, schema)) continue;
    calls[row.first] =
        scope.take(pascal_of(row.first) + "Calls", identifier_of(row.first) + "_calls");
  }
  for (const auto& [name, row] : schema.properties) {
    if (is_for_others(name)) continue;
    const std::string plain = short_name(name);
    const bool state = row.of_entity && !plain.ends_with("State");
    states[name] = scope.take(state ? plain + "State" : plain, identifier_of(name));
  }
  for (const auto& row : schema.structs) {
    structs[row.first] = scope.take(short_name(row.first), identifier_of(row.first));
  }
  for (const auto& row : enums_of(schema)) {
    enums[row.first] = scope.take(short_name(row.first), identifier_of(row.first));
  }
  for (const auto& [name, row] : schema.properties) {
    if (!is_for_others(name)) continue;
    const std::string whole = name_without_others(name);
    std::string plain = short_name(whole);
    const bool state = row.of_entity && plain.ends_with("State") && plain != "State";
    if (state) plain.resize(plain.size() - std::string_view("State").size());
    states[name] = scope.take(plain + "Seen", identifier_of(whole) + "_Seen");
  }
}

bool is_left_out(const CodeMethod& method, const CodeSchema& schema) {
  const auto readable = [&](const CodeType& type) { return is_readable(type, schema); };
  return !std::ranges::all_of(method.arguments, readable) ||
         (method.answer && !readable(*method.answer)) ||
         (method.refusal && !readable(*method.refusal));
}

bool is_left_out(const std::string& properties, const CodeSchema& schema) {
  std::set<std::string> seen;
  return !fields_readable(properties, schema, seen);
}

bool has_calls(const std::string& rpc, const CodeSchema& schema) {
  for (std::string at = rpc; !at.empty();) {
    const auto found = schema.classes.find(at);
    if (found == schema.classes.end()) return false;
    if (!found->second.methods.empty()) return true;
    at = found->second.base;
  }
  return false;
}

}  // namespace starbus::starter
