/// A growing array of plain values that is filled and emptied in every update. It initialises no
/// values, and gives back memory that one large update needed and none since. Owns its memory; one
/// thread; fails only by running out of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace starbus::aoi {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Room for `count` more values; add() says how many were written.
  T* room(std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]]
      resize(std::max(size_ + count, capacity_ * 2));
    return data_.get() + size_;
  }
  void add(std::size_t count) { size_ += count; }
  void push_back(const T& value) {
    *room(1) = value;
    ++size_;
  }
  /// Empties it for the next update. Now and then it shrinks to what was needed lately.
  void start() {
    needed_ = std::max(needed_, size_);
    size_ = 0;
    if (++updates_ < kCalm) return;
    if (capacity_ > kSpare && capacity_ > needed_ * 2) resize(needed_ + needed_ / 4);
    updates_ = 0;
    needed_ = 0;
  }

  /// Empties it until the next update. Memory that few updates need is given back at once.
  void rest() {
    needed_ = std::max(needed_, size_);
    usual_ = std::max(usual_ - usual_ / 8, std::min(size_, usual_ * 2 + kSpare));
    size_ = 0;
    if (capacity_ / 4 <= usual_) return;
    data_.reset();
    capacity_ = 0;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  std::span<const T> all() const { return {data_.get(), size_}; }
  /// The values of [begin, end); both at most size().
  std::span<T> between(std::size_t begin, std::size_t end) {
    return std::span(data_.get(), size_).subspan(begin, end - begin);
  }
  std::uint64_t memory() const { return capacity_ * sizeof(T); }

 private:
  static constexpr int kCalm = 8;            ///< updates after which start() may shrink it
  static constexpr std::size_t kSpare = 64;  ///< values that are not worth shrinking

  void resize(std::size_t capacity) {
    std::unique_ptr<T[]> larger = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy_n(data_.get(), size_, larger.get());
    data_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t needed_ = 0;  ///< the most since start() decided last
  std::size_t usual_ = 0;   ///< the usual size: follows the updates up and down, slowly
  int updates_ = 0;
};

}  // namespace starbus::aoi
