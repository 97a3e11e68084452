/// A circuit breaker: after some failures in a row nobody is asked for a while, and then one tries.
/// A plain value: one thread; clock in.
#pragma once

#include <cstddef>

#include "nodes/login/core/address.hpp"
#include "nodes/login/verify/limits.hpp"

namespace starbus::nodes::login {

class Breaker {
 public:
  /// Whether to ask now. If so, say succeeded() or failed() when it has ended.
  bool may_ask(Time now) {
    if (failures_ < kBreakerFailures) return true;
    if (now < tried_ + kBreakerRest) return false;
    tried_ = now;  // the others wait for what becomes of this one
    return true;
  }
  void succeeded() { failures_ = 0; }
  void failed(Time now) {
    ++failures_;
    tried_ = now;
  }
  bool open() const { return failures_ >= kBreakerFailures; }

 private:
  std::size_t failures_ = 0;
  Time tried_{0};
};

}  // namespace starbus::nodes::login
