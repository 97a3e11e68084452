/// How a bag is encoded, replayed, saved and shown; included by bag.hpp.
#pragma once

#include "entity/properties/bag.hpp"

namespace starbus::entity {

template <StructType Item, Flags F, KeyType Key>
class Bag<Item, F, Key>::Type : public FieldType {
 public:
  Flags flags() const override { return F; }
  std::string signature() const override { return "bag[" + signature_of<Key>() + "]"; }
  std::string describe(TypeTable& types) const override {
    return "{\"bag\":[" + type_of<Key>(types) + "," + describe_fields(*nested()) + "]}";
  }
  const Schema* nested() const override { return &Schema::of<Item>(); }
  std::size_t capacity(const void* field) const override {
    return static_cast<const Bag*>(field)->capacity_;
  }
  std::string key_text(Decoder& in) const override { return key_path(read_key<Key>(in)); }
  bool encode_key(const PathStep& step, Bytes& out) const override {
    Key key{};
    if (!key_of(step, key)) return false;
    Encoder encoder(out);
    put_value(encoder, key);
    return true;
  }

  void encode(const void* field, View view, Encoder& out) const override {
    write(field, out, [&](const Item& item) { encode_fields(*nested(), item, view, out); });
  }
  void replace(void* field, View view, Decoder& in, Transaction& undo) const override {
    read(field, in, undo, [&](Item& item) { replace_fields(*nested(), item, view, in, undo); });
  }
  void save(const void* field, View view, Encoder& out) const override {
    write(field, out, [&](const Item& item) {
      put_sized(out, [&](Encoder& body) { save_fields(*nested(), item, view, body); });
    });
  }
  void load(void* field, Decoder& in, Loading& loading) const override;
  void apply(void* field, Replay& replay) const override;
  bool encode_element(const void* field, PartKind part, Decoder& key, View view,
                      Encoder& out) const override;
  std::size_t apply_element(void* field, PartKind part, View view, Decoder& in,
                            Transaction& undo) const override;

  StructBase* descend(void* field, Decoder& in) const override {
    const Key key = read_key<Key>(in);
    Item* item = in.ok() ? of(field).edit(key) : nullptr;
    if (item == nullptr) in.fail(DataErrc::desync);
    return item;
  }
  StructBase* descend(void* field, const PathStep* step) const override {
    Key key{};
    return step != nullptr && key_of(*step, key) ? of(field).edit(key) : nullptr;
  }
  void each_struct(void* field, const std::function<void(StructBase&)>& visit) const override {
    if (of(field).nodes_ == nullptr) return;
    for (const auto& [key, node] : of(field).nodes_->by_key()) visit(node->item);
  }
  DataErrc assign(void* field, const void* from) const override {
    return of(field).try_assign(*static_cast<const Bag*>(from));
  }
  void restore(void* field, const void* from, Transaction& undo) const override {
    const Bag& source = *static_cast<const Bag*>(from);
    exchange(of(field), source.nodes_ == nullptr ? nullptr : of(field).copy_of(source), undo);
  }
  void differ(const void* before, const void* now, Differences& out) const override;

  void show(const void* field, JsonWriter out) const override {
    out.object();
    static_cast<const Bag*>(field)->for_each(
        [&](const Key& key, const Item& item, std::uint32_t slot) {
          JsonWriter row = out.member(json_key(key));
          row.object();
          row.member("slot").integer(std::uint64_t{slot});
          show_fields(*nested(), item, row.member("item"));
        });
  }
  DataResult<> show_element(const void* field, const PathStep& step,
                            JsonWriter out) const override {
    Key key{};
    const Item* item = key_of(step, key) ? static_cast<const Bag*>(field)->find(key) : nullptr;
    if (item == nullptr) return DataError(DataErrc::unknown_path);
    show_fields(*nested(), *item, out);
    return {};
  }
  /// A bag is not set as a whole: it would not be clear what happens to items with the same keys.
  DataResult<> set_from(void*, const JsonReader&) const override {
    return DataError(DataErrc::bad_json, "name an item of the bag");
  }
  /// Inserts the item if there is none; null erases it.
  DataResult<> set_element_from(void* field, const PathStep& step,
                                const JsonReader& in) const override;

