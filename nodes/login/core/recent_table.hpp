/// A table of so many rows: the one that was not used for longest makes room for a new one.
///
/// A tree, since its keys come from clients, who could make a hash table slow. A plain value: one
/// thread at a time. Pointers to rows are good until the next call that makes a row.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <utility>

namespace starbus::nodes::login {

template <class K, class V>
class RecentTable {
 public:
  explicit RecentTable(std::size_t most) : most_(most) {}

  /// nullptr if there is none. Does not count as use.
  const V* peek(const K& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : &found->second->second;
  }
  V* find(const K& key) {
    const auto found = rows_.find(key);
    if (found == rows_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }
  /// A default one if there is none.
  V& at(const K& key) {
    if (V* found = find(key)) return *found;
    if (rows_.size() >= most_) {
      rows_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, V{});
    rows_.emplace(key, order_.begin());
    return order_.front().second;
  }
  std::size_t size() const { return rows_.size(); }

 private:
  using Order = std::list<std::pair<K, V>>;  // the last used first
  const std::size_t most_;
  Order order_;
  std::map<K, typename Order::iterator> rows_;
};

}  // namespace starbus::nodes::login
