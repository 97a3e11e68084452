#include "bench/gate/progress.hpp"

#include <iostream>
#include <utility>

#include "bench/harness/table.hpp"

namespace starbus::bench::gate {
namespace {

constexpr std::int64_t kEvery = 5 * kSecond;

}  // namespace

Progress::Progress(std::string what, double wanted, double seconds)
    : what_(std::move(what)),
      wanted_(wanted),
      begin_(now_ns()),
      end_(begin_ + static_cast<std::int64_t>(seconds * kSecond)),
      next_(begin_ + kEvery) {}

void Progress::reached(double count, const std::string& more) {
  count_ = count;
  if (now_ns() < next_ && count < wanted_) return;
  next_ = now_ns() + kEvery;
  std::cerr << "\n  " << line(more) << std::flush;
  if (count >= wanted_) std::cerr << "\n";
}

std::string Progress::lateness() const {
  return line("") + ": too late, the bar is not reached";
}

std::string Progress::line(const std::string& more) const {
  return what_ + " " + shown(count_) + " of " + shown(wanted_) + ", " +
         std::to_string((now_ns() - begin_) / kSecond) + " of " +
         std::to_string((end_ - begin_) / kSecond) + " s" + (more.empty() ? "" : ", " + more);
}

}  // namespace starbus::bench::gate