 private:
  static Bag& of(void* field) { return *static_cast<Bag*>(field); }
  template <class WriteItem>
  static void write(const void* field, Encoder& out, WriteItem&& write_item) {
    const Bag& bag = *static_cast<const Bag*>(field);
    out.varint(bag.size());
    bag.for_each([&](const Key& key, const Item& item, std::uint32_t slot) {
      put_value(out, key);
      out.varint(slot);
      write_item(item);
    });
  }
  template <class ReadItem>
  void read(void* field, Decoder& in, Transaction& undo, ReadItem&& read_item) const;
  static void exchange(Bag& bag, std::unique_ptr<Nodes> now, Transaction& undo) {
    bag.nodes_.swap(now);
    undo.on_rollback([&bag, old = std::move(now)]() mutable { bag.nodes_.swap(old); });
  }
  void apply_insert(Bag& bag, const Key& key, Replay& replay) const;
  static void remove(Bag& bag, const Key& key, Transaction& undo) {
    undo.on_rollback(
        [&bag, node = bag.nodes().remove(key)]() mutable { bag.nodes().insert(std::move(node)); });
  }
  static Node& add(Bag& bag, std::unique_ptr<Node> node, Transaction& undo);
  static void place(Bag& bag, Node& node, std::uint32_t slot, Transaction& undo) {
    const std::uint32_t old = node.slot;
    bag.nodes().exchange_slots(node, slot);
    undo.on_rollback([&bag, &node, old] { bag.nodes().exchange_slots(node, old); });
  }
  static void apply_erase(Bag& bag, const Key& key, Replay& replay);
  static void apply_move(Bag& bag, const Key& key, Replay& replay);
  void pass_insert(const Node& node, Replay& replay) const;
};

template <StructType Item, Flags F, KeyType Key>
template <class ReadItem>
void Bag<Item, F, Key>::Type::read(void* field, Decoder& in, Transaction& undo,
                                   ReadItem&& read_item) const {
  Bag& bag = of(field);
  auto now = std::make_unique<Nodes>(bag.holder());
  const std::size_t count = in.count();
  if (count > bag.capacity_) in.fail(DataErrc::bag_full);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const Key key = read_key<Key>(in);
    const std::uint64_t wide = in.varint();
    const auto slot = static_cast<std::uint32_t>(wide);
    in.charge(sizeof(Node));
    if (wide >= bag.capacity_) in.fail(DataErrc::bad_slot);
    if (now->find(key) != nullptr || now->at(slot) != nullptr) in.fail(DataErrc::malformed);
    if (in.ok()) read_item(now->insert(std::make_unique<Node>(key, slot)).item);
  }
  // Also after a failure: the undo steps of read_item refer to these items.
  exchange(bag, std::move(now), undo);
}

// What left first: so a slot is free before another item is told to be there.
template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::differ(const void* before, const void* now, Differences& out) const {
  const Bag& old = *static_cast<const Bag*>(before);
  const Bag& bag = *static_cast<const Bag*>(now);
  old.for_each([&](const Key& key, const Item& item, std::uint32_t) {
    if (!bag.contains(key)) out.change(Operation::bag_erase, [&item] { return Item(item); });
  });
  bag.for_each([&](const Key& key, const Item& item, std::uint32_t slot) {
    const Item* const was = old.find(key);
    if (was == nullptr) return out.change(Operation::bag_insert);
    const std::uint32_t old_slot = old.slot_of(key);
    if (old_slot != slot) out.change(Operation::bag_move, [old_slot] { return old_slot; });
    Scratch bytes;
    Encoder encoded(bytes.bytes());
    put_value(encoded, key);
    out.item(bytes.bytes(), *nested(), *was, item);
  });
}

template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::load(void* field, Decoder& in, Loading& loading) const {
  const std::string path = loading.path;
  read(field, in, loading.undo, [&](Item& item) {
    loading.path = path + "[].";
    Decoder body(bus::as_bytes(in.text()));
    load_fields(*nested(), item, body, loading);
    if (body.finish() != DataErrc::ok) in.fail(body.error());
  });
  loading.path = path;
}

template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::apply(void* field, Replay& replay) const {
  Bag& bag = of(field);
  if (replay.operation == Operation::clear) {
    replay.changed = !bag.empty();
    return exchange(bag, nullptr, replay.undo);
  }
  const std::size_t before = replay.in.left();
  const Key key = read_key<Key>(replay.in);
  replay.key = before - replay.in.left();
  if (!replay.in.ok()) return;
  if (replay.operation == Operation::bag_insert) return apply_insert(bag, key, replay);
  if (replay.operation == Operation::bag_erase) return apply_erase(bag, key, replay);
  if (replay.operation == Operation::bag_move) return apply_move(bag, key, replay);
  replay.fail(DataErrc::malformed);
}

template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::apply_insert(Bag& bag, const Key& key, Replay& replay) const {
  const std::uint64_t slot = replay.in.varint();
  if (!replay.in.ok()) return;
  if (slot >= bag.capacity_ || bag.contains(key) ||
      bag.nodes().at(static_cast<std::uint32_t>(slot)) != nullptr) {
    return replay.fail(DataErrc::desync);
  }
  auto node = std::make_unique<Node>(key, static_cast<std::uint32_t>(slot));
  Transaction in_node;  // which is dropped if it fails
  replace_fields(*nested(), node->item, replay.view, replay.in, in_node);
  in_node.commit();
  if (!replay.in.ok()) return;
  pass_insert(add(bag, std::move(node), replay.undo), replay);
}

template <StructType Item, Flags F, KeyType Key>
auto Bag<Item, F, Key>::Type::add(Bag& bag, std::unique_ptr<Node> node, Transaction& undo)
    -> Node& {
  Node& added = bag.nodes().insert(std::move(node));
  // Kept until all is taken back: earlier steps are about its fields.
  undo.on_rollback([&bag, key = added.key, removed = std::unique_ptr<Node>()]() mutable {
    removed = bag.nodes().remove(key);
  });
  return added;
}

