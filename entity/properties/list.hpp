#pragma once

#include "entity/properties/field.hpp"

namespace starbus::entity {

/// A sequence of plain values. Each change is sent as itself, not as the whole list. At most
/// kMaxElements; a refused write changes nothing and sends nothing. Reading is that of a const
/// vector.
template <class T, Flags F = Flags::none>
class List : public Member<F> {
  static_assert(!StructType<T>, "structs that are edited in place belong into a Bag");
  static_assert(!has(F, Flags::latest_only), "a change of a list is not its whole value");

 public:
  template <class Owner>
  List(Owner* owner, std::string_view name, std::vector<T> initial = {})
      : Member<F>(owner, this, name), values_(std::move(initial)) {}
  /// Within STARBUS_FIELDS.
  template <FieldOwner Owner>
  explicit List(Owner& owner, std::vector<T> initial = {})
      : Member<F>(&owner, this, field_text<Owner>()), values_(std::move(initial)) {}
  explicit List(const List&) = default;  // within a copy of its struct, not alone
  /// Throws BadData where set() returns an error.
  List& operator=(const List& other) { return *this = other.values_; }
  List& operator=(std::vector<T> values) {
    throw_if(try_set(std::move(values)));
    return *this;
  }

  /// Replaces all elements. Errors as below.
  [[nodiscard]] DataResult<> set(std::vector<T> values) {
    return result_of(try_set(std::move(values)));
  }
  /// too_large beyond kMaxElements or kMaxValue.
  DataResult<> push_back(T value) {
    return result_of(put(Operation::list_push, 0, std::move(value)));
  }
  /// bad_index if it is empty.
  DataResult<> pop_back() { return result_of(take(Operation::list_pop, values_.size() - 1)); }
  /// The element at `index` is replaced; bad_index if there is none.
  DataResult<> set_at(std::size_t index, T value) {
    return result_of(put(Operation::list_set, index, std::move(value)));
  }
  /// Inserts before the element at `index`; at the end if that is size().
  DataResult<> insert_at(std::size_t index, T value) {
    return result_of(put(Operation::list_insert, index, std::move(value)));
  }
  DataResult<> erase_at(std::size_t index) { return result_of(take(Operation::list_erase, index)); }
  DataResult<> clear();

  const std::vector<T>& get() const { return values_; }
  operator const std::vector<T>&() const { return values_; }  // NOLINT: it is used as its value
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  decltype(auto) operator[](std::size_t index) const { return values_.at(index); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  /// For the schema.
  static const FieldType& type();

 private:
  class Type;
  DataErrc try_set(std::vector<T> values);
  DataErrc put(Operation operation, std::size_t index, T value);
  DataErrc take(Operation operation, std::size_t index);
  DataErrc check(Operation operation, std::size_t index) const;

  std::vector<T> values_;
};

template <class T, Flags F>
DataErrc List<T, F>::try_set(std::vector<T> values) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (values.size() > kMaxElements) return DataErrc::too_large;
  if (values == values_) return DataErrc::ok;
  if (const DataErrc error = check_value(values); error != DataErrc::ok) return error;
  const DataErrc error =
      this->record(attention, Operation::set, [&](Encoder& out) { put_value(out, values); });
  if (error != DataErrc::ok) return error;
  values_.swap(values);
  if (this->observed(attention)) this->tell(attention, Operation::set, std::move(values));
  return DataErrc::ok;
}

template <class T, Flags F>
DataResult<> List<T, F>::clear() {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return DataError(this->refusal(attention));
  if (values_.empty()) return {};
  throw_if(this->record(attention, Operation::clear, [](Encoder&) {}));
  std::vector<T> old;
  values_.swap(old);
  if (this->observed(attention)) this->tell(attention, Operation::clear, std::move(old));
  return {};
}

template <class T, Flags F>
DataErrc List<T, F>::check(Operation operation, std::size_t index) const {
  const bool grows = operation == Operation::list_push || operation == Operation::list_insert;
  if (grows && values_.size() >= kMaxElements) return DataErrc::too_large;
  if (operation == Operation::list_push) return DataErrc::ok;
  const std::size_t end = values_.size() + (operation == Operation::list_insert ? 1 : 0);
  return index < end ? DataErrc::ok : DataErrc::bad_index;
}

template <class T, Flags F>
DataErrc List<T, F>::put(Operation operation, std::size_t index, T value) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (const DataErrc error = check(operation, index); error != DataErrc::ok) return error;
  if (operation == Operation::list_set && values_[index] == value) return DataErrc::ok;
  if (const DataErrc error = check_value(value); error != DataErrc::ok) return error;
  std::byte at[kMaxVarint];
  const std::size_t size = operation == Operation::list_push ? 0 : store_varint(at, index);
  const DataErrc error = this->record(
      attention, operation,
      [&](Encoder& out) {
        out.raw(at, size);
        put_value(out, value);
      },
      operation == Operation::list_set ? size : 0);
  if (error != DataErrc::ok) return error;
  std::any old;
  if (operation == Operation::list_push) {
    values_.push_back(std::move(value));
  } else if (operation == Operation::list_insert) {
    values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
  } else {
    if (this->observed(attention)) old = T(values_[index]);
    values_[index] = std::move(value);
  }
  this->tell(attention, operation, std::move(old));
  return DataErrc::ok;
}

