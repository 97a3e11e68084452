#pragma once

#include <map>
#include <memory>

#include "entity/properties/bag_nodes.hpp"
#include "entity/properties/field.hpp"
#include "entity/properties/key.hpp"

namespace starbus::entity {

/// Structs by key, each in a slot of its own, of which there are `capacity`: inventories, quests,
/// buffs. An item is edited in place, and only the changed field is sent; an item that is
/// inserted is sent to each audience with the fields which that one sees. A refused write changes
/// nothing and sends nothing. Owns its items, whose addresses are stable until they are erased. An
/// empty bag costs a pointer. An item may be half of kMaxValue as encoded. Belongs to the thread
/// that owns the entity.
template <StructType Item, Flags F = Flags::none, KeyType Key = std::int64_t>
class Bag : public Member<F> {
  static_assert(!has(F, Flags::latest_only), "a change of a bag is not its whole value");

 public:
  using Nodes = BagNodes<Item, Key>;
  using Node = typename Nodes::Node;

  template <class Owner>
  Bag(Owner* owner, std::string_view name, std::uint32_t capacity) : Bag(owner, capacity, name) {}
  /// Within STARBUS_FIELDS.
  template <FieldOwner Owner>
  Bag(Owner& owner, std::uint32_t capacity) : Bag(&owner, capacity, field_text<Owner>()) {}
  explicit Bag(const Bag& other)
      : Member<F>(other), capacity_(other.capacity_), reach_(other.reach_) {
    if (other.nodes_ != nullptr) nodes_ = copy_of(other);
  }
  /// Erases all, then inserts all of `other`, each recorded. Throws BadData if it is refused, or
  /// not all fit; then nothing has changed.
  Bag& operator=(const Bag& other) {
    throw_if(try_assign(other));
    return *this;
  }

  /// Into the first free slot. Errors: key_exists, bag_full, bad_key, too_large (as encoded);
  /// no_such_key: it was inserted, and an observer has erased it at once.
  DataResult<Item*> insert(const Key& key, Item item = Item{}) {
    return try_insert(key, nodes().first_free(capacity_), std::move(item));
  }
  /// Also bad_slot: it is taken, or not below the capacity.
  DataResult<Item*> insert_at(std::uint32_t slot, const Key& key, Item item = Item{}) {
    if (slot >= capacity_ || nodes().at(slot) != nullptr) return DataError(DataErrc::bad_slot);
    return try_insert(key, slot, std::move(item));
  }
  /// no_such_key
  DataResult<> erase(const Key& key) { return result_of(try_erase(key)); }
  /// The item changes places with whatever is in that slot. Errors: no_such_key, bad_slot.
  DataResult<> move(const Key& key, std::uint32_t slot) { return result_of(try_move(key, slot)); }
  DataResult<> clear() { return result_of(try_clear()); }

  /// nullptr if there is none.
  Item* edit(const Key& key) {
    Node* node = nodes_ == nullptr ? nullptr : nodes_->find(key);
    return node == nullptr ? nullptr : &node->item;
  }
  const Item* find(const Key& key) const { return const_cast<Bag*>(this)->edit(key); }
  /// Throws BadData(no_such_key).
  Item& at(const Key& key) {
    Item* item = edit(key);
    throw_if(item == nullptr ? DataErrc::no_such_key : DataErrc::ok);
    return *item;
  }
  bool contains(const Key& key) const { return find(key) != nullptr; }
  /// Requires the item; throws BadData(no_such_key).
  std::uint32_t slot_of(const Key& key) const {
    const Node* node = nodes_ == nullptr ? nullptr : nodes_->find(key);
    throw_if(node == nullptr ? DataErrc::no_such_key : DataErrc::ok);
    return node->slot;
  }
  /// The key of the item in a slot; nullptr if it is free.
  const Key* key_at(std::uint32_t slot) const {
    const Node* node = nodes_ == nullptr ? nullptr : nodes_->at(slot);
    return node == nullptr ? nullptr : &node->key;
  }
  /// visit(key, item, slot), in the order of keys.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (nodes_ == nullptr) return;
    for (const auto& [key, node] : nodes_->by_key())
      visit(key, std::as_const(node->item), node->slot);
  }
  std::size_t size() const { return nodes_ == nullptr ? 0 : nodes_->by_key().size(); }
  bool empty() const { return size() == 0; }
  std::uint32_t capacity() const { return capacity_; }

