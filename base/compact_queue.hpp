/// A FIFO for what thousands of idle connections and sessions have each: contiguous, and without
/// any storage while it is empty, where a std::deque keeps 576 bytes. Popping moves a head index;
/// the room in front is reclaimed when it outweighs the content, so an element is moved at most
/// once on average. A plain value; one thread at a time.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/give_back.hpp"

namespace starbus {

template <class T>
class CompactQueue {
 public:
  /// Elements for which there is storage.
  std::size_t capacity() const { return items_.capacity(); }
  bool empty() const { return first_ == items_.size(); }
  std::size_t size() const { return items_.size() - first_; }
  /// Until the next call of any function that is not const.
  T& operator[](std::size_t i) { return items_[first_ + i]; }
  const T& operator[](std::size_t i) const { return items_[first_ + i]; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  T& back() { return items_.back(); }
  const T& back() const { return items_.back(); }
  T* begin() { return items_.data() + first_; }
  T* end() { return items_.data() + items_.size(); }
  const T* begin() const { return items_.data() + first_; }
  const T* end() const { return items_.data() + items_.size(); }

  void push_back(T item) { items_.push_back(std::move(item)); }
  /// Moves the others if nothing was popped.
  void push_front(T item) {
    if (first_ > 0) {
      items_[--first_] = std::move(item);
    } else {
      items_.insert(items_.begin(), std::move(item));
    }
  }
  /// There must be one.
  void pop_front() {
    assert(!empty());
    items_[first_++] = T{};  // what it owned goes now
    if (empty()) {
      clear();
    } else if (first_ > kSlack && first_ > items_.size() - first_) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
  }
  /// Drops from the back, or appends empty ones.
  void resize(std::size_t size) {
    items_.resize(first_ + size);
    if (empty()) clear();
  }
  /// Drops those of which `drops` is true; asks it once for each, in their order.
  template <class Drops>
  void erase_if(Drops drops) {
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(first_);
    items_.erase(std::remove_if(begin, items_.end(), drops), items_.end());
    if (empty()) clear();
  }
  /// Gives the storage back.
  void clear() {
    give_back(items_);
    first_ = 0;
  }

 private:
  static constexpr std::size_t kSlack = 8;
  std::vector<T> items_;  // from first_ on
  std::size_t first_ = 0;
};

}  // namespace starbus
