#pragma once

#include "nodes/gate/core/gate_core.hpp"

namespace starbus::nodes::gate {

/// What the two sides of a gate, clients and bus, have in common: the core that both talk to.
/// Belongs to the loop's thread.
class CoreDriver {
 public:
  /// Until the next call: a lost lease makes a new core.
  virtual GateCore& core() = 0;
  /// Carries out what the core wants done. After each word to it.
  virtual void settle() = 0;
  /// Too much waits for the bus: clients that ask are to be read no more.
  virtual bool is_full() const = 0;

 protected:
  ~CoreDriver() = default;
};

}  // namespace starbus::nodes::gate
