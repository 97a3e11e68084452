#include "nodes/runtime/load/what_runs.hpp"

namespace starbus::nodes {

StallDetector::Handler what_runs(const entity::rpc::Endpoint& endpoint, const Load& load) {
  if (std::string name = endpoint.work().running(); !name.empty()) return {std::move(name)};
  const Load::Running running = load.running();
  if (running.source == nullptr) return {endpoint.bus().handling()};
  const std::uint64_t now = entity::rpc::ticks();
  const std::uint64_t passed = now > running.since ? now - running.since : 0;
  const auto nanoseconds = static_cast<std::int64_t>(static_cast<double>(passed) *
                                                     endpoint.work().nanoseconds_per_tick());
  return {running.source->name, std::chrono::nanoseconds(nanoseconds)};
}

}  // namespace starbus::nodes
