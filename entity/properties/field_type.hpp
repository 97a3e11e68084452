#pragma once

#include <any>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "entity/properties/address.hpp"
#include "entity/properties/transaction.hpp"

namespace starbus::entity {

class Loading;
class Schema;

/// A step of a path in text: "stats", "[2]", "[\"sword\"]".
struct PathStep {
  enum Kind : std::uint8_t { name, number, text } kind = name;
  std::string word;  ///< the name, or the key in quotes
  std::int64_t value = 0;
};

/// A change that a replica passes on to those who watch it, once all of its batch was applied.
struct Passing {
  Reach audiences;
  Operation operation;
  std::uint8_t depth;
  Bytes address;
  Bytes payload;
  std::size_t key;
  bool latest_only;
};

/// One change from outside that is being applied: what a field needs to take it, or to refuse it.
struct Replay {
  View view;  ///< whose bytes these are
  Decoder& in;
  Transaction& undo;
  Operation operation;
  ByteView address;    ///< of the field
  std::uint8_t depth;  ///< of the address
  Reach pass;          ///< audiences to pass it on to
  bool observed;       ///< somebody wants the old value
  std::vector<Passing>& passing;
  // What the field says about it:
  std::any old{};       ///< what was replaced or removed, if it is observed
  std::size_t key = 0;  ///< bytes of the key at the beginning of the payload
  bool changed = true;  ///< false: the state was so already
  bool passed = false;  ///< the field has filled `passing` itself

  void fail(DataErrc code) { in.fail(code); }
};

/// What can be done with a field whose C++ type is not known: one object per type of field. `field`
/// is the address of a field of that type. What is read is hostile: errors are left in the decoder,
/// and the transaction takes back what was changed before.
class FieldType {
 public:
  virtual ~FieldType() = default;

  virtual Flags flags() const = 0;
  /// What a saved value is compared by: "i64", "[str]", "bag[i64]"; "struct" for structs.
  virtual std::string signature() const = 0;
  /// Of the struct within, or of the items; nullptr if there is none.
  virtual const Schema* nested() const { return nullptr; }
  virtual std::size_t capacity(const void*) const { return 0; }
  /// For containers with keys: the key that comes next, as a step of a path shows it.
  virtual std::string key_text(Decoder& in) const;
  /// The key that a step means, as it goes on the wire; false: it is none.
  virtual bool encode_key(const PathStep& step, Bytes& out) const;

  /// The whole value, as a view sees it, as in a snapshot.
  virtual void encode(const void* field, View view, Encoder& out) const = 0;
  virtual void replace(void* field, View view, Decoder& in, Transaction& undo) const = 0;
  virtual void apply(void* field, Replay& replay) const = 0;
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

  virtual nlohmann::json to_json(const void* field) const = 0;
  /// One element; `step` as in a path.
  virtual DataResult<nlohmann::json> element_json(const void* field, const PathStep& step) const;
  /// By way of ordinary writing.
  virtual DataResult<> from_json(void* field, const nlohmann::json& json) const = 0;
  virtual DataResult<> element_from_json(void* field, const PathStep& step,
                                         const nlohmann::json& json) const;
};

}  // namespace starbus::entity
