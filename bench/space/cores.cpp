#include "bench/space/cores.hpp"

namespace starbus::bench::space {

Cores::Cores(bool apart) {
  if (!apart || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  if (CPU_COUNT(&before_) < 2) return;
  cpu_set_t others = before_;
  for (int core = 0; core < CPU_SETSIZE && first_ < 0; ++core) {
    if (CPU_ISSET(core, &others)) first_ = core;
  }
  CPU_CLR(first_, &others);
  if (::sched_setaffinity(0, sizeof others, &others) != 0) first_ = -1;
}

Cores::~Cores() {
  if (first_ >= 0) ::sched_setaffinity(0, sizeof before_, &before_);
}

std::vector<std::string> Cores::launcher() const {
  if (first_ < 0) return {};
  return {"/usr/bin/env", "taskset", "-c", std::to_string(first_)};
}

}  // namespace starbus::bench::space
