#pragma once

#include <map>
#include <memory>

#include "entity/properties/field.hpp"
#include "entity/properties/key.hpp"

namespace starbus::entity {

/// Plain values by key, in the order of keys. Each change is sent as itself, not as the whole map.
/// At most kMaxElements; a refused write changes nothing and sends nothing. An empty one costs a
/// pointer.
template <KeyType K, class V, Flags F = Flags::none>
class Map : public Member<F> {
  static_assert(!StructType<V>, "structs that are edited in place belong into a Bag");
  static_assert(!has(F, Flags::latest_only), "a change of a map is not its whole value");

 public:
  using Values = std::map<K, V>;

  template <class Owner>
  Map(Owner* owner, std::string_view name, Values initial = {}) : Member<F>(owner, this, name) {
    replace_values(std::move(initial));
  }
  /// Within STARBUS_FIELDS.
  template <FieldOwner Owner>
  explicit Map(Owner& owner, Values initial = {}) : Member<F>(&owner, this, field_text<Owner>()) {
    replace_values(std::move(initial));
  }
  explicit Map(const Map& other) : Member<F>(other) { replace_values(other.get()); }
  /// Throws BadData where set() returns an error.
  Map& operator=(const Map& other) { return *this = other.get(); }
  Map& operator=(Values values) {
    throw_if(try_set(std::move(values)));
    return *this;
  }

  /// too_large beyond kMaxElements or kMaxValue, bad_key.
  [[nodiscard]] DataResult<> set(Values values) { return result_of(try_set(std::move(values))); }
  /// Inserts or replaces.
  DataResult<> put(const K& key, V value) { return result_of(try_put(key, std::move(value))); }
  /// no_such_key
  DataResult<> erase(const K& key) { return result_of(try_erase(key)); }
  DataResult<> clear();

  const Values& get() const { return values_ == nullptr ? none() : *values_; }
  /// nullptr if there is none.
  const V* find(const K& key) const {
    const auto found = get().find(key);
    return found == get().end() ? nullptr : &found->second;
  }
  bool contains(const K& key) const { return find(key) != nullptr; }
  std::size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }
  auto begin() const { return get().begin(); }
  auto end() const { return get().end(); }

  /// For the schema.
  static const FieldType& type();

 private:
  class Type;
  static const Values& none() {
    static const Values values;
    return values;
  }
  Values& values() {
    if (values_ == nullptr) values_ = std::make_unique<Values>();
    return *values_;
  }
  void replace_values(Values now) {
    if (values_ != nullptr || !now.empty()) values() = std::move(now);
  }
  static void encode(Encoder& out, const Values& values);
  static bool decode(Decoder& in, Values& values);
  DataErrc try_set(Values values);
  DataErrc try_put(const K& key, V value);
  DataErrc try_erase(const K& key);

  std::unique_ptr<Values> values_;
};

template <KeyType K, class V, Flags F>
void Map<K, V, F>::encode(Encoder& out, const Values& values) {
  out.varint(values.size());
  for (const auto& [key, value] : values) {
    put_value(out, key);
    put_value(out, value);
  }
}

template <KeyType K, class V, Flags F>
bool Map<K, V, F>::decode(Decoder& in, Values& values) {
  const std::size_t count = in.count();
  if (count > kMaxElements) in.fail(DataErrc::too_large);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    K key = read_key<K>(in);
    V value{};
    if (in.charge(sizeof(V))) get_value(in, value);
    if (!values.empty() && !(values.rbegin()->first < key)) in.fail(DataErrc::malformed);
    if (in.ok()) values.emplace_hint(values.end(), std::move(key), std::move(value));
  }
  return in.ok();
}

template <KeyType K, class V, Flags F>
DataErrc Map<K, V, F>::try_set(Values now) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (now == get()) return DataErrc::ok;
  if (now.size() > kMaxElements) return DataErrc::too_large;
  for (const auto& [key, value] : now) {
    if (!valid_key(key)) return DataErrc::bad_key;
  }
  Scratch scratch;
  Encoder whole(scratch.bytes(), kMaxValue);
  encode(whole, now);
  if (!whole.ok()) return whole.error();
  const DataErrc error =
      this->record(attention, Operation::set, [&](Encoder& out) { encode(out, now); });
  if (error != DataErrc::ok) return error;
  values().swap(now);
  if (this->observed(attention)) this->tell(attention, Operation::set, std::move(now));
  return DataErrc::ok;
}

