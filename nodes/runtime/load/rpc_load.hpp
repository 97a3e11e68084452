#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "entity/rpc/endpoint.hpp"

namespace starbus::nodes {

/// The load of methods, and of the objects of each class: in milliseconds of the latest second that
/// was sampled. The figures are counted anyway, so it costs nothing between two samples. Belongs to
/// the loop's thread.
class RpcLoad {
 public:
  struct Rate {
    std::uint64_t ticks_before = 0;
    double busy_ms_per_s = 0;
  };

  /// About once a second; `seconds` is how long ago the call before was.
  void sample(const entity::rpc::Endpoint& endpoint, double seconds);
  double of(const entity::rpc::MethodInfo& method) const {
    return method.index < methods_.size() ? methods_[method.index].busy_ms_per_s : 0;
  }
  double of(const entity::rpc::ClassInfo* info) const {
    const auto found = classes_.find(info);
    return found == classes_.end() ? 0 : found->second.busy_ms_per_s;
  }

 private:
  std::vector<Rate> methods_;  // by MethodInfo::index
  std::unordered_map<const entity::rpc::ClassInfo*, Rate> classes_;
};

}  // namespace starbus::nodes
