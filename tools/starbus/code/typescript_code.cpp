#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/hex.hpp"
#include "tools/starbus/code/words.hpp"
#include "tools/starbus/code/write.hpp"

namespace starbus::starter {
namespace {

using Kind = CodeType::Kind;
using DocumentJson = nlohmann::ordered_json;

const std::set<std::string> kReserved{
    "Array",      "AskOptions",  "Bag",        "BigInt", "Boolean",    "Client",    "Date",
    "Error",      "Function",    "Map",        "Math",   "Number",     "Object",    "Outcome",
    "Promise",    "ReadonlyMap", "Record",     "Schema", "SchemaDoc",  "Seen",      "Set",
    "String",     "Symbol",      "Uint8Array", "any",    "arguments",  "await",     "bigint",
    "boolean",    "enum",        "eval",       "never",  "null",       "number",    "object",
    "schema",     "string",      "symbol",     "type",   "undefined",  "unknown",   "void",
    "watchField", "yield",       "let",        "static", "implements", "interface", "package",
    "function",   "in",          "instanceof", "typeof", "var",        "with",      "debugger",
    "finally",    "extends",     "super",      "import"};

/// A name of a member as it stands: with quotes unless it is an identifier.
std::string member(const std::string& name) {
  return identifier_of(name) == name ? name : literal_of(name);
}
std::string ts_word(std::string_view text) {
  std::string word = identifier_of(text);
  return kReserved.contains(word) || is_cpp_keyword(word) ? word + "_" : word;
}

/// In brackets if it is more than a word.
std::string grouped(const std::string& type) {
  return type.find(' ') == std::string::npos ? type : "(" + type + ")";
}

/// One module.
class TypeScriptWriter {
 public:
  TypeScriptWriter(const CodeSchema& schema, const CodeHead& head)
      : schema_(schema), head_(head), words_(schema, kReserved) {}

  std::string write() {
    for (const auto& [name, number] : enums_of(schema_)) {
      out_ << "/** " << in_comment(name) << ": the schema has no names of its values. */\n"
           << "export type " << words_.enums.at(name) << " = " << type(number) << ";\n";
    }
    for (const auto& [name, fields] : schema_.structs) structure(name, fields);
    for (const auto& [name, row] : schema_.properties) state(name, row);
    for (const std::string& name : calls_in_order(schema_)) calls(name);
    for (const auto& [name, row] : schema_.entities) entity(name, row);
    for (const auto& [name, row] : schema_.interfaces) interface(name, row);
    for (const auto& [name, row] : schema_.entities) seen(name, row);
    out_ << "const doc: SchemaDoc = " << document().dump(2) << ";\n\n"
         << "/** For the option `schema` of a Client. */\n"
         << "export const schema = new Schema(doc);\n";
    return begin(out_.str());
  }

 private:
  /// The head, with imports of what the body names.
  std::string begin(const std::string& body) const {
    std::string types;
    for (const char* name : {"AskOptions", "Bag", "Client", "Outcome"}) {
      const bool used = body.find(std::string(name) + "<") != std::string::npos ||
                        body.find(std::string(": ") + name) != std::string::npos;
      if (used) types += std::string(name) + ", ";
    }
    const bool sees = body.find("(seen: Seen)") != std::string::npos;
    const bool watches = body.find("watchField<") != std::string::npos;
    return "// Written by " + in_comment(head_.command) + "; do not edit it.\n" +
           "import { Schema" + (watches ? ", watchField" : "") + " } from 'starbus-client';\n" +
           "import type { " + types + "SchemaDoc" + (sees ? ", Seen" : "") +
           " } from 'starbus-client';\n\n" + body;
  }

