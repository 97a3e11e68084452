#include "bench/compile/package.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <deque>
#include <filesystem>

#include "bench/harness/clock.hpp"
#include "bench/harness/process.hpp"

namespace starbus::bench::compile {
namespace {

constexpr std::int64_t kLongest = 3'600 * kSecond;
constexpr std::size_t kLinesOfAFailure = 20;

double seconds_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  double sum = 0;
  for (const timeval& time : {used.ru_utime, used.ru_stime}) {
    sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  }
  return sum;
}

}  // namespace

Result<double> cost_of(const std::vector<std::string>& command) {
  const TemporaryFolder logs(temporary_parent(), false);
  const std::string name = std::filesystem::path(command.front()).filename();
  const double before = seconds_of_children();
  ProcessGroup group(logs.path());
  const auto process = group.spawn(name, command);
  if (!process) return process.error();
  const std::int64_t deadline = now_ns() + kLongest;
  std::deque<std::string> said;
  while (const auto line = (*process)->read_line(deadline)) {
    said.push_back(*line);
    if (said.size() > kLinesOfAFailure) said.pop_front();
  }
  const auto ended = (*process)->wait(deadline);
  if (!ended) return ended.error();
  if (*ended == 0) return seconds_of_children() - before;
  std::string what;
  for (const std::string& word : command) what += word + " ";
  what += "failed:";
  for (const std::string& line : said) what += "\n" + line;
  return fail(what + group.log_tail());
}

Result<void> Package::install() {
  if (ready_) return {};
  if (prefix_.empty()) {
    prefix_ = folder() + "/starbus";
    const auto done = cost_of({"cmake", "--install", build_, "--prefix", prefix_});
    if (!done) return done.error();
  }
  const char* const path = std::getenv("PATH");
  ::setenv("PATH", (prefix_ + "/bin:" + (path == nullptr ? "" : path)).c_str(), 1);
  ::setenv("CCACHE_DISABLE", "1", 1);
  ::setenv("CMAKE_BUILD_PARALLEL_LEVEL", "1", 1);
  ::unsetenv("CMAKE_CXX_COMPILER_LAUNCHER");
  ::unsetenv("MAKEFLAGS");
  ready_ = true;
  return {};
}

}  // namespace starbus::bench::compile
