/// A few buffers on their way back from ZeroMQ's I/O thread to the sender.
#pragma once

#include <mutex>
#include <vector>

#include "bus/core/bytes.hpp"
#include "bus/core/limits.hpp"

namespace starbus::bus::io {

/// Any thread may give, any thread may take. Bounded: more than a few buffers, and those larger
/// than a bundle, are freed instead.
class BufferPool {
 public:
  /// An empty buffer, with capacity if one is spare.
  Bytes take() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    Bytes buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  /// Keeps the memory of the buffer for the next `take`, and drops its content.
  void give(Bytes buffer) {
    if (buffer.capacity() == 0 || buffer.capacity() > kMaxBundle) return;
    buffer.clear();
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kSpare) spare_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::size_t kSpare = 8;  // a link clock's worth of full bundles
  std::mutex mutex_;
  std::vector<Bytes> spare_;
};

}  // namespace starbus::bus::io
