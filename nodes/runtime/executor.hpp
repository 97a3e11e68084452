/// Where closures go that must run on the loop's thread.
#pragma once

#include <functional>

namespace starbus::nodes {

class Executor {
 public:
  virtual ~Executor() = default;
  /// From any thread, and never calls back into the caller: the closure runs later, on the loop, in
  /// the order of posting. Does not refuse: whoever posts bounds what it posts.
  virtual void post(std::function<void()> closure) = 0;
};

}  // namespace starbus::nodes
