#include "bench/bus/deadlines.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>

#include "bench/bus/load_process.hpp"
#include "bench/bus/peer.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bus/client/bus.hpp"

namespace starbus::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kCalls = 40'000;
constexpr auto kDeadline = 2s;  // after the last call was made, on any machine
constexpr auto kLongestWait = 30s;
constexpr const char* kHung = "bench/hung";

std::string endpoint_of(const std::string& directory, int host) {
  return "unix://" + directory + "/host" + std::to_string(host) + ".sock";
}

// Resident memory of this process, without what the allocator keeps for later.
double megabytes() {
  ::malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double all = 0;
  double resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

template <class T, class Start>
Result<void> wait(boost::asio::io_context& loop, Start start) {
  std::optional<bus::Result<T>> result;
  start([&](bus::Result<T> end) { result = std::move(end); });
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  loop.restart();
  while (!result && loop.run_one_until(end) != 0) {
  }
  if (!result) return fail("no answer in 30 s");
  if (!*result) return fail(result->error().to_string());
  return {};
}

// The longest time between two turns of a loop that always has something to do.
class Turns {
 public:
  explicit Turns(boost::asio::io_context& loop) : loop_(loop) {}
  void start() {
    latest_ = now_ns();
    turn();
  }
  void stop() { stopped_ = true; }
  double longest_ms() const { return static_cast<double>(longest_) / kMillisecond; }

 private:
  void turn() {
    const std::int64_t now = now_ns();
    longest_ = std::max(longest_, now - latest_);
    latest_ = now;
    if (!stopped_) boost::asio::post(loop_, [this] { turn(); });
  }

  boost::asio::io_context& loop_;
  std::int64_t latest_ = 0;
  std::int64_t longest_ = 0;
  bool stopped_ = false;
};

Result<Metrics> call_the_hung(Process& callee, const std::string& endpoint) {
  boost::asio::io_context loop;
  bus::Bus caller(loop, {.node = "caller", .endpoint = endpoint});
  if (auto up = wait<void>(loop, [&](auto done) { caller.connect(done); }); !up) return up.error();
  const auto greeted = wait<bus::Bytes>(
      loop, [&](auto done) { caller.call(kHung, "hello", {.deadline = 10s}, done); });
  if (!greeted) return greeted.error();
  callee.stop();
  const double before = megabytes();
  int ended = 0;
  int late = 0;
  for (int i = 0; i < kCalls; ++i) {
    caller.call(kHung, "", {.deadline = kDeadline}, [&](const bus::Result<bus::Bytes>& reply) {
      ++ended;
      if (!reply && reply.error() == bus::Errc::deadline) ++late;
    });
  }
  Turns turns(loop);
  turns.start();
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (ended < kCalls && std::chrono::steady_clock::now() < end) loop.run_one();
  turns.stop();
  callee.go_on();
  const auto flushed = wait<void>(loop, [&](auto done) { caller.flush(10s, done); });
  if (!flushed) return flushed.error();
  return Metrics{{"away", turns.longest_ms()},
                 {"ended", static_cast<double>(late)},
                 {"kept", std::max(megabytes() - before, 0.0)}};
}

}  // namespace

Result<Metrics> run_deadlines() {
  const TemporaryFolder folder(temporary_parent(), false);
  ProcessGroup processes(folder.path());
  Plan plan;
  plan.directory = folder.path();
  if (auto up = find_peer("starbus")->start_cluster(plan, processes); !up) return up.error();
  const auto callee = processes.spawn(
      "hung", {own_executable(), "hung-callee", "--endpoint", endpoint_of(folder.path(), 1)});
  if (!callee) return callee.error();
  if (const auto ready = await_ready(**callee); !ready) return ready.error();
  return call_the_hung(**callee, endpoint_of(folder.path(), 0));
}

int run_hung_callee(const std::string& endpoint) {
  boost::asio::io_context loop;
  bus::Bus callee(loop, {.node = "hung", .endpoint = endpoint});
  const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
  auto ready = wait<void>(loop, [&](auto done) { callee.connect(done); });
  if (ready) {
    ready = wait<bus::Bound>(loop, [&](auto done) { callee.bind(kHung, {.on_call = echo}, done); });
  }
  std::cout << (ready ? "ready" : ready.error().what) << std::endl;
  if (!ready) return 1;
  loop.restart();
  loop.run();
  return 0;
}

}  // namespace starbus::bench
