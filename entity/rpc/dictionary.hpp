/// The methods of all classes that are linked into this process, known before main: each Host and
/// each call enlists its class. The dictionary is made when the first Endpoint is, and refuses
/// names or ids that two methods share: std::logic_error, naming both, so at start-up.
///
/// Immutable once made; from any thread. The rows are static; nothing is owned.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "entity/rpc/error.hpp"
#include "entity/rpc/permission.hpp"

namespace starbus::entity {
class TypeTable;
}

namespace starbus::entity::rpc {

struct ClassInfo;
struct Invocation;

/// The types of a method, each as text: a signature, or a description.
struct MethodTypes {
  std::vector<std::string> arguments;
  std::string answer;   // empty: none
  std::string refusal;  // empty: none
};
/// "(str,i32)->i32!u8"
std::string signature_text(const MethodTypes& types);
/// "arguments":[...],"answer":...,"refusal":... of descriptions
std::string json_members(const MethodTypes& types);

/// One method. The last part is filled in when the dictionary of the process is made.
struct MethodInfo {
  const ClassInfo* owner = nullptr;
  std::string_view name{};
  std::uint32_t id = 0;
  Permission allow = server;
  bool coroutine = false;
  /// Decodes the arguments and runs the method; ok also if it answers later.
  Errc (*invoke)(Invocation&) = nullptr;
  /// The types: null for "(str,i32)->i32!u8", or a table for the members of a JSON object.
  std::string (*describe)(TypeTable* types) = nullptr;

  std::uint32_t signature = 0;  // hash of the text
  std::uint32_t index = 0;      // among all methods of the process; never on the wire
  std::string_view text{};      // "(str,i32)->i32!u8"

  /// "chat.join".
  std::string full_name() const;
};

/// One class: its own methods, and the class that it goes on from.
struct ClassInfo {
  std::string_view name{};
  const ClassInfo* parent = nullptr;
  std::span<MethodInfo* const> methods{};
  std::string (*type_name)() = nullptr;  // as C++ spells the class

  /// Whether an object of this class has the methods of `other`.
  bool is_a(const ClassInfo* other) const {
    const ClassInfo* at = this;
    while (at != nullptr && at != other) at = at->parent;
    return at != nullptr;
  }
  /// Whether its objects have links to their clients: entities.
  bool has_link() const {
    const ClassInfo* at = this;
    while (at != nullptr && at->name != kLinkedClass) at = at->parent;
    return at != nullptr;
  }
  static constexpr std::string_view kLinkedClass = "starbus_entity";
};

class Dictionary {
 public:
  /// Throws std::logic_error for names or ids that collide, and beyond kMaxMethods.
  explicit Dictionary(std::span<const ClassInfo* const> classes);

  /// That of this process. Throws as the constructor.
  static const Dictionary& of_process();
  /// Before main, and idempotent.
  static bool enlist(const ClassInfo* info);
  /// All that are enlisted, by name.
  static std::vector<const ClassInfo*> classes();

  /// Null: no class of this process has it.
  const MethodInfo* find(std::uint32_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
  }
  std::span<const MethodInfo* const> methods() const { return methods_; }
  /// Hash of all names and types: two builds with the same hash understand each other in every
  /// call.
  std::uint64_t hash() const { return hash_; }

 private:
  std::vector<const MethodInfo*> methods_;  // by full name
  boost::unordered_flat_map<std::uint32_t, const MethodInfo*> by_id_;
  std::uint64_t hash_ = 0;
};

}  // namespace starbus::entity::rpc
