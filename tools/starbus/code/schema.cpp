#include "tools/starbus/code/schema.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "tools/starbus/code/json_place.hpp"
#include "tools/starbus/code/limits.hpp"

namespace starbus::starter {
namespace {

using Kind = CodeType::Kind;

std::uint32_t hash32(std::string_view text) {
  std::uint32_t hash = 0x811c'9dc5;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0100'0193;
  return hash;
}

constexpr std::string_view kPlain[] = {"bool", "i8",  "i16", "i32", "i64",    "u8",   "u16",
                                       "u32",  "u64", "f32", "f64", "string", "bytes"};
constexpr std::string_view kNumbers[] = {"bool", "i8",  "i16", "i32", "i64",
                                         "u8",   "u16", "u32", "u64"};

CodeType type_of(const JsonPlace& at, std::size_t depth = 0);

std::vector<CodeType> types_of_list(const JsonPlace& at, std::size_t depth) {
  std::vector<CodeType> types;
  at.each([&](const JsonPlace& each) { types.push_back(type_of(each, depth)); });
  return types;
}
/// The number that an enum or a duration consists of.
CodeType number_of(const JsonPlace& at, std::size_t depth) {
  CodeType type = type_of(at, depth);
  const bool number =
      type.kind == Kind::plain && (std::ranges::find(kNumbers, type.name) != std::end(kNumbers) ||
                                   type.name == "f32" || type.name == "f64");
  if (!number) at.malformed("is not a number type");
  return type;
}

CodeType type_of(const JsonPlace& at, std::size_t depth) {
  if (depth > kTypeDepth) at.too_large("nested deeper than kTypeDepth");
  CodeType type;
  type.json = at.dump();
  const auto only = [&](const char* member) { return type_of(at.member(member), depth + 1); };
  if (at.is_text()) {
    type.name = at.text();
    if (std::ranges::find(kPlain, type.name) == std::end(kPlain)) at.malformed("is not a type");
  } else if (at.has("enum")) {
    type = {Kind::enumeration, at.member("enum").text(), {}, 0, 0, type.json};
    type.parts = {number_of(at.member("of"), depth + 1)};
  } else if (at.has("list")) {
    type.kind = Kind::list, type.parts = {only("list")};
  } else if (at.has("set")) {
    type.kind = Kind::set, type.parts = {only("set")};
  } else if (at.has("optional")) {
    type.kind = Kind::optional, type.parts = {only("optional")};
  } else if (at.has("map") || at.has("bag")) {
    const bool map = at.has("map");
    const JsonPlace two = at.member(map ? "map" : "bag");
    type.kind = map ? Kind::map : Kind::bag;
    type.parts = types_of_list(two, depth + 1);
    if (type.parts.size() != 2) two.malformed("is not two types");
    if (!map && type.parts[1].kind != Kind::properties) two.malformed("has items without fields");
  } else if (at.has("array")) {
    type.kind = Kind::array, type.parts = {only("array")};
    type.first = at.member("size").number();
    if (type.first > kArraySize) at.member("size").too_large("more than kArraySize");
  } else if (at.has("variant")) {
    type.kind = Kind::variant, type.parts = types_of_list(at.member("variant"), depth + 1);
    if (type.parts.empty()) at.malformed("is a variant of nothing");
  } else if (at.has("tuple")) {
    type.kind = Kind::tuple, type.parts = types_of_list(at.member("tuple"), depth + 1);
  } else if (at.has("duration")) {
    type.kind = Kind::duration, type.parts = {number_of(at.member("duration"), depth + 1)};
    const JsonPlace period = at.member("period");
    if (period.size() != 2) period.malformed("is not two numbers");
    type.first = period.element(0).number(), type.second = period.element(1).number();
    constexpr std::uint64_t kMost = INT64_MAX;
    const auto bad = [](std::uint64_t part) { return part == 0 || part > kMost; };
    if (bad(type.first) || bad(type.second)) period.malformed("is not a period");
  } else if (at.has("struct")) {
    type.kind = Kind::structure, type.name = at.member("struct").text();
  } else if (at.has("ref")) {
    type.kind = Kind::reference, type.name = at.member("ref").text();
  } else if (at.has("properties")) {
    type.kind = Kind::properties, type.name = at.member("properties").text();
  } else if (at.has("opaque")) {
    type.kind = Kind::opaque;
  } else {
    at.malformed("is not a type");
  }
  return type;
}

CodeMethod method_of(const JsonPlace& at, const std::string& owner, bool asked) {
  CodeMethod method;
  method.name = at.member("name").text();
  method.id = static_cast<std::uint32_t>(at.member("id").hex(8));
  method.signature = static_cast<std::uint32_t>(at.member("signature").hex(8));
  if (method.id != hash32(owner + "." + method.name)) {
    at.member("id").malformed("is not that of " + owner + "." + method.name);
  }
  method.arguments = types_of_list(at.member("arguments"), 0);
  if (!asked) return method;
  if (!at.member("answer").is_null()) method.answer = type_of(at.member("answer"));
  if (at.has("refusal")) method.refusal = type_of(at.member("refusal"));
  return method;
}
bool is_for_clients(const JsonPlace& method) {
  bool found = false;
  method.member("callers").each([&](const JsonPlace& caller) {
    const std::string who = caller.text();
    found = found || who == "own_client" || who == "any_client";
  });
  return found;
}

CodeClass class_of(const JsonPlace& at, const std::string& name, bool asked) {
  CodeClass made;
  if (asked && at.has("base")) made.base = at.member("base").text();
  at.member("methods").each([&](const JsonPlace& method) {
    if (!asked || is_for_clients(method)) made.methods.push_back(method_of(method, name, asked));
  });
  std::ranges::sort(made.methods, {}, &CodeMethod::name);
  for (std::size_t i = 1; i < made.methods.size(); ++i) {
    if (made.methods[i].name == made.methods[i - 1].name) {
      at.malformed("has two methods " + made.methods[i].name);
    }
  }
  return made;
}

CodeEntity entity_of(const JsonPlace& at) {
  CodeEntity made;
  made.rpc = at.member("rpc").text();
  if (at.has("properties")) made.properties = at.member("properties").text();
  at.member("components").each([&](const JsonPlace& part) {
    if (!part.has("rpc")) return;
    made.components[part.member("name").text()] = part.member("rpc").text();
  });
  return made;
}

bool is_seen(const JsonPlace& field, bool of_entity, const char* by) {
  static const std::set<std::string> kAudiences{"ghost", "other_clients", "own_client", "save",
                                                "cache"};
  std::set<std::string> flags;
  field.member("flags").each([&](const JsonPlace& flag) { flags.insert(flag.text()); });
  const auto is_audience = [&](const std::string& flag) { return kAudiences.contains(flag); };
  if (std::ranges::any_of(flags, is_audience)) return flags.contains(by);
  return !of_entity && !flags.contains("server_only");
}
/// Goes on to classes as other clients see them.
void mark_others(CodeType& type) {
  if (type.kind == Kind::properties) type.name += kOthers;
  for (CodeType& part : type.parts) mark_others(part);
}
CodeFields fields_of(const JsonPlace& at, bool others) {
  CodeFields made;
  made.of_entity = at.member("of_entity").flag();
  made.hash = at.member("hash").hex(16);
  at.member("fields").each([&](const JsonPlace& field) {
    if (!is_seen(field, made.of_entity, others ? "other_clients" : "own_client")) return;
    CodeField row;
    row.name = field.member("name").text();
    const std::uint64_t index = field.member("index").number();
    if (index == 0 || index > 254) field.member("index").malformed("is not an index: 1..254");
    row.index = static_cast<std::uint8_t>(index);
    row.signature = field.member("signature").text();
    row.type = type_of(field.member("type"));
    if (others) mark_others(row.type);
    if (field.has("capacity")) row.capacity = field.member("capacity").number();
    made.fields.push_back(std::move(row));
  });
  std::ranges::sort(made.fields, {}, &CodeField::index);
  return made;
}
std::vector<CodeField> struct_of(const JsonPlace& at) {
  std::vector<CodeField> fields;
  at.each([&](const JsonPlace& field) {
    CodeField row;
    if (field.has("name")) row.name = field.member("name").text();
    row.type = type_of(field.member("type"));
    fields.push_back(std::move(row));
  });
  return fields;
}

template <class Row>
void add(std::map<std::string, Row>& rows, const JsonPlace& at, const std::string& name, Row row) {
  if (rows.size() >= kSchemaNames) at.too_large("more rows than kSchemaNames");
  const auto [known, fresh] = rows.try_emplace(name, row);
  if (!fresh && !(known->second == row)) {
    at.fail(CodeErrc::conflict, name + " is another one than before; build from one version");
  }
}

void read_all(CodeSchema& schema, const JsonPlace& top) {
  if (top.member("form").number() != 1) top.member("form").malformed("is not 1");
  if (!top.has("client_hash")) {
    top.malformed("has no client_hash; print it with a program that is built with this release");
  }
  const std::uint64_t hash = top.member("client_hash").hex(16);
  if (std::ranges::find(schema.hashes, hash) == schema.hashes.end()) schema.hashes.push_back(hash);
  if (schema.hashes.size() > kSchemas) top.too_large("more schemas than kSchemas");
  const auto named = [](const JsonPlace& rows, auto take) {
    rows.each([&](const JsonPlace& row) { take(row, row.member("name").text()); });
  };
  named(top.member("rpc").member("classes"), [&](const JsonPlace& row, const std::string& name) {
    add(schema.classes, row, name, class_of(row, name, true));
  });
  named(top.member("clients"), [&](const JsonPlace& row, const std::string& name) {
    add(schema.interfaces, row, name, class_of(row, name, false));
  });
  named(top.member("entities"), [&](const JsonPlace& row, const std::string& name) {
    add(schema.entities, row, name, entity_of(row));
  });
  named(top.member("properties"), [&](const JsonPlace& row, const std::string& name) {
    add(schema.properties, row, name, fields_of(row, false));
    add(schema.properties, row, name + std::string(kOthers), fields_of(row, true));
  });
  top.member("structs").each_member([&](const std::string& name, const JsonPlace& row) {
    add(schema.structs, row, name, struct_of(row));
  });
}

/// Finds what is reached from methods and properties.
class Reach {
 public:
  explicit Reach(const CodeSchema& schema) : schema_(schema) {}
  void method(const std::string& owner, const CodeMethod& method) {
    const std::string where = owner + "." + method.name;
    for (const CodeType& each : method.arguments) type(where, each);
    if (method.answer) type(where, *method.answer);
    if (method.refusal) type(where, *method.refusal);
  }
  void fields(const std::string& name) {
    if (!properties.insert(name).second) return;
    const auto known = schema_.properties.find(name);
    if (known == schema_.properties.end()) return missing("properties", name);
    for (const CodeField& field : known->second.fields) type(name + "." + field.name, field.type);
  }
  void missing(const std::string& where, const std::string& name) {
    if (problem.empty()) problem = where + ": " + name + " is not in the schema; print it again";
  }
  std::set<std::string> structs;
  std::set<std::string> properties;
  std::string problem;

