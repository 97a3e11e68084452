/// Properties of a subject as generated code has them: a row for each class of fields, and for each
/// field what bytes do to it; and the layout in which a server says them. For generated code and
/// for View (view.hpp). The rows are constants; a layout is a value; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/names.hpp"
#include "clients/cpp/values.hpp"

namespace starbus::game {

/// What a change does. The numbers travel: docs/guide/properties.md, section "Wire form".
enum class Operation : std::uint8_t {
  clear,
  set,
  list_push,
  list_pop,
  list_set,
  list_insert,
  list_erase,
  map_put,
  map_erase,
  bag_insert,
  bag_erase,
  bag_move,
};
/// What the newest value of something is. The numbers travel.
enum class Part : std::uint8_t { whole, element, gone, slot };

/// Who sees properties. The numbers travel.
enum class Audience : std::uint8_t { other_clients = 1, own_client = 2 };

class StateReader;
struct FieldRow;

/// What bytes do to a field of one type. Each refuses at the reader what it does not have.
struct FieldOps {
  void (*read)(StateReader& in, void* field, const FieldRow& row);
  void (*apply)(StateReader& in, Operation operation, void* field, const FieldRow& row);
  void (*element)(StateReader& in, Part part, void* field, const FieldRow& row);
  /// Goes below: a struct, or an item of a bag. Null if the field has nothing below it.
  void* (*enter)(StateReader& in, void* field);
};

/// A field that a client sees.
struct FieldRow {
  std::string_view name{};
  std::uint8_t index = 0;
  std::uint32_t fingerprint = 0;
  const FieldOps* ops = nullptr;
  void* (*of)(void* state) = nullptr;     // the field of a state
  const ClassRow& (*nested)() = nullptr;  // the class below it; null: none
  std::size_t capacity = 0;               // of a bag
};
/// A class of fields. The fields are in the order of their indices.
struct ClassRow {
  std::string_view name{};
  std::uint64_t hash = 0;
  std::span<const FieldRow> fields{};
};

/// The fields of a class in the order in which a server says them.
struct Plan {
  struct At {
    std::uint8_t index = 0;
    const FieldRow* known = nullptr;  // null: the program does not have it, or of other types
    std::string shape{};              // how it is passed over; of own layouts empty
  };
  std::vector<At> fields{};
  /// Null: there is none with this index.
  const At* find(std::uint8_t index) const;
};

/// All classes of one server, or of the program itself, by name.
class Layout {
 public:
  /// As the program was built.
  static Layout own(const ClassRow& root);
  /// As the server has it: fields of the same name and types are the program's, others are passed
  /// over.
  static Layout of(const ServerNames& server, const ClassRow& root);

  /// Null: not in this layout.
  const Plan* find(std::string_view name) const;
  /// The hash of its snapshots.
  std::uint64_t hash() const { return hash_; }
  /// False: a field of the class, or below it, is one that only its own code can read.
  bool is_readable(std::string_view name) const;

 private:
  std::map<std::string, Plan, std::less<>> plans_;
  std::uint64_t hash_ = 0;
};

/// The layouts in which one class may come: the program's, and that of the server. Shared by all
/// views of the class.
class Layouts {
 public:
  explicit Layouts(const ClassRow& row)
      : row_(row), own_(std::make_shared<const Layout>(Layout::own(row))) {}
  /// Takes the names of a server with another schema.
  void learn(const ServerNames& names) {
    server_ = std::make_shared<const Layout>(Layout::of(names, row_));
  }
  /// That of snapshots with this hash; null: not known.
  std::shared_ptr<const Layout> find(std::uint64_t hash) const {
    if (hash == row_.hash) return own_;
    const bool known = server_ && server_->hash() == hash && server_->is_readable(row_.name);
    return known ? server_ : nullptr;
  }
  const ClassRow& row() const { return row_; }

 private:
  const ClassRow& row_;
  std::shared_ptr<const Layout> own_;
  std::shared_ptr<const Layout> server_;
};

/// Bytes of properties in one layout.
class StateReader : public ValueReader {
 public:
  StateReader(ByteView bytes, const Layout& layout) : ValueReader(bytes), layout_(layout) {}

  /// The fields of a class as a snapshot has them. Null state: they are passed over.
  void fields(std::string_view class_name, void* state);
  /// A value of a type that the program does not have.
  void pass(std::string_view shape);
  /// A change, or the newest value, of a field of such a type.
  void pass_operation(Operation operation, std::string_view shape);
  void pass_part(Part part, std::string_view shape);
  /// Goes below such a field; empty: nothing is below it.
  std::string_view pass_below(std::string_view shape);
  const Layout& layout() const { return layout_; }

  /// The change does not fit the state.
  void desync() {
    if (ok()) desync_ = true;
    refuse(Refusal::malformed);
  }
  bool is_desync() const { return desync_; }

 private:
  void pass_one(std::string_view& shape);
  void pass_group(char letter, std::string_view& shape);

  const Layout& layout_;
  bool desync_ = false;
};

}  // namespace starbus::game
