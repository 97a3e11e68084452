#pragma once

#include <utility>

#include "bus/core/bytes.hpp"

namespace starbus::entity::rpc {

using bus::Bytes;

/// Lends buffers to encode into, so that a message needs no allocation. A lent buffer belongs to
/// its borrower alone; while one is lent, the next borrower gets a new one. Belongs to the loop's
/// thread, and outlives what it has lent.
class BufferPool {
 public:
  /// A borrowed buffer, empty at first.
  class Buffer {
   public:
    explicit Buffer(BufferPool& pool) : pool_(pool), bytes_(std::move(pool.spare_)) {
      bytes_.clear();
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { pool_.take_back(std::move(bytes_)); }
    Bytes& operator*() { return bytes_; }

   private:
    BufferPool& pool_;
    Bytes bytes_;
  };

  /// Empty.
  Buffer lend() { return Buffer(*this); }

 private:
  void take_back(Bytes&& bytes) {
    if (bytes.capacity() > spare_.capacity()) spare_ = std::move(bytes);
  }
  Bytes spare_;
};

}  // namespace starbus::entity::rpc
