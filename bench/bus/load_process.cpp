#include "bench/bus/load_process.hpp"

#include "bench/harness/clock.hpp"

namespace starbus::bench {
namespace {

constexpr std::int64_t kStartTime = 20 * kSecond;   // for a role to become ready
constexpr std::int64_t kFinishTime = 40 * kSecond;  // for a result, beyond the measured time

// A role that could not start says why, as it would in place of a result.
Failure unexpected(const Process& process, const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("error")) return fail(process.name() + " said: " + line);
  return fail(process.name() + ": " + json.value("error", ""));
}

}  // namespace

Result<void> await_ready(Process& process) {
  const auto line = process.read_line(now_ns() + kStartTime);
  if (!line) return line.error();
  if (*line != "ready") return unexpected(process, *line);
  return {};
}

Result<nlohmann::json> read_result(Process& process, double seconds) {
  const auto extra = static_cast<std::int64_t>(seconds * kSecond);
  const auto line = process.read_line(now_ns() + extra + kFinishTime);
  if (!line) return line.error();
  auto json = nlohmann::json::parse(*line, nullptr, false);
  if (!json.is_object() || json.contains("error")) return unexpected(process, *line);
  return json;
}

}  // namespace starbus::bench
