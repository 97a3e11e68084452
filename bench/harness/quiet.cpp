#include "bench/harness/quiet.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "bench/harness/clock.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench {
namespace {

// Seconds that all cores together have worked: the first line of /proc/stat, without idle and
// waiting for a disk (the fourth and fifth number), and without guests, which are in the first two.
double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  double sum = 0;
  for (int field = 1; field <= 8; ++field) {
    double ticks = 0;
    file >> ticks;
    if (field != 4 && field != 5) sum += ticks;
  }
  return sum / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double own_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
  return sum;
}

}  // namespace

OtherWork::OtherWork() : begin_ns_(now_ns()), busy_(busy_seconds()), own_(own_seconds()) {}

double OtherWork::percent() const {
  const double all = static_cast<double>(now_ns() - begin_ns_) / kSecond *
                     static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  const double others = (busy_seconds() - busy_) - (own_seconds() - own_);
  // Processor time is counted in ticks: of a few milliseconds others may seem to have used more
  // than all.
  return all <= 0 ? 0 : std::clamp(others / all * 100, 0.0, 100.0);
}

void wait_for_quiet(double percent) {
  if (percent >= 100) return;
  for (int second = 0; second < 60 && !interrupted(); ++second) {
    const OtherWork others;
    sleep_until_ns(now_ns() + kSecond);
    if (others.percent() <= percent) return;
  }
}

}  // namespace starbus::bench