  std::string type(const CodeType& type) const {
    const auto part = [&](std::size_t at) { return this->type(type.parts[at]); };
    switch (type.kind) {
      case Kind::plain:
        if (type.name == "bool") return "boolean";
        if (type.name == "bytes") return "Uint8Array";
        if (type.name == "string") return type.name;
        return type.name == "i64" || type.name == "u64" ? "bigint" : "number";
      case Kind::enumeration:
        return words_.enums.at(type.name);
      case Kind::list:
      case Kind::set:
      case Kind::array:
        return "readonly " + grouped(part(0)) + "[]";
      case Kind::map:
        return "ReadonlyMap<" + part(0) + ", " + part(1) + ">";
      case Kind::optional:
        return grouped(part(0)) + " | null";
      case Kind::variant:
        return variant(type);
      case Kind::tuple:
        return "readonly [" + all(type.parts) + "]";
      case Kind::duration:
        return part(0);
      case Kind::structure:
        return words_.structs.at(type.name);
      case Kind::reference:
        return "string";
      case Kind::properties:
        return words_.states.at(type.name);
      case Kind::bag:
        return "Bag<" + part(0) + ", " + part(1) + ">";
      case Kind::opaque:
        break;
    }
    return "never";
  }
  std::string variant(const CodeType& type) const {
    std::string text;
    for (std::size_t at = 0; at < type.parts.size(); ++at) {
      text += at == 0 ? "" : " | ";
      text += "{ readonly index: " + std::to_string(at) +
              "; readonly value: " + this->type(type.parts[at]) + " }";
    }
    return text;
  }
  std::string all(const std::vector<CodeType>& types) const {
    std::string text;
    for (const CodeType& each : types) text += (text.empty() ? "" : ", ") + type(each);
    return text;
  }

  void structure(const std::string& name, const std::vector<CodeField>& fields) {
    out_ << "/** " << in_comment(name) << " */\nexport interface " << words_.structs.at(name)
         << " {\n";
    for (std::size_t at = 0; at < fields.size(); ++at) {
      const std::string& own = fields[at].name;
      out_ << "  readonly " << member(own.empty() ? "_" + std::to_string(at + 1) : own) << ": "
           << type(fields[at].type) << ";\n";
    }
    out_ << "}\n";
  }
  void state(const std::string& name, const CodeFields& row) {
    if (is_left_out(name, schema_)) {
      out_ << "// " << in_comment(name) << " is left out: a field of it is opaque.\n";
      return;
    }
    out_ << "/** Properties " << in_comment(name_without_others(name)) << ", as "
         << (is_for_others(name) ? "other clients see" : "their own client sees") << " them. */\n"
         << "export interface " << words_.states.at(name) << " {\n";
    for (const CodeField& field : row.fields) {
      out_ << "  readonly " << member(field.name) << ": " << type(field.type) << ";\n";
    }
    out_ << "}\n";
  }

  void constructor(bool derived) {
    if (!derived) out_ << "  protected readonly client: Client;\n";
    out_ << "  constructor(client: Client) {\n"
         << (derived ? "    super(client);\n" : "    this.client = client;\n");
  }
  void calls(const std::string& name) {
    const CodeClass& row = schema_.classes.at(name);
    const std::string base = base_with_calls(name, schema_);
    Scope scope = base.empty() ? Scope({"client", "constructor"}) : scopes_.at(base);
    out_ << "\n/** What a client asks: " << in_comment(name) << ". */\nexport class "
         << words_.calls.at(name);
    if (!base.empty()) out_ << " extends " << words_.calls.at(base);
    out_ << " {\n";
    if (base.empty()) {
      constructor(false);
      out_ << "  }\n";
    }
    for (const CodeMethod& method : row.methods) {
      if (is_left_out(method, schema_)) {
        out_ << "  // " << in_comment(method.name) << " is left out: a type of it is opaque.\n";
        continue;
      }
      ask(name, method, scope.take(identifier_of(method.name), identifier_of(method.name) + "_"));
    }
    out_ << "}\n";
    scopes_.emplace(name, std::move(scope));
  }
  void ask(const std::string& owner, const CodeMethod& method, const std::string& word) {
    std::string parameters;
    std::string arguments;
    for (std::size_t at = 0; at < method.arguments.size(); ++at) {
      const std::string argument = "arg" + std::to_string(at + 1);
      parameters += argument + ": " + type(method.arguments[at]) + ", ";
      arguments += (at == 0 ? "" : ", ") + argument;
    }
    const std::string both = (method.answer ? type(*method.answer) : "undefined") + ", " +
                             (method.refusal ? type(*method.refusal) : "never");
    out_ << "  " << word << "(" << parameters << "options?: AskOptions): Promise<Outcome<" << both
         << ">> {\n    return this.client.ask<" << both << ">("
         << literal_of(owner + "." + method.name) << ", [" << arguments << "], options);\n  }\n";
  }