  /// For the schema.
  static const FieldType& type();

 private:
  class Type;
  friend Node;

  template <class Owner, class Name>
  Bag(Owner* owner, std::uint32_t capacity, const Name& name)
      : Member<F>(owner, this, name), capacity_(capacity) {
    if (capacity == 0 || capacity > kMaxElements) throw std::logic_error("capacity of a bag");
    reach_ = reach_of(F, std::is_base_of_v<Root, Owner>);
  }

  Nodes& nodes() {
    if (nodes_ == nullptr) nodes_ = std::make_unique<Nodes>(holder());
    return *nodes_;
  }
  BagHolder holder() const { return {static_cast<const Member<F>*>(this), this->place(), reach_}; }
  std::unique_ptr<Nodes> copy_of(const Bag& other) const {
    auto copy = std::make_unique<Nodes>(holder());
    other.for_each([&](const Key& key, const Item& item, std::uint32_t slot) {
      copy->insert(std::make_unique<Node>(key, slot, item));
    });
    return copy;
  }
  DataResult<Item*> try_insert(const Key& key, std::uint32_t slot, Item item);
  DataErrc try_erase(const Key& key);
  DataErrc try_move(const Key& key, std::uint32_t slot);
  DataErrc try_clear();
  DataErrc try_assign(const Bag& other);
  /// too_large: for the audience that sees most of it.
  static DataErrc check_item(const Item& item, std::uint32_t slot);
  static void encode_item(const Item& item, std::uint32_t slot, View view, Encoder& out) {
    out.varint(slot);
    encode_fields(Schema::of<Item>(), item, view, out);
  }
  DataErrc record_insert(std::uint8_t attention, const Node& node) const;
  /// payload(Encoder&) after the key.
  template <class Payload>
  DataErrc record_keyed(std::uint8_t attention, Operation operation, const Key& key,
                        Payload&& payload, bool moved_too = false) const;

  std::uint32_t capacity_;
  Reach reach_ = kWholeReach;
  std::unique_ptr<Nodes> nodes_;
};

template <StructType Item, Flags F, KeyType Key>
template <class Payload>
DataErrc Bag<Item, F, Key>::record_keyed(std::uint8_t attention, Operation operation,
                                         const Key& key, Payload&& payload, bool moved_too) const {
  Scratch scratch;
  Encoder encoded(scratch.bytes());
  put_value(encoded, key);
  const auto all = [&](Encoder& out) {
    out.raw(scratch.bytes().data(), scratch.bytes().size());
    payload(out);
  };
  return this->record(attention, operation, all, scratch.bytes().size(), moved_too);
}

// Once for each audience that sees other fields of an item, not once for the widest: none may get
// what it must not see, or miss what it may.
template <StructType Item, Flags F, KeyType Key>
DataErrc Bag<Item, F, Key>::record_insert(std::uint8_t attention, const Node& node) const {
  const Schema& schema = Schema::of<Item>();
  // Refused as a whole before anything is recorded, also if nothing watches.
  const DataErrc error = check_item(node.item, node.slot);
  if (error != DataErrc::ok) return error;
  for (std::size_t i = 0; i < kAudiences; ++i) {
    Reach same = 0;
    for (std::size_t j = i; j < kAudiences; ++j) {
      const auto other = static_cast<Audience>(j);
      if (schema.same_sight(other) != static_cast<Audience>(i)) continue;
      same = static_cast<Reach>(same | bit_of(other));
    }
    same = static_cast<Reach>(same & attention);
    if (same == 0) continue;
    const View view = view_of(static_cast<Audience>(i));
    throw_if(record_keyed(static_cast<std::uint8_t>(same), Operation::bag_insert, node.key,
                          [&](Encoder& out) { encode_item(node.item, node.slot, view, out); }));
  }
  return DataErrc::ok;
}

