#include "daemon/open_files.hpp"

#include <sys/resource.h>

namespace starbus::daemon {

void allow_all_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // A refusal leaves the limit as it was, and everything works up to there.
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace starbus::daemon
