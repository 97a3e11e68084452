#pragma once

#include <map>
#include <memory>
#include <vector>

#include "entity/properties/key.hpp"

namespace starbus::entity {

/// The data of an item about its bag.
struct BagHolder {
  const void* member;  ///< the object at the place
  Place place;
  Reach reach;
};

/// The items of one bag: by key, and by slot. Owns them; an item's address is stable. Belongs to
/// the thread that owns the entity.
template <class Item, class Key>
class BagNodes {
 public:
  struct Node : Element {
    Node(const Key& k, std::uint32_t s, Item&& i) : key(k), slot(s), item(std::move(i)) { link(); }
    Node(const Key& k, std::uint32_t s, const Item& i) : key(k), slot(s), item(i) { link(); }
    Node(const Key& k, std::uint32_t s) : key(k), slot(s) { link(); }

    const void* container(Place& place, Reach& reach) const override {
      place = all->holder_.place;
      reach = all->holder_.reach;
      return all->holder_.member;
    }
    void prepend_key(Address& address) const override {
      if constexpr (std::is_same_v<Key, std::string>) {
        address.prepend(reinterpret_cast<const std::byte*>(key.data()), key.size());
        const auto size = static_cast<std::byte>(key.size());  // kMaxKey: a varint of one byte
        address.prepend(&size, 1);
      } else {
        std::byte bytes[kMaxVarint];
        address.prepend(bytes, store_number(bytes, key));
      }
    }

    Key key;
    std::uint32_t slot;
    BagNodes* all = nullptr;  // set while it is in a bag
    Item item;

   private:
    void link() { static_cast<StructBase&>(item).hold(this); }
  };
  static_assert(kMaxKey < 0x80);
  using ByKey = std::map<Key, std::unique_ptr<Node>>;

  explicit BagNodes(const BagHolder& holder) : holder_(holder) {}
  BagNodes(const BagNodes&) = delete;
  BagNodes& operator=(const BagNodes&) = delete;

  const ByKey& by_key() const { return nodes_; }
  /// Null if no item has the key.
  Node* find(const Key& key) const {
    const auto found = nodes_.find(key);
    return found == nodes_.end() ? nullptr : found->second.get();
  }
  Node* at(std::uint32_t slot) const { return slot < slots_.size() ? slots_[slot] : nullptr; }
  /// `capacity` if all are taken.
  std::uint32_t first_free(std::uint32_t capacity) const {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot] == nullptr) return slot;
    }
    return std::min(static_cast<std::uint32_t>(slots_.size()), capacity);
  }
  /// Key and slot must be free.
  Node& insert(std::unique_ptr<Node> node) {
    assert(at(node->slot) == nullptr);
    Node& inserted = *node;
    inserted.all = this;
    put(inserted.slot, &inserted);
    nodes_.emplace(inserted.key, std::move(node));
    return inserted;
  }
  /// The key must be there.
  std::unique_ptr<Node> remove(const Key& key) {
    auto entry = nodes_.extract(key);
    slots_[entry.mapped()->slot] = nullptr;
    return std::move(entry.mapped());
  }
  void exchange_slots(Node& node, std::uint32_t slot) {
    Node* other = at(slot);
    const std::uint32_t from = node.slot;
    put(slot, &node);
    node.slot = slot;
    slots_[from] = other;
    if (other != nullptr) other->slot = from;
  }

 private:
  void put(std::uint32_t slot, Node* node) {
    if (slot >= slots_.size()) slots_.resize(slot + 1U);
    slots_[slot] = node;
  }

  BagHolder holder_;
  ByKey nodes_;
  std::vector<Node*> slots_;  // up to the highest that was ever taken
};

}  // namespace starbus::entity
