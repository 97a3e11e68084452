/// The process_* metrics of the Prometheus conventions, read from /proc at scrape time.
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "base/process_stat.hpp"
#include "base/text_of_file.hpp"
#include "daemon/metrics.hpp"

namespace starbus::daemon {
namespace {

double stat_field(ProcessStat::Field field) {
  const auto stat = ProcessStat::of(::getpid());
  return stat ? static_cast<double>(stat->number(field)) : 0;
}

double ticks_per_second() {
  return static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double resident_bytes() {
  return stat_field(ProcessStat::resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double virtual_bytes() {
  return stat_field(ProcessStat::virtual_bytes);
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  return seconds + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

double open_files() {
  std::error_code error;
  const std::filesystem::directory_iterator folder("/proc/self/fd", error);
  if (error) return 0;
  // The iteration holds one open itself.
  return static_cast<double>(std::distance(begin(folder), end(folder))) - 1;
}

double most_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

// Seconds since 1970: the time of boot plus what the process started after it.
double start_time() {
  std::istringstream stat(text_of_file("/proc/stat"));
  std::string key;
  double boot = 0;
  while (stat >> key) {
    if (key == "btime") {
      stat >> boot;
      break;
    }
  }
  return boot + stat_field(ProcessStat::start_ticks) / ticks_per_second();
}

}  // namespace

void add_process_metrics(Metrics& metrics) {
  metrics.gauge("process_resident_memory_bytes", "Resident memory in bytes.", resident_bytes);
  metrics.gauge("process_virtual_memory_bytes", "Virtual memory in bytes.", virtual_bytes);
  metrics.counter("process_cpu_seconds_total", "Processor time in seconds, user and system.",
                  cpu_seconds);
  metrics.gauge("process_open_fds", "Open file descriptors.", open_files);
  metrics.gauge("process_max_fds", "Limit of open file descriptors.", most_files);
  metrics.gauge("process_start_time_seconds", "Start time in seconds since 1970.", start_time);
}

}  // namespace starbus::daemon
