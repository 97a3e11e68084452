/// Where closures go that must run on the loop's thread.
#pragma once

#include <functional>

#include "nodes/runtime/load/work_name.hpp"

namespace starbus::nodes {

class Executor {
 public:
  virtual ~Executor() = default;
  /// From any thread, and never calls back into the caller: the closure runs later, on the loop, in
  /// the order of these calls. Does not refuse: whoever calls bounds it. Reports show it by `name`.
  virtual void run_later(WorkName name, std::function<void()> closure) = 0;
};

}  // namespace starbus::nodes
