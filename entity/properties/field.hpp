#pragma once

#include "entity/properties/json/json_value.hpp"
#include "entity/properties/member.hpp"
#include "entity/properties/saved.hpp"

namespace starbus::entity {

template <class T>
concept StructType = std::is_base_of_v<StructBase, T>;

/// A value that is written as a plain one: `gold += 5`. T is default-constructible, comparable, and
/// something that encode() of archive.hpp takes. A write of an equal value does nothing. Where
/// nothing watches, a write is a store after one comparison; with server_only it is a store.
///
/// operator= throws BadData where set() returns an error: `replica`, or `too_large`.
template <class T, Flags F = Flags::none>
class Field : public Member<F> {
 public:
  template <class Owner>
  Field(Owner* owner, std::string_view name, T initial = T{})
      : Member<F>(owner, this, name), value_(std::move(initial)) {}
  /// Within STARBUS_FIELDS.
  template <FieldOwner Owner>
  explicit Field(Owner& owner, T initial = T{})
      : Member<F>(&owner, this, field_text<Owner>()), value_(std::move(initial)) {}
  explicit Field(const Field&) = default;  // within a copy of its struct, not alone
  Field& operator=(const Field& other) { return *this = other.value_; }
  Field& operator=(T value) {
    write(std::move(value));
    return *this;
  }

  [[nodiscard]] DataResult<> set(T value) { return result_of(try_write(std::move(value))); }
  const T& get() const { return value_; }
  operator const T&() const { return value_; }  // NOLINT: it is used as its value
  const T* operator->() const requires std::is_class_v<T> { return &value_; }

  template <class U>
  Field& operator+=(const U& by) {
    return *this = static_cast<T>(value_ + by);
  }
  template <class U>
  Field& operator-=(const U& by) {
    return *this = static_cast<T>(value_ - by);
  }
  template <class U>
  Field& operator*=(const U& by) {
    return *this = static_cast<T>(value_ * by);
  }
  template <class U>
  Field& operator/=(const U& by) {
    return *this = static_cast<T>(value_ / by);
  }
  Field& operator++() { return *this = static_cast<T>(value_ + 1); }
  Field& operator--() { return *this = static_cast<T>(value_ - 1); }

  // Numbers compare through conversion; classes need an operator.
  friend bool operator==(const Field& a, const T& b) requires std::is_class_v<T> {
    return a.value_ == b;
  }
  friend bool operator==(const Field& a, const Field& b) requires std::is_class_v<T> {
    return a.value_ == b.value_;
  }

  /// Changes a large value in place: with_copy([](auto& value) { value.x = 1; }).
  template <class Function>
  Field& with_copy(Function&& change) {
    T copy = value_;
    change(copy);
    return *this = std::move(copy);
  }

  /// For the schema.
  static const FieldType& type();

 private:
  class Type;

  void write(T value) {
    if constexpr (has(F, Flags::server_only)) {
      value_ = std::move(value);
    } else {
      const std::uint8_t attention = this->attention();
      if (kSmallValue<T> && attention == 0) [[likely]] {
        value_ = std::move(value);
      } else {
        throw_if(write_watched(attention, std::move(value)));
      }
    }
  }
  DataErrc try_write(T value) {
    if constexpr (has(F, Flags::server_only)) {
      value_ = std::move(value);
      return DataErrc::ok;
    } else {
      return write_watched(this->attention(), std::move(value));
    }
  }
  DataErrc write_watched(std::uint8_t attention, T value);
  DataErrc record_value(std::uint8_t attention, const T& value) const;

  T value_;
};

template <class T, Flags F>
[[gnu::noinline]] DataErrc Field<T, F>::write_watched(std::uint8_t attention, T value) {
  if (this->refused(attention)) return this->refusal(attention);
  if (value == value_) return DataErrc::ok;
  if (const DataErrc error = check_value(value); error != DataErrc::ok) return error;
  if (const DataErrc error = record_value(attention, value); error != DataErrc::ok) return error;
  if (!this->observed(attention)) {
    value_ = std::move(value);
    return DataErrc::ok;
  }
  std::any old = std::exchange(value_, std::move(value));
  this->tell(attention, Operation::set, std::move(old));
  return DataErrc::ok;
}

template <class T, Flags F>
DataErrc Field<T, F>::record_value(std::uint8_t attention, const T& value) const {
  if constexpr (!Number<T>) {
    return this->record(attention, Operation::set, [&](Encoder& out) { put_value(out, value); });
  } else {
    const Address to = this->address();
    const Reach audiences = static_cast<Reach>(to.reach() & attention & kAudienceBits);
    if (audiences == 0) return DataErrc::ok;
    std::byte bytes[kMaxVarint];
    const ByteView payload(bytes, store_number(bytes, value));
    to.root().record({audiences, Operation::set, to.depth(), to.bytes(), payload, 0});
    return DataErrc::ok;
  }
}

template <class T, Flags F>
class Field<T, F>::Type : public FieldType {
 public:
  Flags flags() const override { return F; }
  std::string signature() const override { return signature_of<T>(); }
  std::string describe(TypeTable& types) const override { return type_of<T>(types); }