// Watchers of a replica may see less of an item than the replica does.
template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::pass_insert(const Node& node, Replay& replay) const {
  replay.passed = true;
  for (std::size_t i = 0; i < kAudiences; ++i) {
    const auto audience = static_cast<Audience>(i);
    if ((replay.pass & bit_of(audience)) == 0) continue;
    Passing passing{bit_of(audience),
                    Operation::bag_insert,
                    replay.depth,
                    Bytes(replay.address.begin(), replay.address.end()),
                    {},
                    replay.key,
                    false};
    Encoder out(passing.payload);
    put_value(out, node.key);
    out.varint(node.slot);
    encode_fields(*nested(), node.item, view_of(audience), out);
    replay.passing.push_back(std::move(passing));
  }
}

template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::apply_erase(Bag& bag, const Key& key, Replay& replay) {
  if (!bag.contains(key)) return replay.fail(DataErrc::desync);
  if (replay.observed) replay.old = bag.nodes().find(key)->item;
  remove(bag, key, replay.undo);
}

template <StructType Item, Flags F, KeyType Key>
void Bag<Item, F, Key>::Type::apply_move(Bag& bag, const Key& key, Replay& replay) {
  const std::uint64_t slot = replay.in.varint();
  if (!replay.in.ok()) return;
  if (slot >= bag.capacity_ || !bag.contains(key)) return replay.fail(DataErrc::desync);
  Node& node = *bag.nodes().find(key);
  if (replay.observed) replay.old = node.slot;
  const Node* const other = bag.nodes().at(static_cast<std::uint32_t>(slot));
  if (other != nullptr && other != &node && replay.pass != 0) {
    Passing too{replay.pass,  Operation::bag_move,
                replay.depth, Bytes(replay.address.begin(), replay.address.end()),
                {},           0,
                true};
    Encoder out(too.payload);
    put_value(out, other->key);
    too.key = too.payload.size();
    replay.passing.push_back(std::move(too));
  }
  place(bag, node, static_cast<std::uint32_t>(slot), replay.undo);
}

template <StructType Item, Flags F, KeyType Key>
bool Bag<Item, F, Key>::Type::encode_element(const void* field, PartKind part, Decoder& key,
                                             View view, Encoder& out) const {
  const Bag& bag = *static_cast<const Bag*>(field);
  const Key of_item = read_key<Key>(key);
  const Node* const node = bag.nodes_ == nullptr ? nullptr : bag.nodes_->find(of_item);
  if (node == nullptr) return false;
  if (part == PartKind::slot) {
    out.varint(node->slot);
  } else {
    encode_item(node->item, node->slot, view, out);
  }
  return true;
}

// Whatever lies where the item belongs changes places with it: it has its own place in what comes,
// or is not there any more.
template <StructType Item, Flags F, KeyType Key>
std::size_t Bag<Item, F, Key>::Type::apply_element(void* field, PartKind part, View view,
                                                   Decoder& in, Transaction& undo) const {
  Bag& bag = of(field);
  const std::size_t before = in.left();
  const Key key = read_key<Key>(in);
  const std::size_t size = before - in.left();
  if (!in.ok()) return size;
  if (part == PartKind::gone) {
    if (bag.contains(key)) remove(bag, key, undo);
    return size;
  }
  const std::uint64_t slot = in.varint();
  if (in.ok() && slot >= bag.capacity_) in.fail(DataErrc::malformed);
  if (!in.ok()) return size;
  Node* node = bag.nodes().find(key);
  if (node == nullptr && (part == PartKind::slot || bag.size() >= bag.capacity_)) {
    in.fail(DataErrc::desync);
    return size;
  }
  if (node == nullptr) {
    if (!in.charge(sizeof(Node))) return size;
    const std::uint32_t free = bag.nodes().first_free(bag.capacity_);
    node = &add(bag, std::make_unique<Node>(key, free), undo);
  }
  place(bag, *node, static_cast<std::uint32_t>(slot), undo);
  if (part == PartKind::element) replace_fields(*nested(), node->item, view, in, undo);
  return size;
}

template <StructType Item, Flags F, KeyType Key>
DataResult<> Bag<Item, F, Key>::Type::set_element_from(void* field, const PathStep& step,
                                                       const JsonReader& in) const {
  Bag& bag = of(field);
  Key key{};
  if (!key_of(step, key)) return DataError(DataErrc::unknown_path);
  if (in.is_null()) return bag.erase(key);
  if (Item* item = bag.edit(key); item != nullptr) return set_fields_from(*nested(), *item, in);
  Item item;
  if (const DataResult<> read = set_fields_from(*nested(), item, in); !read) return read;
  const auto inserted = bag.insert(key, std::move(item));
  if (!inserted) return inserted.error();
  return {};
}

template <StructType Item, Flags F, KeyType Key>
const FieldType& Bag<Item, F, Key>::type() {
  static const Type type;
  return type;
}

}  // namespace starbus::entity