template <class T, Flags F>
DataErrc List<T, F>::take(Operation operation, std::size_t index) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (const DataErrc error = check(operation, index); error != DataErrc::ok) return error;
  const DataErrc error = this->record(attention, operation, [&](Encoder& out) {
    if (operation == Operation::list_erase) out.varint(index);
  });
  if (error != DataErrc::ok) return error;
  T old = std::move(values_[index]);
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(index));
  if (this->observed(attention)) this->tell(attention, operation, std::move(old));
  return DataErrc::ok;
}

template <class T, Flags F>
class List<T, F>::Type : public FieldType {
 public:
  Flags flags() const override { return F; }
  std::string signature() const override { return "list[" + signature_of<T>() + "]"; }
  std::string describe(TypeTable& types) const override {
    return "{\"list\":" + type_of<T>(types) + "}";
  }

  void encode(const void* field, View, Encoder& out) const override {
    put_value(out, static_cast<const List*>(field)->values_);
  }
  void replace(void* field, View, Decoder& in, Transaction& undo) const override {
    std::vector<T> values;
    if (read(in, values)) exchange(of(field), std::move(values), undo);
  }
  void apply(void* field, Replay& replay) const override;
  bool encode_element(const void* field, PartKind, Decoder& key, View,
                      Encoder& out) const override {
    const auto& values = static_cast<const List*>(field)->values_;
    const std::uint64_t index = key.varint();
    if (index >= values.size()) return false;
    put_value(out, T(values[static_cast<std::size_t>(index)]));
    return true;
  }
  std::size_t apply_element(void* field, PartKind part, View, Decoder& in,
                            Transaction& undo) const override;
  void save(const void* field, View view, Encoder& out) const override { encode(field, view, out); }
  void load(void* field, Decoder& in, Loading& loading) const override {
    replace(field, loading.view, in, loading.undo);
  }
  DataErrc assign(void* field, const void* from) const override {
    return static_cast<List*>(field)->try_set(static_cast<const List*>(from)->values_);
  }
  void restore(void* field, const void* from, Transaction& undo) const override {
    exchange(of(field), std::vector<T>(static_cast<const List*>(from)->values_), undo);
  }
  void differ(const void* before, const void* now, Differences& out) const override {
    const auto& old = static_cast<const List*>(before)->values_;
    if (static_cast<const List*>(now)->values_ == old) return;
    out.change(Operation::set, [&old] { return std::vector<T>(old); });
  }
  void show(const void* field, JsonWriter out) const override {
    out.array();
    for (const T& value : static_cast<const List*>(field)->values_)
      write_json(out.element(), value);
  }
  DataResult<> show_element(const void* field, const PathStep& step,
                            JsonWriter out) const override {
    const auto& values = static_cast<const List*>(field)->values_;
    if (!names_element(step, values)) return DataError(DataErrc::unknown_path);
    write_json(out, T(values[static_cast<std::size_t>(step.value)]));
    return {};
  }
  DataResult<> set_from(void* field, const JsonReader& in) const override {
    if (!in.is_array()) return DataError(DataErrc::bad_json);
    std::vector<T> values;
    for (std::size_t i = 0; i < in.size(); ++i) {
      T value{};
      if (!read_json(in.element(i), value)) return DataError(DataErrc::bad_json);
      values.push_back(std::move(value));
    }
    return static_cast<List*>(field)->set(std::move(values));
  }
  DataResult<> set_element_from(void* field, const PathStep& step,
                                const JsonReader& in) const override {
    if (!names_element(step, of(field))) return DataError(DataErrc::unknown_path);
    T value{};
    if (!read_json(in, value)) return DataError(DataErrc::bad_json);
    return static_cast<List*>(field)->set_at(static_cast<std::size_t>(step.value),
                                             std::move(value));
  }