  void encode(const void* field, View, Encoder& out) const override { put_value(out, of(field)); }
  void replace(void* field, View, Decoder& in, Transaction& undo) const override {
    T value{};
    get_value(in, value);
    if (in.ok()) exchange(field, std::move(value), undo);
  }
  void apply(void* field, Replay& replay) const override {
    if (replay.operation != Operation::set) return replay.fail(DataErrc::malformed);
    T value{};
    get_value(replay.in, value);
    if (!replay.in.ok()) return;
    replay.changed = !(value == of(field));
    if (!replay.changed) return;
    if (replay.observed) replay.old = of(field);
    exchange(field, std::move(value), replay.undo);
  }
  void save(const void* field, View view, Encoder& out) const override { encode(field, view, out); }
  void load(void* field, Decoder& in, Loading& loading) const override {
    replace(field, loading.view, in, loading.undo);
  }
  DataErrc assign(void* field, const void* from) const override {
    return static_cast<Field*>(field)->try_write(of(from));
  }
  void restore(void* field, const void* from, Transaction& undo) const override {
    exchange(field, T(of(from)), undo);
  }
  void differ(const void* before, const void* now, Differences& out) const override {
    if (!(of(now) == of(before))) out.change(Operation::set, [before] { return T(of(before)); });
  }
  void show(const void* field, JsonWriter out) const override { write_json(out, of(field)); }
  DataResult<> set_from(void* field, const JsonReader& in) const override {
    T value{};
    if (!read_json(in, value)) return DataError(DataErrc::bad_json);
    return static_cast<Field*>(field)->set(std::move(value));
  }

 private:
  static const T& of(const void* field) { return static_cast<const Field*>(field)->value_; }
  static void exchange(void* field, T value, Transaction& undo) {
    T& now = static_cast<Field*>(field)->value_;
    undo.on_rollback(
        [&now, old = std::exchange(now, std::move(value))]() mutable { now = std::move(old); });
  }
};

template <class T, Flags F>
const FieldType& Field<T, F>::type() {
  static_assert(sizeof(cannot_be_saved_or_sent<T>) > 0);
  static const Type type;
  return type;
}

/// The base of a Field of a struct; see there. Belongs to the thread that owns the entity.
template <class T, Flags F>
class StructField {
  static_assert(valid(F), "one lifetime at most, none if saved; server_only excludes audiences");
  static_assert(!has(F, Flags::latest_only), "latest_only is for single values");

 public:
  template <class Owner>
  StructField(Owner* owner, std::string_view name) {
    place(owner, name);
  }
  /// Within STARBUS_FIELDS.
  template <FieldOwner Owner>
  explicit StructField(Owner& owner) {
    place(&owner, field_text<Owner>());
  }
  explicit StructField(const StructField& other) : value_(other.value_) {
    static_cast<StructBase&>(value_).hold(other.value_.place(), other.value_.reach());
  }
  StructField& operator=(const StructField& other) = default;

  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }

  /// For the schema.
  static const FieldType& type();

 protected:
  ~StructField() = default;

 private:
  class Type;

  template <class Owner, class Name>
  void place(Owner* owner, const Name& name) {
    StructBase& base = value_;
    base.hold(static_cast<StructBase*>(owner)->enlist(this, &base, name),
              reach_of(F, std::is_base_of_v<Root, Owner>));
    (void)class_with_fields_does_not_name_itself<Owner>{};
  }

  T value_;
};

/// A struct within a struct: `stats->strength = 3`. Costs nothing beside the struct itself.
/// Assigning a whole struct (`*stats = other`) assigns its fields, each for itself.
template <StructType T, Flags F>
class Field<T, F> : public StructField<T, F> {
 public:
  using StructField<T, F>::StructField;
};

template <class T, Flags F>
class StructField<T, F>::Type : public FieldType {
 public:
  Flags flags() const override { return F; }
  std::string signature() const override { return "struct"; }
  std::string describe(TypeTable&) const override { return describe_fields(*nested()); }
  const Schema* nested() const override { return &Schema::of<T>(); }

  void encode(const void* field, View view, Encoder& out) const override {
    encode_fields(*nested(), of(field), view, out);
  }
  void replace(void* field, View view, Decoder& in, Transaction& undo) const override {
    replace_fields(*nested(), of(field), view, in, undo);
  }
  void apply(void*, Replay& replay) const override { replay.fail(DataErrc::malformed); }
  StructBase* descend(void* field, Decoder&) const override { return &of(field); }
  StructBase* descend(void* field, const PathStep* step) const override {
    return step == nullptr ? &of(field) : nullptr;
  }
  void each_struct(void* field, const std::function<void(StructBase&)>& visit) const override {
    visit(of(field));
  }
  void save(const void* field, View view, Encoder& out) const override {
    save_fields(*nested(), of(field), view, out);
  }
  void load(void* field, Decoder& in, Loading& loading) const override {
    loading.path += '.';
    load_fields(*nested(), of(field), in, loading);
  }
  DataErrc assign(void* field, const void* from) const override {
    return assign_fields(*nested(), of(field), of(from));
  }
  void restore(void* field, const void* from, Transaction& undo) const override {
    restore_fields(*nested(), of(field), of(from), undo);
  }
  void differ(const void* before, const void* now, Differences& out) const override {
    out.fields(*nested(), of(before), of(now));
  }
  void show(const void* field, JsonWriter out) const override {
    show_fields(*nested(), of(field), out);
  }
  DataResult<> set_from(void* field, const JsonReader& in) const override {
    return set_fields_from(*nested(), of(field), in);
  }

 private:
  static StructBase& of(void* field) { return static_cast<StructField*>(field)->value_; }
  static const StructBase& of(const void* field) {
    return static_cast<const StructField*>(field)->value_;
  }
};

template <class T, Flags F>
const FieldType& StructField<T, F>::type() {
  static const Type type;
  return type;
}

}  // namespace starbus::entity
