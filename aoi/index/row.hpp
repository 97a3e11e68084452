/// The bits of one sensor in a layer of a grid: in place as long as they fit into two words,
/// otherwise on the heap. Unaligned, so that no room is lost beside it. Owns its bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace starbus::aoi {

/// Eight bytes of a row.
inline std::uint64_t load(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
inline void store(std::uint8_t* bytes, std::uint64_t word) {
  std::memcpy(bytes, &word, sizeof word);
}

/// out &= other, for `size` bytes.
inline void keep_common(std::uint8_t* out, const std::uint8_t* other, std::size_t size) {
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) store(out + at, load(out + at) & load(other + at));
  for (; at < size; ++at) out[at] = static_cast<std::uint8_t>(out[at] & other[at]);
}

/// One thread.
class Row {
 public:
  static constexpr std::size_t kInPlace = 16;  ///< bytes: nine cells of one block, and more

  Row() = default;
  Row(Row&& other) noexcept : far_(std::exchange(other.far_, false)) {
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
  }
  Row& operator=(Row&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(far_, other.far_);
    return *this;
  }
  ~Row() {
    if (far_) delete[] far();
  }

  /// Becomes `size` bytes, all zero.
  void reset(std::size_t size) {
    if (far_) delete[] far();
    std::memset(bytes_, 0, sizeof bytes_);
    far_ = size > kInPlace;
    if (!far_) return;
    auto* const fresh = new std::uint8_t[size]();
    std::memcpy(bytes_, &fresh, sizeof fresh);
  }
  bool on_heap() const { return far_; }

  std::uint8_t* data() { return far_ ? far() : bytes_; }
  const std::uint8_t* data() const { return far_ ? far() : bytes_; }
  bool test(std::uint32_t bit) const { return (data()[bit / 8] >> bit % 8 & 1) != 0; }
  /// Sets a bit; it must lie within the row.
  void set(std::uint32_t bit) {
    std::uint8_t& byte = data()[bit / 8];
    byte = static_cast<std::uint8_t>(byte | 1u << bit % 8);
  }
  void clear(std::uint32_t bit) {
    std::uint8_t& byte = data()[bit / 8];
    byte = static_cast<std::uint8_t>(byte & ~(1u << bit % 8));
  }

 private:
  std::uint8_t* far() const {
    std::uint8_t* bytes = nullptr;
    std::memcpy(&bytes, bytes_, sizeof bytes);
    return bytes;
  }

  std::uint8_t bytes_[kInPlace] = {};  ///< the row, or a pointer to it
  bool far_ = false;
};

}  // namespace starbus::aoi
