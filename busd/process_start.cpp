#include "busd/process_start.hpp"

#include <unistd.h>

#include "base/process_stat.hpp"

namespace starbus::busd {

std::uint64_t start_ticks(std::int64_t pid) {
  const auto stat = ProcessStat::of(pid);
  return stat ? stat->number(ProcessStat::start_ticks) : 0;
}

std::optional<bus::Time> start_of(std::int64_t pid) {
  const std::uint64_t ticks = start_ticks(pid);
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  if (ticks == 0) return std::nullopt;
  return std::chrono::seconds(ticks / per_second) +
         std::chrono::milliseconds(ticks % per_second * 1'000 / per_second);
}

}  // namespace starbus::busd
