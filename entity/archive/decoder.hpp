#pragma once

#include <limits>

#include "entity/archive/encoder.hpp"

namespace starbus::entity {

/// How much a reader may cost; the defaults are the limits of the same names.
struct Budget {
  std::size_t bytes = kArchiveBytes;
  std::size_t elements = kArchiveElements;
  std::size_t memory = kArchiveMemory;
  std::size_t depth = kArchiveDepth;
};

/// Reads untrusted bytes that it does not own and that must outlive it. Never reads past the end;
/// after the first failure it stays failed and gives zeros, so that a caller asks once. A size is
/// checked against the remaining bytes and against the budget before anything is allocated. Used by
/// one thread.
class Decoder {
 public:
  explicit Decoder(ByteView bytes, const Budget& budget = {})
      : rest_(bytes), elements_(budget.elements), memory_(budget.memory), depth_(budget.depth) {
    if (bytes.size() > budget.bytes) fail(DataErrc::too_large);
  }

  /// The next number, as store_number writes it; 0 after a failure.
  template <Number T>
  T number() {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(number<std::underlying_type_t<T>>());
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::uint8_t value = byte();
      if (value > 1) fail(DataErrc::malformed);
      return value == 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      T value = 0;
      const ByteView bytes = take(sizeof value);
      if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
      return value;
    } else if constexpr (sizeof(T) == 1) {
      return static_cast<T>(byte());
    } else if constexpr (std::is_signed_v<T>) {
      const std::int64_t value = unzigzag(varint());
      return value < std::numeric_limits<T>::min() ? out_of_range<T>() : narrow<T>(value);
    } else {
      return narrow<T>(varint());
    }
  }
  /// Refuses longer forms than needed: each value has one form.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return fail(DataErrc::truncated), 0;
      const auto next = std::to_integer<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      const std::uint64_t bits = next & 0x7f;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (next < 0x80) {
        if (next == 0 && shift != 0) break;
        return value;
      }
    }
    return fail(DataErrc::malformed), 0;
  }
  std::uint8_t byte() {
    if (rest_.empty()) return fail(DataErrc::truncated), 0;
    const auto value = std::to_integer<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  /// The next `size` bytes, without copying; empty after a failure.
  ByteView take(std::size_t size) {
    if (size > rest_.size()) return fail(DataErrc::truncated), ByteView{};
    const ByteView taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  /// As Encoder::text; a view of the bytes.
  std::string_view text() { return bus::as_text(take(size_left())); }
  /// The number of elements of a container, each of which takes a byte or more.
  std::size_t count() {
    const std::size_t elements = size_left();
    if (elements > elements_) return fail(DataErrc::too_large), 0;
    elements_ -= elements;
    return elements;
  }
  /// Announces that `bytes` are about to be allocated for the value. False: refused.
  bool charge(std::size_t bytes) {
    if (bytes > memory_) return fail(DataErrc::too_large), false;
    memory_ -= bytes;
    return ok();
  }

  /// The first failure counts. Nothing can be read after it.
  void fail(DataErrc code) {
    if (error_ == DataErrc::ok) error_ = code;
    rest_ = {};
  }
  bool ok() const { return error_ == DataErrc::ok; }
  DataErrc error() const { return error_; }
  /// ok, or `trailing` if bytes are left.
  DataErrc finish() {
    if (ok() && !rest_.empty()) fail(DataErrc::trailing);
    return error_;
  }
  std::size_t left() const { return rest_.size(); }
  ByteView rest() const { return rest_; }
  std::size_t depth() const { return depth_; }

 private:
  /// A size in bytes or elements, at most the remaining bytes.
  std::size_t size_left() {
    const std::uint64_t size = varint();
    if (size > rest_.size()) return fail(DataErrc::truncated), 0;
    return static_cast<std::size_t>(size);
  }
  template <class T, class Wide>
  T narrow(Wide value) {
    return value > std::numeric_limits<T>::max() ? out_of_range<T>() : static_cast<T>(value);
  }
  template <class T>
  T out_of_range() {
    fail(DataErrc::malformed);
    return T{};
  }

  ByteView rest_;
  std::size_t elements_;
  std::size_t memory_;
  std::size_t depth_;
  DataErrc error_ = DataErrc::ok;
};

}  // namespace starbus::entity