 private:
  void type(const std::string& where, const CodeType& each) {
    for (const CodeType& part : each.parts) type(where, part);
    if (each.kind == Kind::properties) return fields(each.name);
    if (each.kind != Kind::structure || !structs.insert(each.name).second) return;
    const auto known = schema_.structs.find(each.name);
    if (known == schema_.structs.end()) return missing(where, each.name);
    for (const CodeField& field : known->second) type(each.name, field.type);
  }
  const CodeSchema& schema_;
};

bool is_readable_within(const CodeType& type, const CodeSchema& schema,
                        std::set<std::string>& seen) {
  if (type.kind == Kind::opaque) return false;
  const auto readable = [&](const CodeType& part) {
    return is_readable_within(part, schema, seen);
  };
  if (!std::ranges::all_of(type.parts, readable)) return false;
  if (type.kind != Kind::structure || !seen.insert(type.name).second) return true;
  const auto found = schema.structs.find(type.name);
  return found != schema.structs.end() &&
         std::ranges::all_of(found->second, readable, &CodeField::type);
}

}  // namespace

std::string CodeError::to_string() const {
  static constexpr std::string_view kCodes[] = {"malformed", "too_large", "conflict", "bad_name",
                                                "io_error"};
  return std::string(kCodes[static_cast<std::size_t>(code)]) + ": " + detail;
}

std::string types_of(const CodeField& field) {
  std::string text = field.signature;
  const CodeType& type = field.type;
  if (type.kind == Kind::properties) text += " " + type.name;
  if (type.kind == Kind::bag) text += " " + type.parts[1].name;
  if (field.capacity != 0) text += " " + std::to_string(field.capacity);
  return text;
}

bool is_readable(const CodeType& type, const CodeSchema& schema) {
  std::set<std::string> seen;
  return is_readable_within(type, schema, seen);
}

CodeResult<> CodeSchema::read(std::string_view file, std::string_view text) {
  try {
    const JsonDocument document = JsonDocument::parse(file, text);
    read_all(*this, document.top());
    return {};
  } catch (const JsonProblem& problem) {
    return problem.error;
  }
}

CodeResult<> CodeSchema::finish() {
  Reach reach(*this);
  for (const auto& [name, each] : classes) {
    for (const CodeMethod& method : each.methods) reach.method(name, method);
    std::set<std::string> line{name};
    for (std::string base = each.base; !base.empty();) {
      const auto known = classes.find(base);
      if (known == classes.end()) reach.missing(name, base);
      if (!line.insert(base).second && reach.problem.empty()) {
        reach.problem = name + ": is a base of itself";
      }
      if (known == classes.end() || !reach.problem.empty()) break;
      base = known->second.base;
    }
  }
  for (const auto& [name, each] : interfaces) {
    for (const CodeMethod& method : each.methods) reach.method(name, method);
  }
  for (const auto& [name, each] : properties) {
    const bool shown = !is_for_others(name) || !each.fields.empty();
    if (each.of_entity && shown) reach.fields(name);
  }
  for (const auto& [name, entity] : entities) {
    if (!classes.contains(entity.rpc)) reach.missing(name, entity.rpc);
    if (!entity.properties.empty()) reach.fields(entity.properties);
    for (const auto& [component, rpc] : entity.components) {
      if (!classes.contains(rpc)) reach.missing(name + "." + component, rpc);
    }
  }
  if (!reach.problem.empty()) return CodeError{CodeErrc::malformed, reach.problem};
  std::erase_if(structs, [&](const auto& row) { return !reach.structs.contains(row.first); });
  std::erase_if(properties, [&](const auto& row) { return !reach.properties.contains(row.first); });
  return {};
}

}  // namespace starbus::starter
