#include "tests/sim/entities/wheel_node.hpp"

#include <algorithm>

namespace starbus::sim {

void WheelNode::turn() {
  entity::TimerWheel::Pass pass;
  do {
    ProgramNode::turn();
    if (wheel_ == nullptr) return;
    pass = wheel_->advance(now());
  } while (pass.fired > 0 || pass.more);
  arm();
}

void WheelNode::arm() {
  const auto next = wheel_->next_due();
  if (!next || (armed_ && *armed_ <= *next)) return;
  armed_ = next;
  after(std::max(*next - now(), Time{0}), [this, when = *next] {
    if (armed_ == when) armed_.reset();
    run([] {});
  });
}

}  // namespace starbus::sim