template <KeyType K, class V, Flags F>
DataErrc Map<K, V, F>::try_put(const K& key, V value) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (!valid_key(key)) return DataErrc::bad_key;
  if (const DataErrc error = check_value(value); error != DataErrc::ok) return error;
  const auto found = values().find(key);
  const bool there = found != values().end();
  if (there && found->second == value) return DataErrc::ok;
  if (!there && size() >= kMaxElements) return DataErrc::too_large;
  Scratch scratch;
  Encoder encoded_key(scratch.bytes());
  put_value(encoded_key, key);
  const auto payload = [&](Encoder& out) {
    out.raw(scratch.bytes().data(), scratch.bytes().size());
    put_value(out, value);
  };
  const DataErrc error =
      this->record(attention, Operation::map_put, payload, scratch.bytes().size());
  if (error != DataErrc::ok) return error;
  std::any old;
  if (there) {
    if (this->observed(attention)) old = found->second;
    found->second = std::move(value);
  } else {
    values().emplace(key, std::move(value));
  }
  this->tell(attention, Operation::map_put, std::move(old));
  return DataErrc::ok;
}

template <KeyType K, class V, Flags F>
DataErrc Map<K, V, F>::try_erase(const K& key) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (!contains(key)) return DataErrc::no_such_key;
  Scratch scratch;
  Encoder encoded_key(scratch.bytes());
  put_value(encoded_key, key);
  throw_if(this->record(
      attention, Operation::map_erase,
      [&](Encoder& out) { out.raw(scratch.bytes().data(), scratch.bytes().size()); },
      scratch.bytes().size()));
  auto node = values().extract(key);
  if (this->observed(attention)) {
    this->tell(attention, Operation::map_erase, std::move(node.mapped()));
  }
  return DataErrc::ok;
}

template <KeyType K, class V, Flags F>
DataResult<> Map<K, V, F>::clear() {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return DataError(this->refusal(attention));
  if (empty()) return {};
  throw_if(this->record(attention, Operation::clear, [](Encoder&) {}));
  Values old;
  values().swap(old);
  if (this->observed(attention)) this->tell(attention, Operation::clear, std::move(old));
  return {};
}

template <KeyType K, class V, Flags F>
class Map<K, V, F>::Type : public FieldType {
 public:
  Flags flags() const override { return F; }
  std::string signature() const override {
    return "map[" + signature_of<K>() + "," + signature_of<V>() + "]";
  }
  std::string describe(TypeTable& types) const override {
    return "{\"map\":[" + type_of<K>(types) + "," + type_of<V>(types) + "]}";
  }

  void encode(const void* field, View, Encoder& out) const override {
    Map::encode(out, static_cast<const Map*>(field)->get());
  }
  void replace(void* field, View, Decoder& in, Transaction& undo) const override {
    Values now;
    if (decode(in, now)) exchange(of(field), std::move(now), undo);
  }
  void apply(void* field, Replay& replay) const override;
  bool encode_element(const void* field, PartKind, Decoder& key, View,
                      Encoder& out) const override {
    const V* const value = static_cast<const Map*>(field)->find(read_key<K>(key));
    if (value != nullptr) put_value(out, *value);
    return value != nullptr;
  }
  std::size_t apply_element(void* field, PartKind part, View, Decoder& in,
                            Transaction& undo) const override;
  void save(const void* field, View view, Encoder& out) const override { encode(field, view, out); }
  void load(void* field, Decoder& in, Loading& loading) const override {
    replace(field, loading.view, in, loading.undo);
  }
  DataErrc assign(void* field, const void* from) const override {
    return static_cast<Map*>(field)->try_set(static_cast<const Map*>(from)->get());
  }
  void restore(void* field, const void* from, Transaction& undo) const override {
    exchange(of(field), Values(static_cast<const Map*>(from)->get()), undo);
  }
  void differ(const void* before, const void* now, Differences& out) const override {
    const Values& old = static_cast<const Map*>(before)->get();
    if (static_cast<const Map*>(now)->get() == old) return;
    out.change(Operation::set, [&old] { return Values(old); });
  }
  void show(const void* field, JsonWriter out) const override {
    out.object();
    for (const auto& [key, value] : static_cast<const Map*>(field)->get()) {
      write_json(out.member(json_key(key)), value);
    }
  }
  DataResult<> show_element(const void* field, const PathStep& step,
                            JsonWriter out) const override {
    K key{};
    const V* value = key_of(step, key) ? static_cast<const Map*>(field)->find(key) : nullptr;
    if (value == nullptr) return DataError(DataErrc::unknown_path);
    write_json(out, *value);
    return {};
  }
  DataResult<> set_from(void* field, const JsonReader& in) const override {
    if (!in.is_object()) return DataError(DataErrc::bad_json);
    Values now;
    const bool valid = in.each_member([&](const std::string& text, const JsonReader& element) {
      K key{};
      V value{};
      if (!key_from_json(text, key) || !read_json(element, value)) return false;
      now.emplace(std::move(key), std::move(value));
      return true;
    });
    if (!valid) return DataError(DataErrc::bad_json);
    return static_cast<Map*>(field)->set(std::move(now));
  }
  DataResult<> set_element_from(void* field, const PathStep& step,
                                const JsonReader& in) const override {
    K key{};
    if (!key_of(step, key)) return DataError(DataErrc::unknown_path);
    V value{};
    if (!read_json(in, value)) return DataError(DataErrc::bad_json);
    return static_cast<Map*>(field)->put(key, std::move(value));
  }

