#include "clients/cpp/names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/limits.hpp"
#include "clients/cpp/state_rows.hpp"

namespace starbus::game {
namespace {

constexpr std::uint8_t kTableForm = 0xb1;

std::uint64_t long_word(FieldReader& in) {
  const std::uint64_t low = in.word();
  return low | static_cast<std::uint64_t>(in.word()) << 32;
}

ServerNames::Field field_of(FieldReader& in) {
  ServerNames::Field field;
  field.name = in.text(kFieldName);
  field.index = in.byte(1, 254);
  field.fingerprint = in.word();
  field.types = in.text(kNameBytes);
  field.shape = in.text(kShapeBytes);
  return field;
}
ServerNames::Class class_of(FieldReader& in) {
  ServerNames::Class made;
  made.name = in.text(kNameBytes);
  made.hash = long_word(in);
  for (std::size_t left = in.count(kClassFields); left > 0 && in.ok(); --left) {
    made.fields.push_back(field_of(in));
    const std::size_t size = made.fields.size();
    const bool ordered = size < 2 || made.fields[size - 2].index < made.fields.back().index;
    if (!ordered) in.refuse(Refusal::malformed);
  }
  return made;
}
ServerNames::Method method_of(FieldReader& in) {
  ServerNames::Method method;
  method.side = static_cast<Side>(in.byte(1, 2));
  method.name = in.text(kNameBytes);
  method.fingerprint = in.word();
  method.types = in.text(kNameBytes);
  return method;
}

/// "player" of "player.buy".
std::string_view owner_of(std::string_view name) {
  return name.substr(0, name.find('.'));
}

using What = Difference::What;
using Kind = Difference::Kind;

/// One kind of names on both sides.
class Comparison {
 public:
  explicit Comparison(What what) : what_(what) {}
  void here(std::string_view owner, std::string name, std::uint32_t fingerprint) {
    here_.emplace(std::move(name), Name{std::string(owner), fingerprint, {}});
  }
  void there(std::string_view owner, std::string name, std::uint32_t fingerprint,
             std::string_view types) {
    owners_.emplace(owner);
    there_.emplace(std::move(name), Name{std::string(owner), fingerprint, std::string(types)});
  }
  /// `all`: the server has all that the program was built from.
  void into(std::vector<Difference>& out, bool all) const {
    std::map<std::string, Difference> found;
    for (const auto& [name, own] : here_) {
      const auto other = there_.find(name);
      if (other == there_.end()) {
        if (all || owners_.contains(own.owner)) found[name] = {Kind::missing, what_, name, {}};
      } else if (other->second.fingerprint != own.fingerprint) {
        found[name] = {Kind::changed, what_, name, other->second.types};
      }
    }
    for (const auto& [name, other] : there_) {
      if (!here_.contains(name)) found[name] = {Kind::added, what_, name, other.types};
    }
    for (auto& each : found) out.push_back(std::move(each.second));
  }

 private:
  struct Name {
    std::string owner;
    std::uint32_t fingerprint = 0;
    std::string types;
  };
  What what_;
  std::map<std::string, Name> here_;
  std::map<std::string, Name> there_;
  std::set<std::string> owners_;
};

}  // namespace

std::string_view name_of(Difference::Kind kind) {
  constexpr std::string_view kNames[] = {"missing", "added", "changed"};
  return kNames[static_cast<std::size_t>(kind)];
}
std::string_view name_of(Difference::What what) {
  constexpr std::string_view kNames[] = {"asked", "heard", "property"};
  return kNames[static_cast<std::size_t>(what)];
}

Bytes names_request(const NameTable& table) {
  Bytes arguments;
  FieldWriter out(arguments);
  out.number(table.hashes.size());
  for (const std::uint64_t hash : table.hashes) out.number(hash);
  return call_body(hash_of("starbus.names"), hash_of("([u64])->names1"), arguments);
}

Read<ServerNames> read_names(ByteView value) {
  FieldReader in(value);
  Read<ServerNames> read;
  ServerNames& names = read.value;
  if (in.byte() != kTableForm) in.refuse(Refusal::malformed);
  names.hash = long_word(in);
  names.same = in.flag();
  if (!names.same) {
    for (std::size_t left = in.count(kNameRows); left > 0 && in.ok(); --left) {
      names.methods.push_back(method_of(in));
    }
    for (std::size_t left = in.count(kNameRows); left > 0 && in.ok(); --left) {
      names.classes.push_back(class_of(in));
    }
  }
  read.refusal = in.finish();
  if (!read) read.value = {};
  read.value.known = static_cast<bool>(read);
  return read;
}

std::vector<Difference> differences(const NameTable& table, const ServerNames& server) {
  std::vector<Difference> found;
  if (server.same || !server.known) return found;
  const bool all = table.hashes.size() == 1;
  for (const auto& [side, what] :
       {std::pair(Side::asks, What::asked), {Side::hears, What::heard}}) {
    Comparison methods(what);
    for (const NameRow& row : table.methods) {
      if (row.side != side) continue;
      methods.here(owner_of(row.name), std::string(row.name), row.fingerprint);
    }
    for (const ServerNames::Method& row : server.methods) {
      if (row.side == side) methods.there(owner_of(row.name), row.name, row.fingerprint, row.types);
    }
    methods.into(found, all);
  }
  Comparison properties(What::property);
  for (const ClassRow* row : table.classes) {
    for (const FieldRow& field : row->fields) {
      const std::string name = std::string(row->name) + "." + std::string(field.name);
      properties.here(row->name, name, field.fingerprint);
    }
  }
  for (const ServerNames::Class& row : server.classes) {
    for (const ServerNames::Field& field : row.fields) {
      properties.there(row.name, row.name + "." + field.name, field.fingerprint, field.types);
    }
  }
  properties.into(found, all);
  return found;
}

}  // namespace starbus::game
