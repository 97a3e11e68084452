#include "nodes/runtime/load/rpc_load.hpp"

#include <utility>

namespace starbus::nodes {

void RpcLoad::sample(const entity::rpc::Endpoint& endpoint, double seconds) {
  if (seconds <= 0) return;
  const double ms_per_tick = endpoint.work().nanoseconds_per_tick() / 1e6;
  const auto take = [&](Rate& rate, std::uint64_t ticks) {
    const auto passed = static_cast<double>(ticks - std::exchange(rate.ticks_before, ticks));
    rate.busy_ms_per_s = passed * ms_per_tick / seconds;
  };
  const auto methods = endpoint.dictionary().methods();
  methods_.resize(methods.size());
  for (const entity::rpc::MethodInfo* method : methods) {
    take(methods_[method->index], endpoint.work().of(*method).ticks);
  }
  for (const auto& [info, load] : endpoint.loads()) take(classes_[info], load.ticks);
}

}  // namespace starbus::nodes
