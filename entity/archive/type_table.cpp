#include "entity/archive/type_table.hpp"

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <cstdio>

namespace starbus::entity {
namespace {

constexpr std::string_view kRaw = R"({"opaque":"raw"})";

std::string object(std::string_view key, std::string_view value) {
  return std::string("{\"").append(key).append("\":").append(value).append("}");
}

/// The argument of a template with one.
std::string argument_of(const std::string& name) {
  const std::size_t begin = name.find('<');
  const std::size_t end = name.rfind('>');
  if (begin == std::string::npos || end == std::string::npos) return name;
  std::string inner = name.substr(begin + 1, end - begin - 1);
  while (inner.ends_with(' ')) inner.pop_back();
  return inner;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string name_of_type(const std::type_info& type) {
  return boost::core::demangle(type.name());
}

std::string TypeTable::end() {
  Frame frame = pop();
  return frame.parts.empty() ? object("opaque", "\"empty\"") : std::move(frame.parts[0].type);
}

void TypeTable::enter(const std::type_info& type, const Details& details) {
  frames_.push_back({&type, details, Group::list, false, std::exchange(name_, {}), {}});
}

void TypeTable::leave() {
  Frame frame = pop();
  name_ = frame.name;
  add(describe(frame));
}

void TypeTable::open(Group group) {
  frames_.push_back({nullptr, {}, group, false, {}, {}});
}

void TypeTable::close() {
  static constexpr std::string_view kKeys[] = {"list", "set", "map", "optional", "variant"};
  const Frame frame = pop();
  const std::string_view key = kKeys[static_cast<std::size_t>(frame.group)];
  std::string all;
  for (const Part& part : frame.parts) all.append(all.empty() ? "" : ",").append(part.type);
  const bool several = frame.group == Group::map || frame.group == Group::variant;
  if (several) all.insert(0, "[").append("]");
  frames_.back().container = frames_.back().parts.empty();
  const bool bytes = frame.group == Group::list && all == R"({"enum":"std::byte","of":"u8"})";
  add(bytes ? "\"bytes\"" : object(key, all));
}

void TypeTable::number(std::string_view signature) {
  const std::string kind = json_text(signature == "b" ? "bool" : signature);
  if (const std::type_info* type = std::exchange(enum_, nullptr)) {
    return add("{\"enum\":" + json_text(name_of_type(*type)) + ",\"of\":" + kind + "}");
  }
  add(kind);
}

void TypeTable::opaque(std::string_view what) {
  add(object("opaque", json_text(what)));
}

void TypeTable::again(const std::type_info& type) {
  add(object("struct", json_text(struct_name(type))));
}

void TypeTable::add(std::string type) {
  frames_.back().parts.push_back({std::exchange(name_, {}), std::move(type)});
}

TypeTable::Frame TypeTable::pop() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  return frame;
}

/// Two types may have one name, in two unnamed namespaces.
std::string TypeTable::struct_name(const std::type_info& type) {
  const auto known = names_.find(type);
  if (known != names_.end()) return known->second;
  const std::string plain = name_of_type(type);
  const auto taken = [this](const std::string& name) {
    return std::ranges::any_of(names_, [&](const auto& row) { return row.second == name; });
  };
  std::string name = plain;
  for (int number = 2; taken(name); ++number) name = plain + "#" + std::to_string(number);
  return names_.emplace(type, std::move(name)).first->second;
}

std::string TypeTable::describe(Frame& frame) {
  std::vector<Part>& parts = frame.parts;
  switch (frame.details.form) {
    case Form::text:
      return "\"string\"";
    case Form::reference:
      return object("ref", json_text(argument_of(name_of_type(*frame.type))));
    case Form::array: {
      const bool bytes = parts.empty() || parts[0].type == kRaw;
      return "{\"array\":" + (bytes ? std::string("\"u8\"") : parts[0].type) +
             ",\"size\":" + std::to_string(frame.details.first) + "}";
    }
    case Form::duration:
      return "{\"duration\":" + (parts.empty() ? "null" : parts[0].type) + ",\"period\":[" +
             std::to_string(frame.details.first) + "," + std::to_string(frame.details.second) +
             "]}";
    case Form::tuple: {
      std::string all;
      for (const Part& part : parts) all.append(all.empty() ? "" : ",").append(part.type);
      return object("tuple", "[" + all + "]");
    }
    case Form::structure:
      break;
  }
  if (frame.container) return std::move(parts[0].type);
  std::string fields;
  for (const Part& part : parts) {
    if (!fields.empty()) fields += ',';
    fields += '{';
    if (!part.name.empty()) fields.append("\"name\":").append(json_text(part.name)).append(",");
    fields.append("\"type\":").append(part.type).append("}");
  }
  const std::string name = struct_name(*frame.type);
  structs_[name] = "[" + fields + "]";
  return object("struct", json_text(name));
}

}  // namespace starbus::entity
