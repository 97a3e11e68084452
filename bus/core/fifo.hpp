/// First-in-first-out stores that keep their content contiguous, so that a range of it can be
/// copied at once. Popping moves a head index; the free space in front is reclaimed when it
/// outweighs the content, so every element is moved at most once on average. Storage that grew
/// large is given back when the store runs empty.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/give_back.hpp"

namespace starbus::bus {

/// A FIFO of trivially copyable elements. A plain value: one thread at a time.
template <class T>
class Fifo {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  /// Elements for which there is storage.
  std::size_t capacity() const { return items_.capacity(); }
  T* data() { return items_.data() + head_; }
  const T* data() const { return items_.data() + head_; }
  T& operator[](std::size_t i) { return items_[head_ + i]; }
  const T& operator[](std::size_t i) const { return items_[head_ + i]; }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  T& back() { return items_.back(); }
  const T& back() const { return items_.back(); }

  void push(const T& item) { items_.push_back(item); }
  void push(const T* from, std::size_t count) { items_.insert(items_.end(), from, from + count); }

  /// Drops the first `count` elements; there must be that many.
  void pop(std::size_t count) {
    assert(count <= size());
    head_ += count;
    if (empty()) {
      clear();
    } else if (head_ > kSlack && head_ > items_.size() - head_) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }
  void clear() {
    items_.clear();
    head_ = 0;
    if (items_.capacity() > kKeep) give_back(items_);
  }
  /// Gives all storage back; the store must be empty.
  void release() {
    assert(empty());
    give_back(items_);
    head_ = 0;
  }

 private:
  static constexpr std::size_t kSlack = 4096 / sizeof(T) + 1;
  static constexpr std::size_t kKeep = 4096 / sizeof(T);
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace starbus::bus