 private:
  static Values& of(void* field) { return static_cast<Map*>(field)->values(); }
  static void exchange(Values& values, Values now, Transaction& undo) {
    values.swap(now);
    undo.on_rollback([&values, old = std::move(now)]() mutable { values.swap(old); });
  }
  void apply_to_key(Values& values, Replay& replay) const;
  static void put(Values& values, const K& key, V value, Transaction& undo) {
    const auto [at, is_new] = values.try_emplace(key);
    V old = std::exchange(at->second, std::move(value));
    if (is_new) {
      undo.on_rollback([&values, key] { values.erase(key); });
    } else {
      V& now = at->second;
      undo.on_rollback([&now, old = std::move(old)]() mutable { now = std::move(old); });
    }
  }
  static void drop(Values& values, typename Values::iterator at, Transaction& undo) {
    auto node = values.extract(at);
    undo.on_rollback(
        [&values, node = std::move(node)]() mutable { values.insert(std::move(node)); });
  }
};

template <KeyType K, class V, Flags F>
void Map<K, V, F>::Type::apply(void* field, Replay& replay) const {
  Values& values = of(field);
  if (replay.operation != Operation::set && replay.operation != Operation::clear) {
    return apply_to_key(values, replay);
  }
  Values now;
  if (replay.operation == Operation::set && !decode(replay.in, now)) return;
  replay.changed = now != values;
  if (replay.observed) replay.old = values;
  exchange(values, std::move(now), replay.undo);
}

template <KeyType K, class V, Flags F>
void Map<K, V, F>::Type::apply_to_key(Values& values, Replay& replay) const {
  const bool puts = replay.operation == Operation::map_put;
  if (!puts && replay.operation != Operation::map_erase) return replay.fail(DataErrc::malformed);
  const std::size_t before = replay.in.left();
  const K key = read_key<K>(replay.in);
  replay.key = before - replay.in.left();
  V value{};
  if (puts) get_value(replay.in, value);
  if (!replay.in.ok()) return;
  const auto found = values.find(key);
  if (!puts) {
    if (found == values.end()) return replay.fail(DataErrc::desync);
    if (replay.observed) replay.old = found->second;
    drop(values, found, replay.undo);
  } else if (found != values.end()) {
    replay.changed = !(found->second == value);
    if (replay.observed) replay.old = found->second;
    put(values, key, std::move(value), replay.undo);
  } else if (values.size() >= kMaxElements) {
    replay.fail(DataErrc::desync);
  } else {
    put(values, key, std::move(value), replay.undo);
  }
}

template <KeyType K, class V, Flags F>
std::size_t Map<K, V, F>::Type::apply_element(void* field, PartKind part, View, Decoder& in,
                                              Transaction& undo) const {
  Values& values = of(field);
  const std::size_t before = in.left();
  const K key = read_key<K>(in);
  const std::size_t size = before - in.left();
  V value{};
  if (part == PartKind::element) get_value(in, value);
  if (part == PartKind::slot) in.fail(DataErrc::malformed);
  if (!in.ok()) return size;
  const auto found = values.find(key);
  if (part == PartKind::gone) {
    if (found != values.end()) drop(values, found, undo);
  } else if (found == values.end() && values.size() >= kMaxElements) {
    in.fail(DataErrc::desync);
  } else {
    put(values, key, std::move(value), undo);
  }
  return size;
}

template <KeyType K, class V, Flags F>
const FieldType& Map<K, V, F>::type() {
  static_assert(sizeof(cannot_be_saved_or_sent<V>) > 0);
  static const Type type;
  return type;
}

}  // namespace starbus::entity