  void entity(const std::string& name, const CodeEntity& row) {
    const bool calls = has_calls(row.rpc, schema_);
    const bool state = !row.properties.empty() && !is_left_out(row.properties, schema_);
    Scope scope = calls ? scopes_.at(row.rpc) : Scope({"client", "constructor"});
    std::string members;
    std::string made;
    for (const auto& [component, rpc] : row.components) {
      if (!has_calls(rpc, schema_)) continue;
      const std::string& word = words_.calls.at(rpc);
      const std::string own = scope.take(identifier_of(component), identifier_of(component) + "_");
      members += "  /** Component " + in_comment(component) + ". */\n  readonly " + own + ": " +
                 word + ";\n";
      made += "    this." + own + " = new " + word + "(client);\n";
    }
    if (!calls && !state && members.empty()) return;  // nothing of it is for clients
    out_ << "\n/** A client that plays a " << in_comment(name) << ". */\nexport class "
         << words_.entities.at(name);
    if (calls) out_ << " extends " << words_.calls.at(row.rpc);
    out_ << " {\n" << members;
    constructor(calls);
    out_ << made << "  }\n";
    if (state) view(words_.states.at(row.properties), scope);
    out_ << "}\n";
  }
  void view(const std::string& word, Scope& scope) {
    const std::string state = scope.take("state", "state_");
    const std::string watch = scope.take("watch", "watch_");
    out_ << "  /** Undefined: there is none now. It is changed in place. */\n"
         << "  get " << state << "(): " << word << " | undefined {\n"
         << "    return this.client.properties as " << word << " | undefined;\n  }\n"
         << "  /** Runs when the property has changed. Returns what ends it. */\n"
         << "  " << watch << "<N extends string & keyof " << word << ">(\n    name: N,\n"
         << "    told: (value: " << word << "[N]) => void,\n  ): () => void {\n"
         << "    return watchField<" << word << ", N>(this.client, name, told);\n  }\n";
  }

  void interface(const std::string& name, const CodeClass& row) {
    const std::string& word = words_.interfaces.at(name);
    Scope scope;
    std::string handlers;
    out_ << "\n/** What the server calls at the client: " << in_comment(name)
         << ". */\nexport interface " << word << " {\n";
    for (const CodeMethod& method : row.methods) {
      if (is_left_out(method, schema_)) {
        out_ << "  // " << in_comment(method.name) << " is left out: a type of it is opaque.\n";
        continue;
      }
      const std::string told = scope.take(identifier_of(method.name), ts_word(method.name) + "_");
      std::string parameters;
      std::string arguments;
      for (std::size_t at = 0; at < method.arguments.size(); ++at) {
        const std::string argument = "arg" + std::to_string(at + 1);
        parameters += (at == 0 ? "" : ", ") + argument + ": " + type(method.arguments[at]);
        arguments += (at == 0 ? "" : ", ") + argument;
      }
      out_ << "  " << told << "(" << parameters << "): void;\n";
      const std::string full = literal_of(name + "." + method.name);
      handlers += "  client.handle(" + full + ", schema.heard(" + full + "), (" + parameters +
                  ") => to." + told + "(" + arguments + "));\n";
    }
    out_ << "}\n/** Hands the calls of the server to `to`. */\nexport function handle" << word
         << "(client: Client, to: " << word << "): void {\n"
         << handlers << (handlers.empty() ? "  void client, to;\n" : "") << "}\n\n";
  }

  /// Tells what others see of an entity from what they see of others.
  void seen(const std::string& name, const CodeEntity& row) {
    const std::string others = row.properties + std::string(kOthers);
    if (!schema_.properties.contains(others) || is_left_out(others, schema_)) return;
    out_ << "/** Whether it is a " << in_comment(name) << ", whose properties are typed then. */\n"
         << "export function is" << words_.entities.at(name) << "(seen: Seen): seen is Seen<"
         << words_.states.at(others) << "> {\n  return seen.className === " << literal_of(name)
         << ";\n}\n\n";
  }

