/// Descriptions of types as JSON text, for the schema that a program prints
/// (docs/reference/schema.md). Structs are described once, by name.
///
///   TypeTable types;
///   const std::string line = type_of<std::vector<Line>>(types);   // {"list":{"struct":"Line"}}
///   types.structs().at("Line");                                   // [{"type":"string"},...]
///
/// Filled by the SignatureArchive that visits a value (signature.hpp). Owns its texts; used by one
/// thread at a time. Nothing fails: what has no form of its own is `opaque`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace starbus::entity {

/// A text as a JSON string, with its quotes.
std::string json_text(std::string_view text);
/// The name of a type as C++ spells it; the same under g++ and clang.
std::string name_of_type(const std::type_info& type);

class TypeTable {
 public:
  /// What a class is, beside a container.
  enum class Form : std::uint8_t { structure, text, array, tuple, duration, reference };
  /// What a container is.
  enum class Group : std::uint8_t { list, set, map, optional, variant };
  struct Details {
    Form form = Form::structure;
    std::uint64_t first = 0;   // size of an array; numerator of the period of a duration
    std::uint64_t second = 0;  // its denominator
  };

  /// The fields of each struct that was met, as a JSON array, by the name of the struct.
  const std::map<std::string, std::string>& structs() const { return structs_; }

  // --- for SignatureArchive, in the order of a visit ---

  void begin() { frames_.assign(1, {}); }
  /// The description of the one value since begin().
  std::string end();
  void enter(const std::type_info& type, const Details& details);
  void leave();
  void open(Group group);
  void close();
  /// The name of the next part.
  void name_next(std::string_view name) { name_ = name; }
  /// The next number is one of this enum.
  void enum_next(const std::type_info& type) { enum_ = &type; }
  void number(std::string_view signature);
  void text() { add("\"string\""); }
  void opaque(std::string_view what);
  /// A struct that contains itself.
  void again(const std::type_info& type);

 private:
  struct Part {
    std::string name;  // empty: it has none
    std::string type;
  };
  struct Frame {
    const std::type_info* type = nullptr;  // null: a container, or the whole
    Details details;
    Group group = Group::list;
    bool container = false;  // the class is one: its only part stands for it
    std::string name;        // of the part that it becomes
    std::vector<Part> parts;
  };
  void add(std::string type);
  Frame pop();
  std::string struct_name(const std::type_info& type);
  std::string describe(Frame& frame);

  std::map<std::string, std::string> structs_;
  std::map<std::type_index, std::string> names_;
  std::vector<Frame> frames_;
  std::string name_;
  const std::type_info* enum_ = nullptr;
};

}  // namespace starbus::entity