 private:
  static std::vector<T>& of(void* field) { return static_cast<List*>(field)->values_; }
  static bool names_element(const PathStep& step, const std::vector<T>& values) {
    return step.kind == PathStep::number && step.value >= 0 &&
           static_cast<std::size_t>(step.value) < values.size();
  }
  static bool read(Decoder& in, std::vector<T>& values) {
    get_value(in, values);
    if (in.ok() && values.size() > kMaxElements) in.fail(DataErrc::too_large);
    return in.ok();
  }
  static void exchange(std::vector<T>& values, std::vector<T> now, Transaction& undo) {
    values.swap(now);
    undo.on_rollback([&values, old = std::move(now)]() mutable { values.swap(old); });
  }
  void apply_to_element(std::vector<T>& values, Replay& replay) const;
};

template <class T, Flags F>
void List<T, F>::Type::apply(void* field, Replay& replay) const {
  std::vector<T>& values = of(field);
  if (replay.operation != Operation::set && replay.operation != Operation::clear) {
    return apply_to_element(values, replay);
  }
  std::vector<T> now;
  if (replay.operation == Operation::set && !read(replay.in, now)) return;
  replay.changed = now != values;
  if (replay.observed) replay.old = values;
  exchange(values, std::move(now), replay.undo);
}

template <class T, Flags F>
void List<T, F>::Type::apply_to_element(std::vector<T>& values, Replay& replay) const {
  const Operation operation = replay.operation;
  const bool puts = operation == Operation::list_push || operation == Operation::list_set ||
                    operation == Operation::list_insert;
  if (!puts && operation != Operation::list_pop && operation != Operation::list_erase) {
    return replay.fail(DataErrc::malformed);
  }
  std::size_t index = operation == Operation::list_push ? values.size() : values.size() - 1;
  if (operation != Operation::list_push && operation != Operation::list_pop) {
    const std::size_t before = replay.in.left();
    index = static_cast<std::size_t>(replay.in.varint());
    if (operation == Operation::list_set) replay.key = before - replay.in.left();
  }
  T value{};
  if (puts) get_value(replay.in, value);
  if (!replay.in.ok()) return;
  const bool grows = operation == Operation::list_push || operation == Operation::list_insert;
  if (index >= values.size() + (grows ? 1 : 0) || (grows && values.size() >= kMaxElements)) {
    return replay.fail(DataErrc::desync);
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
  if (grows) {
    values.insert(at, std::move(value));
    replay.undo.on_rollback(
        [&values, index] { values.erase(values.begin() + static_cast<std::ptrdiff_t>(index)); });
    return;
  }
  if (replay.observed) replay.old = T(*at);
  if (puts) {
    T old = std::move(values[index]);
    values[index] = std::move(value);
    replay.undo.on_rollback(
        [&values, index, old = std::move(old)]() mutable { values[index] = std::move(old); });
    return;
  }
  T old = std::move(values[index]);
  values.erase(at);
  replay.undo.on_rollback([&values, index, old = std::move(old)]() mutable {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(index), std::move(old));
  });
}

template <class T, Flags F>
std::size_t List<T, F>::Type::apply_element(void* field, PartKind part, View, Decoder& in,
                                            Transaction& undo) const {
  std::vector<T>& values = of(field);
  const std::size_t before = in.left();
  const std::uint64_t wide = in.varint();
  const std::size_t key = before - in.left();
  T value{};
  get_value(in, value);
  if (part != PartKind::element) in.fail(DataErrc::malformed);
  if (in.ok() && wide >= values.size()) in.fail(DataErrc::desync);
  if (!in.ok()) return key;
  const auto index = static_cast<std::size_t>(wide);
  T old = std::move(values[index]);
  values[index] = std::move(value);
  undo.on_rollback(
      [&values, index, old = std::move(old)]() mutable { values[index] = std::move(old); });
  return key;
}

template <class T, Flags F>
const FieldType& List<T, F>::type() {
  static_assert(sizeof(cannot_be_saved_or_sent<T>) > 0);
  static const Type type;
  return type;
}

}  // namespace starbus::entity