  // --- the schema, as far as clients need it ---

  static DocumentJson methods(const std::string& owner, const CodeClass& row, bool asked) {
    DocumentJson rows = DocumentJson::array();
    for (const CodeMethod& method : row.methods) {
      DocumentJson arguments = DocumentJson::array();
      for (const CodeType& each : method.arguments)
        arguments.push_back(DocumentJson::parse(each.json));
      DocumentJson made = {{"name", method.name},
                           {"id", hex_of(method.id)},
                           {"signature", hex_of(method.signature)}};
      if (asked) made["callers"] = DocumentJson::array({"own_client"});
      made["arguments"] = std::move(arguments);
      if (asked)
        made["answer"] = method.answer ? DocumentJson::parse(method.answer->json) : DocumentJson();
      if (method.refusal) made["refusal"] = DocumentJson::parse(method.refusal->json);
      rows.push_back(std::move(made));
    }
    return {{"name", owner}, {"methods", std::move(rows)}};
  }
  /// The fields of a class that its own client or other clients see, by their indices.
  DocumentJson properties(const std::string& name) const {
    std::map<std::uint8_t, std::pair<const CodeField*, DocumentJson>> fields;
    const auto add = [&](const std::string& row, const char* flag) {
      const auto found = schema_.properties.find(row);
      if (found == schema_.properties.end()) return;
      for (const CodeField& field : found->second.fields) {
        auto& [known, flags] = fields[field.index];
        known = &field;
        flags.push_back(flag);
      }
    };
    add(name, "own_client");
    add(name + std::string(kOthers), "other_clients");
    DocumentJson made = DocumentJson::array();
    for (const auto& [index, field] : fields) made.push_back(property(*field.first, field.second));
    return made;
  }
  static DocumentJson property(const CodeField& field, const DocumentJson& flags) {
    DocumentJson made = {{"name", field.name},
                         {"index", field.index},
                         {"flags", flags},
                         {"signature", field.signature},
                         {"type", DocumentJson::parse(field.type.json)}};
    if (field.capacity != 0) made["capacity"] = field.capacity;
    return made;
  }
  DocumentJson document() const {
    DocumentJson hashes = DocumentJson::array();
    for (const std::uint64_t hash : schema_.hashes) hashes.push_back(hex_of(hash));
    DocumentJson classes = DocumentJson::array();
    for (const auto& [name, row] : schema_.classes) {
      if (!row.methods.empty()) classes.push_back(methods(name, row, true));
    }
    DocumentJson clients = DocumentJson::array();
    for (const auto& [name, row] : schema_.interfaces) clients.push_back(methods(name, row, false));
    DocumentJson classes_of_fields = DocumentJson::array();
    std::set<std::string> named;
    for (const auto& [marked, row] : schema_.properties) {
      const std::string name = name_without_others(marked);
      if (!named.insert(name).second) continue;
      classes_of_fields.push_back({{"name", name},
                                   {"of_entity", row.of_entity},
                                   {"hash", hex_of(row.hash)},
                                   {"fields", properties(name)}});
    }
    DocumentJson structs = DocumentJson::object();
    for (const auto& [name, fields] : schema_.structs) {
      DocumentJson rows = DocumentJson::array();
      for (const CodeField& field : fields) {
        DocumentJson made = DocumentJson::object();
        if (!field.name.empty()) made["name"] = field.name;
        made["type"] = DocumentJson::parse(field.type.json);
        rows.push_back(std::move(made));
      }
      structs[name] = std::move(rows);
    }
    return {{"client_hashes", std::move(hashes)},
            {"rpc", {{"classes", std::move(classes)}}},
            {"clients", std::move(clients)},
            {"properties", std::move(classes_of_fields)},
            {"structs", std::move(structs)}};
  }

  const CodeSchema& schema_;
  const CodeHead& head_;
  const TypeWords words_;
  std::ostringstream out_;
  std::map<std::string, Scope> scopes_;  // of the members of each class of calls
};

}  // namespace

std::string typescript_code(const CodeSchema& schema, const CodeHead& head) {
  return TypeScriptWriter(schema, head).write();
}

}  // namespace starbus::starter
