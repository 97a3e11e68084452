#pragma once

#include <any>
#include <functional>
#include <span>
#include <string>

#include "entity/properties/address.hpp"
#include "entity/properties/history/stamps.hpp"
#include "entity/properties/json/json_seam.hpp"
#include "entity/properties/transaction.hpp"

namespace starbus::entity {

class Differences;
class Loading;
class Schema;
class TypeTable;

/// A step of a path in text: "stats", "[2]", "[\"sword\"]".
struct PathStep {
  enum Kind : std::uint8_t { name, number, text } kind = name;
  std::string word;  ///< the name, or the key in quotes
  std::int64_t value = 0;
};

/// A change that a replica passes on to its watchers, once all of its batch was applied.
struct Passing {
  Reach audiences;
  Operation operation;
  std::uint8_t depth;
  Bytes address;
  Bytes payload;
  std::size_t key;
  bool moved_too = false;
};

/// One change from outside that is being applied by a field.
struct Replay {
  View view;  ///< whose bytes these are
  Decoder& in;
  Transaction& undo;
  Operation operation;
  ByteView address;    ///< of the field
  std::uint8_t depth;  ///< of the address
  Reach pass;          ///< audiences to pass it on to
  bool observed;       ///< an observer wants the old value
  std::vector<Passing>& passing;
  // Set by the field:
  std::any old{};       ///< the replaced or removed value, if it is observed
  std::size_t key = 0;  ///< bytes of the key at the beginning of the payload
  bool changed = true;  ///< false: the state was so already
  bool passed = false;  ///< the field has filled `passing` itself

  void fail(DataErrc code) { in.fail(code); }
};

/// Operations on a field whose C++ type is not known: one object per type of field. `field`
/// is the address of a field of that type. Input is hostile: errors are left in the decoder,
/// and the transaction takes earlier changes back.
class FieldType {
 public:
  virtual ~FieldType() = default;

  virtual Flags flags() const = 0;
  /// The type of a saved value: "i64", "[str]", "bag[i64]"; "struct" for structs.
  virtual std::string signature() const = 0;
  /// Its type as JSON, for the schema of a program: docs/reference/schema.md.
  virtual std::string describe(TypeTable& types) const;
  /// The schema of the struct within, or of the items; nullptr if there is none.
  virtual const Schema* nested() const { return nullptr; }
  virtual std::size_t capacity(const void*) const { return 0; }
  /// For containers with keys: the key that comes next, as a step of a path shows it.
  virtual std::string key_text(Decoder& in) const;
  /// The wire form of the key that a step names; false if it is not a key.
  virtual bool encode_key(const PathStep& step, Bytes& out) const;

  /// The whole value, as a view sees it, as in a snapshot.
  virtual void encode(const void* field, View view, Encoder& out) const = 0;
  virtual void replace(void* field, View view, Decoder& in, Transaction& undo) const = 0;
  virtual void apply(void* field, Replay& replay) const = 0;
  /// For containers: an element (PartKind::element), or its slot (PartKind::slot), as it is now,
  /// behind its key, which is read first. False: there is none; nothing is written.
  virtual bool encode_element(const void* field, PartKind part, Decoder& key, View view,
                              Encoder& out) const;
  /// Makes it so, whatever was there; PartKind::gone: there is none. Reads the key first and
  /// returns its size. Fails in the decoder.
  virtual std::size_t apply_element(void* field, PartKind part, View view, Decoder& in,
                                    Transaction& undo) const;
  /// The struct that the rest of an address is about: its key is read first. Fails in the decoder.
  virtual StructBase* descend(void* field, Decoder& in) const;
  /// The struct that a step of a path names; nullptr if there is none.
  virtual StructBase* descend(void* field, const PathStep* step) const;
  /// Every struct within: the one that it is, or all items.
  virtual void each_struct(void* field, const std::function<void(StructBase&)>& visit) const;

  /// As saved, by name.
  virtual void save(const void* field, View view, Encoder& out) const = 0;
  virtual void load(void* field, Decoder& in, Loading& loading) const = 0;

  /// The value of `from`, a field of the same type, by way of ordinary writing: recorded, observed,
  /// refused.
  virtual DataErrc assign(void* field, const void* from) const = 0;
  /// The same without: as part of a replacement.
  virtual void restore(void* field, const void* from, Transaction& undo) const = 0;
  /// Names what is different now from `before`, a field of the same type; see differences.hpp.
  virtual void differ(const void* before, const void* now, Differences& out) const = 0;

  /// The whole value as JSON.
  virtual void show(const void* field, JsonWriter out) const = 0;
  /// One element; `step` as in a path.
  virtual DataResult<> show_element(const void* field, const PathStep& step, JsonWriter out) const;
  /// Sets it by ordinary writing.
  virtual DataResult<> set_from(void* field, const JsonReader& in) const = 0;
  virtual DataResult<> set_element_from(void* field, const PathStep& step,
                                        const JsonReader& in) const;
};

}  // namespace starbus::entity
