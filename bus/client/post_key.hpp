#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>

#include "bus/core/limits.hpp"

namespace starbus::bus {

/// An idempotency key (PostOptions::key): owns its bytes, so that `key = "trade-" + id` is right,
/// and owns no memory, so that options may stand in braces within co_await (see g++ 12 in bus.hpp).
/// If a key is too long, it remembers that alone. A plain value.
class PostKey {
 public:
  PostKey() = default;
  template <std::convertible_to<std::string_view> Text>
  PostKey(const Text& text) {  // NOLINT: a text is a key
    const std::string_view view = text;
    size_ = view.size();
    if (fits()) std::ranges::copy(view, bytes_.begin());
  }

  /// As it was given, which may be too much.
  std::size_t size() const { return size_; }
  bool fits() const { return size_ <= kMaxPostKey; }
  /// Empty if it does not fit.
  std::string_view text() const { return {bytes_.data(), fits() ? size_ : 0}; }

 private:
  std::array<char, kMaxPostKey> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace starbus::bus
