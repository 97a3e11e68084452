/// Asks many daemons, a few at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "tools/cluster/cluster_view.hpp"

namespace starbus::bustop {

/// Calls `work(i)` for all i below `count`, kParallel at a time; returns when all have ended.
template <class Work>
void for_all(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(count, ClusterView::kParallel); ++i) {
    threads.emplace_back(run);
  }
  run();
}

}  // namespace starbus::bustop
