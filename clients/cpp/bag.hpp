/// Items with a key and a slot each, as a bag of properties has them. Owns its items; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace starbus::game {

template <class K, class T>
class Bag {
 public:
  struct Entry {
    T item{};
    std::size_t slot = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  /// Null: there is none. Good until the bag changes.
  const T* find(const K& key) const {
    const auto at = items_.find(key);
    return at == items_.end() ? nullptr : &at->second.item;
  }
  /// The key of the item in a slot; null: it is empty.
  const K* at(std::size_t slot) const {
    const auto found = slots_.find(slot);
    return found == slots_.end() ? nullptr : &found->second;
  }
  /// All by key: {key, {item, slot}}.
  const std::map<K, Entry>& entries() const { return items_; }
  friend bool operator==(const Bag& a, const Bag& b) { return a.items_ == b.items_; }

  // --- for the view of properties alone ---

  /// As find().
  T* edit(const K& key) {
    const auto at = items_.find(key);
    return at == items_.end() ? nullptr : &at->second.item;
  }
  /// Key and slot must be free.
  T& insert(const K& key, std::size_t slot) {
    slots_.emplace(slot, key);
    return items_.insert_or_assign(key, Entry{{}, slot}).first->second.item;
  }
  /// The key must be there.
  void erase(const K& key) {
    const auto at = items_.find(key);
    slots_.erase(at->second.slot);
    items_.erase(at);
  }
  /// The key must be there; what lies in the slot changes places with it.
  void place(const K& key, std::size_t slot) {
    Entry& entry = items_.at(key);
    if (entry.slot == slot) return;
    const auto other = slots_.find(slot);
    if (other == slots_.end()) {
      slots_.erase(entry.slot);
    } else {
      items_.at(other->second).slot = entry.slot;
      slots_.at(entry.slot) = other->second;
    }
    entry.slot = slot;
    slots_.insert_or_assign(slot, key);
  }
  std::size_t first_free() const {
    std::size_t slot = 0;
    for (const auto& taken : slots_) {
      if (taken.first != slot) break;
      ++slot;
    }
    return slot;
  }

 private:
  std::map<K, Entry> items_;
  std::map<std::size_t, K> slots_;
};

}  // namespace starbus::game
