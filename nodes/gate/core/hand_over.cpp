#include "nodes/gate/core/hand_over.hpp"

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

void HandOver::take_over(const GateId& giver, const GateId& self, const Key& next_secret) {
  ++turn;
  passes.push_back({secret, sessions::seal_of(next_secret)});
  if (passes.size() > sessions::kRelinkChain) passes.erase(passes.begin());
  secret = next_secret;
  std::erase(givers, self);
  std::erase(givers, giver);
  givers.push_back(giver);
  if (givers.size() > kGivers) givers.erase(givers.begin());
  to = {};
  address.clear();
  confirmed.reset();
  direct.reset();
}

}  // namespace starbus::nodes::gate
