#pragma once

#include <utility>

#include "entity/archive/encoder.hpp"

namespace starbus::entity {

/// Bytes for the time of one call, without an allocation per call; also while another one is used.
/// Belongs to the thread that makes it.
class Scratch {
 public:
  Scratch() : bytes_(std::move(spare_)) { bytes_.clear(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (bytes_.capacity() <= kMaxValue) spare_ = std::move(bytes_);
  }
  Bytes& bytes() { return bytes_; }

 private:
  static inline thread_local Bytes spare_;
  Bytes bytes_;
};

}  // namespace starbus::entity
