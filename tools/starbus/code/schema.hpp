/// What clients need of the schemas of node programs (docs/reference/schema.md), checked: each name
/// that a row refers to is there, and all sizes are bounded. `read` takes one schema after the
/// other; rows that two of them have must be the same. Plain values; one thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::starter {

enum class CodeErrc {
  malformed,  // not JSON, or not a schema of this form; the detail names the place
  too_large,  // beyond a limit of limits.hpp
  conflict,   // two schemas say different things of one name
  bad_name,   // of the generated code
  io_error,
};
struct CodeError {
  CodeErrc code;
  std::string detail;
  std::string to_string() const;
};
[[noreturn]] inline void throw_exception_from_error(const CodeError& error,
                                                    const boost::source_location&) {
  throw std::logic_error(error.to_string());
}
template <class T = void>
using CodeResult = boost::system::result<T, CodeError>;

/// A type; the parts are what it consists of.
struct CodeType {
  enum class Kind {
    plain,  // name: "i64"
    enumeration,
    list,
    set,
    map,
    array,  // first: its size
    optional,
    variant,
    tuple,
    duration,  // seconds: first / second
    structure,
    reference,
    properties,
    bag,
    opaque,
  };
  Kind kind = Kind::plain;
  std::string name{};
  std::vector<CodeType> parts{};
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::string json{};  // as the schema has it
  friend bool operator==(const CodeType&, const CodeType&) = default;
};
struct CodeMethod {
  std::string name{};
  std::uint32_t id = 0;
  std::uint32_t signature = 0;
  std::vector<CodeType> arguments{};
  std::optional<CodeType> answer{};
  std::optional<CodeType> refusal{};
  friend bool operator==(const CodeMethod&, const CodeMethod&) = default;
};
/// Methods that clients may call; or an interface of methods that are called at them.
struct CodeClass {
  std::string base{};  // empty: none
  std::vector<CodeMethod> methods{};
  friend bool operator==(const CodeClass&, const CodeClass&) = default;
};
struct CodeEntity {
  std::string rpc{};
  std::string properties{};  // empty: none
  std::map<std::string, std::string>
      components{};  // the class of the methods of each that has some
  friend bool operator==(const CodeEntity&, const CodeEntity&) = default;
};
struct CodeField {
  std::string name{};  // of a struct's field empty if it has none
  CodeType type{};
  std::uint8_t index = 0;
  std::string signature{};
  std::uint64_t capacity = 0;
  friend bool operator==(const CodeField&, const CodeField&) = default;
};
/// The fields that an own client sees; or those that other clients do.
struct CodeFields {
  bool of_entity = false;
  std::uint64_t hash = 0;
  std::vector<CodeField> fields{};
  friend bool operator==(const CodeFields&, const CodeFields&) = default;
};

/// Behind the name of properties as other clients see them.
inline constexpr std::string_view kOthers = "@others";
inline bool is_for_others(std::string_view name) {
  return name.ends_with(kOthers);
}
/// As the schema names it.
inline std::string name_without_others(std::string_view name) {
  return std::string(is_for_others(name) ? name.substr(0, name.size() - kOthers.size()) : name);
}

/// All of it, by name.
struct CodeSchema {
  std::vector<std::uint64_t> hashes{};  // `client_hash` of each schema
  std::map<std::string, CodeClass> classes{};
  std::map<std::string, CodeClass> interfaces{};
  std::map<std::string, CodeEntity> entities{};
  /// A class as other clients see it is a row of its own: kOthers behind its name, here and in
  /// the types of fields.
  std::map<std::string, CodeFields> properties{};
  std::map<std::string, std::vector<CodeField>> structs{};

  /// Adds what `text` says. `file` is for errors.
  CodeResult<> read(std::string_view file, std::string_view text);
  /// Leaves out what no client can reach, and checks that all that is left is there.
  CodeResult<> finish();
};

/// What a client compares: the signature, the class within, the capacity.
std::string types_of(const CodeField& field);
/// Whether values of the type can be written and read: nothing of it is opaque.
bool is_readable(const CodeType& type, const CodeSchema& schema);

}  // namespace starbus::starter
