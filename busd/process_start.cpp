#include "busd/process_start.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace starbus::busd {

std::uint64_t start_ticks(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // Field 22, counted after the command, which may contain any character but is in parentheses.
  const std::size_t command = text.rfind(')');
  if (command == std::string::npos) return 0;
  std::istringstream fields(text.substr(command + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) fields >> field;
  return fields ? std::strtoull(field.c_str(), nullptr, 10) : 0;
}

std::optional<bus::Time> start_of(std::int64_t pid) {
  const std::uint64_t ticks = start_ticks(pid);
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  if (ticks == 0) return std::nullopt;
  return std::chrono::seconds(ticks / per_second) +
         std::chrono::milliseconds(ticks % per_second * 1'000 / per_second);
}

}  // namespace starbus::busd
