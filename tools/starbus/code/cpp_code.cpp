#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "base/hex.hpp"
#include "tools/starbus/code/words.hpp"
#include "tools/starbus/code/write.hpp"

namespace starbus::starter {
namespace {

using Kind = CodeType::Kind;

std::uint32_t fingerprint_of(const CodeField& field) {
  std::uint32_t hash = 0x811c'9dc5;
  for (const char c : types_of(field)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0100'0193;
  return hash;
}

/// One header.
class CppWriter {
 public:
  CppWriter(const CodeSchema& schema, const CodeHead& head)
      : schema_(schema),
        head_(head),
        words_(schema, {"game", "std", "starbus", "names", "seen", "kHashes", "kMethods"}) {}

  std::string write() {
    begin();
    for (const auto& [name, number] : enums_of(schema_)) {
      out_ << "/// " << in_comment(name) << ": the schema has no names of its values.\n"
           << "enum class " << words_.enums.at(name) << " : " << type(number) << " {};\n";
    }
    structs();
    for (const auto& row : schema_.properties) state(row.first);
    for (const std::string& name : calls_in_order(schema_)) calls(name);
    for (const auto& row : schema_.entities) entity(row.first, row.second);
    for (const auto& row : schema_.interfaces) interface(row.first, row.second);
    table();
    seen();
    out_ << "\n}  // namespace " << head_.name << "\n";
    return out_.str();
  }

 private:
  void begin() {
    out_ << "// Written by " << in_comment(head_.command) << "; do not edit it.\n"
         << "// clang-format off\n"
         << "#pragma once\n\n"
         << "#include \"clients/cpp/space/seen.hpp\"\n"
         << "#include \"clients/cpp/stubs.hpp\"\n"
         << "#include \"clients/cpp/view.hpp\"\n\n"
         << "namespace " << head_.name << " {\n\n"
         << "namespace game = starbus::game;\n\n";
  }

  std::string type(const CodeType& type) const {
    const auto part = [&](std::size_t at) { return this->type(type.parts[at]); };
    switch (type.kind) {
      case Kind::plain:
        return plain(type.name);
      case Kind::enumeration:
        return words_.enums.at(type.name);
      case Kind::list:
      case Kind::set:
        return "std::vector<" + part(0) + ">";
      case Kind::map:
        return is_key(type.parts[0]) ? "std::map<" + part(0) + ", " + part(1) + ">"
                                     : "std::vector<std::pair<" + part(0) + ", " + part(1) + ">>";
      case Kind::array:
        return "std::array<" + part(0) + ", " + std::to_string(type.first) + ">";
      case Kind::optional:
        return "std::optional<" + part(0) + ">";
      case Kind::variant:
        return "std::variant<" + all(type.parts) + ">";
      case Kind::tuple:
        return "std::tuple<" + all(type.parts) + ">";
      case Kind::duration:
        return "std::chrono::duration<" + part(0) + ", std::ratio<" + std::to_string(type.first) +
               ", " + std::to_string(type.second) + ">>";
      case Kind::structure:
        return words_.structs.at(type.name);
      case Kind::reference:
        return "std::string";
      case Kind::properties:
        return words_.states.at(type.name);
      case Kind::bag:
        return "game::Bag<" + part(0) + ", " + part(1) + ">";
      case Kind::opaque:
        break;
    }
    return "game::Bytes";
  }
  static std::string plain(const std::string& name) {
    if (name == "bool") return name;
    if (name == "f32" || name == "f64") return name == "f32" ? "float" : "double";
    if (name == "string") return "std::string";
    if (name == "bytes") return "game::Bytes";
    return "std::" + std::string(name[0] == 'u' ? "uint" : "int") + name.substr(1) + "_t";
  }
  static bool is_key(const CodeType& type) {
    return type.kind == Kind::enumeration || type.kind == Kind::reference ||
           (type.kind == Kind::plain && type.name != "bytes");
  }
  std::string all(const std::vector<CodeType>& types) const {
    std::string text;
    for (const CodeType& each : types) text += (text.empty() ? "" : ", ") + type(each);
    return text;
  }

  // --- structs ---

  void structs() {
    for (const auto& row : schema_.structs) {
      if (is_written(row.first)) out_ << "struct " << words_.structs.at(row.first) << ";\n";
    }
    if (!schema_.structs.empty()) out_ << "\n";
    for (const auto& row : schema_.structs) structure(row.first);
  }
  bool is_written(const std::string& name) const {
    CodeType whole;
    whole.kind = Kind::structure;
    whole.name = name;
    return is_readable(whole, schema_);
  }
  void needed_by(const CodeType& type) {
    if (type.kind == Kind::structure) structure(type.name);
    for (const CodeType& part : type.parts) needed_by(part);
  }
  /// After those that it consists of.
  void structure(const std::string& name) {
    if (!is_written(name) || !done_.insert(name).second) return;
    const std::vector<CodeField>& fields = schema_.structs.at(name);
    for (const CodeField& field : fields) needed_by(field.type);
    const std::string& word = words_.structs.at(name);
    Scope scope({word, "each_field"});
    out_ << "/// " << in_comment(name) << "\nstruct " << word << " {\n";
    std::string visits;
    for (std::size_t at = 0; at < fields.size(); ++at) {
      const std::string& own = fields[at].name;
      const std::string field =
          scope.take(own.empty() ? "field" + std::to_string(at + 1) : cpp_word(own));
      out_ << "  " << type(fields[at].type) << " " << field << "{};\n";
      visits += "    visit(self." + field + ");\n";
    }
    out_ << "  template <class Self, class Visit>\n"
         << "  static void each_field("
         << (fields.empty() ? "Self&, Visit" : "Self& self, Visit visit") << ") {\n"
         << visits << "  }\n"
         << "  friend bool operator==(const " << word << "&, const " << word << "&) = default;\n"
         << "};\n\n";
  }

  // --- properties ---

  void state(const std::string& name) {
    if (!done_states_.insert(name).second) return;
    const CodeFields& row = schema_.properties.at(name);
    if (is_left_out(name, schema_)) {
      out_ << "// " << in_comment(name) << " is left out: a field of it is opaque.\n\n";
      return;
    }
    for (const CodeField& field : row.fields) {
      if (field.type.kind == Kind::properties) state(field.type.name);
      if (field.type.kind == Kind::bag) state(field.type.parts[1].name);
    }
    const std::string& word = words_.states.at(name);
    Scope scope({word, "row", "Watch"});
    std::vector<std::string> fields;
    const bool others = is_for_others(name);
    out_ << "/// Properties " << in_comment(name_without_others(name)) << ", as "
         << (others ? "other clients see" : "their own client sees") << " them.\nstruct " << word
         << " {\n";
    for (const CodeField& field : row.fields) {
      fields.push_back(scope.take(cpp_word(field.name)));
      out_ << "  " << type(field.type) << " " << fields.back() << "{};\n";
    }
    out_ << "  friend bool operator==(const " << word << "&, const " << word << "&) = default;\n"
         << "  static const game::ClassRow& row();\n";
    if (row.of_entity && !others) watch(word, row, fields);
    out_ << "};\n";
    rows(name, word, row, fields);
  }
  /// A function for each field.
  void watch(const std::string& word, const CodeFields& row,
             const std::vector<std::string>& fields) {
    out_ << "\n  /// Hears of changes, after all that came at once are made.\n"
         << "  class Watch {\n   public:\n    virtual ~Watch() = default;\n"
         << "    virtual void state_changed(const " << word << "&) {}\n";
    Scope scope({"state_changed"});
    std::string calls;
    for (std::size_t at = 0; at < fields.size(); ++at) {
      const std::string told = scope.take(identifier_of(row.fields[at].name) + "_changed");
      out_ << "    virtual void " << told << "(const " << type(row.fields[at].type) << "&) {}\n";
      calls += "      if (changed[" + std::to_string(at) + "]) " + told + "(state." + fields[at] +
               ");\n";
    }
    out_ << "    void tell(const " << word << "& state, "
         << (fields.empty() ? "const game::Changed&" : "const game::Changed& changed") << ") {\n"
         << calls << "      state_changed(state);\n    }\n  };\n";
  }
  void rows(const std::string& name, const std::string& word, const CodeFields& row,
            const std::vector<std::string>& fields) {
    out_ << "inline const game::ClassRow& " << word << "::row() {\n";
    if (!fields.empty()) {
      out_ << "  static constexpr game::FieldRow kFields[] = {\n";
      for (std::size_t at = 0; at < fields.size(); ++at) {
        const CodeField& field = row.fields[at];
        out_ << "      game::field_row<&" << word << "::" << fields[at] << ">("
             << literal_of(field.name) << ", " << static_cast<unsigned>(field.index) << ", 0x"
             << hex_of(fingerprint_of(field));
        if (field.capacity != 0) out_ << ", " << field.capacity;
        out_ << "),\n";
      }
      out_ << "  };\n";
    }
    out_ << "  static constexpr game::ClassRow kRow{" << literal_of(name) << ", 0x"
         << hex_of(row.hash) << ", " << (fields.empty() ? "{}" : "kFields") << "};\n"
         << "  return kRow;\n}\n\n";
  }

  // --- methods ---

  static bool is_small(const CodeType& type) {
    return (type.kind == Kind::plain && type.name != "string" && type.name != "bytes") ||
           type.kind == Kind::enumeration || type.kind == Kind::duration;
  }
  std::string parameter(const CodeType& each) const {
    return is_small(each) ? type(each) : "const " + type(each) + "&";
  }
  void calls(const std::string& name) {
    const CodeClass& row = schema_.classes.at(name);
    const std::string base = base_with_calls(name, schema_);
    const std::string& word = words_.calls.at(name);
    Scope scope = base.empty() ? Scope({"asker_"}) : scopes_.at(base);
    scope.take(word);
    out_ << "/// What a client asks: " << in_comment(name) << ".\nclass " << word;
    if (!base.empty()) out_ << " : public " << words_.calls.at(base);
    out_ << " {\n public:\n  explicit " << word
         << "(const game::Asker& asker) : " << (base.empty() ? "asker_" : words_.calls.at(base))
         << "(asker) {}\n";
    for (const CodeMethod& method : row.methods) {
      if (is_left_out(method, schema_)) {
        out_ << "  // " << in_comment(method.name) << " is left out: a type of it is opaque.\n";
        continue;
      }
      ask(method, scope.take(cpp_word(method.name)));
    }
    if (base.empty()) out_ << "\n protected:\n  game::Asker asker_;\n";
    out_ << "};\n\n";
    scopes_.emplace(name, std::move(scope));
  }
  void ask(const CodeMethod& method, const std::string& word) {
    const std::string value = method.answer ? type(*method.answer) : "game::Nothing";
    const std::string refusal = method.refusal ? type(*method.refusal) : "game::Nothing";
    const std::string both = value + ", " + refusal;
    std::string parameters;
    std::string arguments;
    for (std::size_t at = 0; at < method.arguments.size(); ++at) {
      const std::string argument = "arg" + std::to_string(at + 1);
      parameters += parameter(method.arguments[at]) + " " + argument + ", ";
      arguments += ", " + argument;
    }
    out_ << "  game::Asked " << word << "(" << parameters
         << "std::function<void(const game::Answered<" << both << ">&)> told) const {\n"
         << "    return asker_.ask<" << both << ">(0x" << hex_of(method.id) << ", 0x"
         << hex_of(method.signature) << ", std::move(told)" << arguments << ");\n  }\n";
  }

  void entity(const std::string& name, const CodeEntity& row) {
    const std::string& word = words_.entities.at(name);
    const bool calls = has_calls(row.rpc, schema_);
    const bool state = !row.properties.empty() && !is_left_out(row.properties, schema_);
    Scope scope = calls ? scopes_.at(row.rpc) : Scope();
    scope.take(word);
    std::string members;
    std::string made = calls ? words_.calls.at(row.rpc) + "(asker)" : "";
    for (const auto& [component, rpc] : row.components) {
      if (!has_calls(rpc, schema_)) continue;
      const std::string member = scope.take(cpp_word(component));
      members += "  " + words_.calls.at(rpc) + " " + member + ";  // component " +
                 in_comment(component) + "\n";
      made += (made.empty() ? "" : ", ") + member + "(asker)";
    }
    if (made.empty() && !state) return;  // nothing of it is for clients
    out_ << "/// A client that plays a " << in_comment(name) << ".\nclass " << word;
    if (calls) out_ << " : public " << words_.calls.at(row.rpc);
    out_ << " {\n public:\n";
    if (state) out_ << "  using State = " << words_.states.at(row.properties) << ";\n";
    out_ << "  explicit " << word << "(const game::Asker&"
         << (made.empty() ? ") {}\n" : " asker) : ") << made << (made.empty() ? "" : " {}\n")
         << members << "};\n\n";
  }

  void interface(const std::string& name, const CodeClass& row) {
    const std::string& word = words_.interfaces.at(name);
    Scope scope({word, "hear"});
    std::string cases;
    out_ << "/// What the server calls at the client: " << in_comment(name) << ".\nclass " << word
         << " {\n public:\n  virtual ~" << word << "() = default;\n";
    for (const CodeMethod& method : row.methods) {
      if (is_left_out(method, schema_)) {
        out_ << "  // " << in_comment(method.name) << " is left out: a type of it is opaque.\n";
        continue;
      }
      const std::string told = scope.take(cpp_word(method.name));
      std::string parameters;
      for (std::size_t at = 0; at < method.arguments.size(); ++at) {
        parameters += (at == 0 ? "" : ", ") + parameter(method.arguments[at]) + " arg" +
                      std::to_string(at + 1);
      }
      out_ << "  virtual void " << told << "(" << parameters << ") = 0;\n";
      const std::string types = all(method.arguments);
      cases += "      case 0x" + hex_of(method.id) + ":\n        return game::hear_call" + "<" +
               types + ">(call, 0x" + hex_of(method.signature) +
               ", [this](const auto&... each) { this->" + told + "(each...); });\n";
    }
    out_ << "  /// Hands a call to the function above that it is for.\n"
         << "  game::Heard hear(const game::Call& call) {\n    switch (call.method) {\n"
         << cases << "      default:\n        return game::Heard::unknown;\n    }\n  }\n};\n\n";
  }

  // --- names ---

  void table() {
    out_ << "/// `client_hash` of each schema that this was written from.\n"
         << "inline constexpr std::uint64_t kHashes[] = {";
    for (std::size_t at = 0; at < schema_.hashes.size(); ++at) {
      out_ << (at == 0 ? "0x" : ", 0x") << hex_of(schema_.hashes[at]);
    }
    out_ << "};\n\n/// For game::Settings::names.\ninline const game::NameTable& names() {\n";
    std::string rows;
    const auto add = [&](const char* side, const std::map<std::string, CodeClass>& classes) {
      for (const auto& [name, row] : classes) {
        for (const CodeMethod& method : row.methods) {
          rows += "      {game::Side::" + std::string(side) + ", " +
                  literal_of(name + "." + method.name) + ", 0x" + hex_of(method.signature) + "},\n";
        }
      }
    };
    add("asks", schema_.classes);
    add("hears", schema_.interfaces);
    std::string classes;
    for (const auto& row : schema_.properties) {
      if (!is_left_out(row.first, schema_)) {
        classes += "      &" + words_.states.at(row.first) + "::row(),\n";
      }
    }
    if (!rows.empty()) {
      out_ << "  static constexpr game::NameRow kMethods[] = {\n" << rows << "  };\n";
    }
    if (!classes.empty()) {
      out_ << "  static const game::ClassRow* const kClasses[] = {\n" << classes << "  };\n";
    }
    out_ << "  static const game::NameTable kTable{kHashes, " << (rows.empty() ? "{}" : "kMethods")
         << ", " << (classes.empty() ? "{}" : "kClasses") << "};\n  return kTable;\n}\n";
  }

  /// Which states belong to what is seen in a space.
  void seen() {
    std::string rows;
    for (const auto& [name, row] : schema_.entities) {
      const std::string others = row.properties + std::string(kOthers);
      const bool shown = schema_.properties.contains(others) && !is_left_out(others, schema_);
      if (!shown) continue;
      rows += "      game::seen_row<" + words_.states.at(others) + ">(" + literal_of(name) + "),\n";
    }
    out_ << "\n/// Entities as other clients see them, for game::SpaceView.\n"
         << "inline std::span<const game::SeenRow> seen() {\n";
    if (rows.empty()) {
      out_ << "  return {};\n}\n";
    } else {
      out_ << "  static constexpr game::SeenRow kRows[] = {\n"
           << rows << "  };\n"
           << "  return kRows;\n}\n";
    }
  }

  const CodeSchema& schema_;
  const CodeHead& head_;
  const TypeWords words_;
  std::ostringstream out_;
  std::set<std::string> done_;
  std::set<std::string> done_states_;
  std::map<std::string, Scope> scopes_;  // of the members of each class of calls
};

}  // namespace

std::string cpp_code(const CodeSchema& schema, const CodeHead& head) {
  return CppWriter(schema, head).write();
}

}  // namespace starbus::starter
