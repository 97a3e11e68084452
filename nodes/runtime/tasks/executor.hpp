/// Runs closures on the loop's thread.
#pragma once

#include <functional>

#include "nodes/runtime/load/work_name.hpp"

namespace starbus::nodes {

class Executor {
 public:
  virtual ~Executor() = default;
  /// From any thread. The closure runs later, on the loop, in the order of these calls, never
  /// within the call. Never refuses: callers bound their use. Reports show it as `name`.
  virtual void run_later(WorkName name, std::function<void()> closure) = 0;
};

}  // namespace starbus::nodes