template <StructType Item, Flags F, KeyType Key>
DataErrc Bag<Item, F, Key>::check_item(const Item& item, std::uint32_t slot) {
  Scratch scratch;
  Encoder whole(scratch.bytes(), kMaxValue / 2);
  for (std::size_t view = 0; view < kViews; ++view) {
    whole.rewind(0);
    encode_item(item, slot, static_cast<View>(view), whole);
    if (!whole.ok()) return whole.error();
  }
  return DataErrc::ok;
}

template <StructType Item, Flags F, KeyType Key>
DataResult<Item*> Bag<Item, F, Key>::try_insert(const Key& key, std::uint32_t slot, Item item) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return DataError(this->refusal(attention));
  if (!valid_key(key)) return DataError(DataErrc::bad_key);
  if (contains(key)) return DataError(DataErrc::key_exists);
  if (slot >= capacity_) return DataError(DataErrc::bag_full);
  auto node = std::make_unique<Node>(key, slot, std::move(item));
  const DataErrc error = record_insert(attention, *node);
  if (error != DataErrc::ok) return DataError(error);
  Node& inserted = nodes().insert(std::move(node));
  if (!this->observed(attention)) return &inserted.item;
  const Key of_inserted = inserted.key;  // an observer may erase it, and what `key` refers to
  this->tell(attention, Operation::bag_insert);
  Item* const left = edit(of_inserted);
  if (left == nullptr) return DataError(DataErrc::no_such_key);
  return left;
}

template <StructType Item, Flags F, KeyType Key>
DataErrc Bag<Item, F, Key>::try_erase(const Key& key) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (!contains(key)) return DataErrc::no_such_key;
  throw_if(record_keyed(attention, Operation::bag_erase, key, [](Encoder&) {}));
  const auto node = nodes().remove(key);
  if (this->observed(attention)) this->tell(attention, Operation::bag_erase, std::any(node->item));
  return DataErrc::ok;
}

template <StructType Item, Flags F, KeyType Key>
DataErrc Bag<Item, F, Key>::try_move(const Key& key, std::uint32_t slot) {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  Node* node = nodes_ == nullptr ? nullptr : nodes_->find(key);
  if (node == nullptr) return DataErrc::no_such_key;
  if (slot >= capacity_) return DataErrc::bad_slot;
  if (node->slot == slot) return DataErrc::ok;
  throw_if(
      record_keyed(attention, Operation::bag_move, key, [&](Encoder& out) { out.varint(slot); }));
  if (const Node* const other = nodes_->at(slot); other != nullptr) {
    throw_if(record_keyed(
        attention, Operation::bag_move, other->key, [](Encoder&) {}, true));
  }
  const std::uint32_t old = node->slot;
  nodes_->exchange_slots(*node, slot);
  this->tell(attention, Operation::bag_move, std::any(old));
  return DataErrc::ok;
}

template <StructType Item, Flags F, KeyType Key>
DataErrc Bag<Item, F, Key>::try_clear() {
  const std::uint8_t attention = this->attention();
  if (this->refused(attention)) return this->refusal(attention);
  if (empty()) return DataErrc::ok;
  throw_if(this->record(attention, Operation::clear, [](Encoder&) {}));
  nodes_.reset();
  this->tell(attention, Operation::clear);
  return DataErrc::ok;
}

template <StructType Item, Flags F, KeyType Key>
DataErrc Bag<Item, F, Key>::try_assign(const Bag& other) {
  if (&other == this) return DataErrc::ok;
  if (this->refused(this->attention())) return this->refusal(this->attention());
  DataErrc error = DataErrc::ok;
  other.for_each([&](const Key&, const Item& item, std::uint32_t slot) {
    if (error == DataErrc::ok) {
      error = slot < capacity_ ? check_item(item, slot) : DataErrc::bag_full;
    }
  });
  if (error == DataErrc::ok) error = try_clear();
  other.for_each([&](const Key& key, const Item& item, std::uint32_t slot) {
    if (error != DataErrc::ok) return;
    const auto inserted = try_insert(key, slot, item);
    // An observer may have erased it: that is no refusal.
    if (!inserted && inserted.error() != DataErrc::no_such_key)
      error = inserted.error().code.template in<DataErrc>();
  });
  return error;
}

}  // namespace starbus::entity

#include "entity/properties/bag_type.hpp"
