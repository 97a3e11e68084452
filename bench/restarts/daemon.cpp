#include "bench/restarts/daemon.hpp"

#include "bench/harness/clock.hpp"

namespace starbus::bench::restarts {
namespace {

constexpr std::int64_t kRestartSec = 100 * kMillisecond;  // as in deploy/systemd
constexpr std::int64_t kEndsWithin = 15 * kSecond;        // TimeoutStopSec there

}  // namespace

Result<void> Daemon::replace(Way way) {
  Process* const earlier = processes_.find(name_);
  if (way == Way::kNone) return {};
  if (way == Way::kTakeover) return take_over(*earlier);
  if (way == Way::kKill) {
    earlier->kill();
  } else {
    earlier->terminate();
  }
  const auto ended = earlier->wait(now_ns() + kEndsWithin);
  if (!ended) return ended.error();
  if (way == Way::kRestart && *ended < 0) {
    return fail(name_ + " was ended by signal " + std::to_string(-*ended));
  }
  if (way == Way::kKill) sleep_until_ns(now_ns() + kRestartSec);
  processes_.remove(*earlier);
  return start();
}

Result<void> Daemon::take_over(Process& earlier) {
  std::vector<std::string> command = command_;
  command.emplace_back("--takeover");
  if (const auto later = processes_.spawn(name_, command); !later) return later.error();
  const auto ended = earlier.wait(now_ns() + kEndsWithin);
  if (!ended) return ended.error();
  if (*ended != 0) return fail(name_ + " did not end well: " + std::to_string(*ended));
  processes_.remove(earlier);
  return {};
}

Result<void> Daemon::start() {
  const auto started = processes_.spawn(name_, command_);
  if (!started) return started.error();
  return {};
}

}  // namespace starbus::bench::restarts
