#include "bench/bus/driver.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/bus/load_process.hpp"
#include "bench/bus/role_command.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench {
namespace {

constexpr double kStopMargin = 1.2;  // a run with a stop is longer than the stop

// A load process that the case needs.
struct Load {
  std::string role;
  Address self;
  std::vector<Address> partners;
  Process* process = nullptr;
  int subscriptions = 0;

  bool starts() const { return role == "sender" || role == "requester"; }
};

Address at(int host, int slot) {
  return {static_cast<std::uint16_t>(host), static_cast<std::uint16_t>(slot)};
}

bool to_everyone(const Case& which) {
  return which.shape == Shape::kFanOut || which.shape == Shape::kAnnounce;
}

std::vector<Load> loads_of(const Case& which) {
  const int far = which.across ? 1 : 0;
  std::vector<Load> loads;
  if (to_everyone(which)) {
    const int each = (which.subscribers - which.stopped_subscribers) / 2;
    loads.push_back({"receiver", at(0, 1), {at(0, 0)}, nullptr, each});
    loads.push_back({"receiver", at(1, 0), {at(0, 0)}, nullptr, each});
    if (which.stopped_subscribers > 0) {
      loads.push_back({"receiver", at(1, 1), {at(0, 0)}, nullptr, which.stopped_subscribers});
    }
    std::vector<Address> receivers;
    for (const Load& load : loads) receivers.push_back(load.self);
    loads.push_back({"sender", at(0, 0), receivers});
    return loads;
  }
  const bool request = which.shape == Shape::kRequest;
  for (int i = 0; i < which.senders; ++i) {
    const Address from = at(0, i);
    const Address to = at(far, far == 0 ? which.senders + i : i);
    loads.push_back({request ? "responder" : "receiver", to, {from}});
    loads.push_back({request ? "requester" : "sender", from, {to}});
  }
  // Receivers first: a sender is ready only when its receivers have answered.
  std::stable_partition(loads.begin(), loads.end(),
                        [](const Load& load) { return !load.starts(); });
  return loads;
}

std::vector<std::string> command_of(const Load& load, const Case& which, const Peer& peer,
                                    const std::string& directory, const RunOptions& options) {
  const bool paced = which.shape == Shape::kThroughput || which.shape == Shape::kFanOut;
  const std::uint64_t window = options.window != 0 ? options.window : peer.window(which.bytes);
  LoadOptions role;
  role.role = load.role;
  role.directory = directory;
  role.self = load.self;
  role.partners = load.partners;
  role.to_everyone = to_everyone(which) && load.starts();
  role.bytes = which.bytes;
  role.rate = which.rate;
  role.seconds = options.seconds;
  role.window = paced ? window : 0;
  // A receiver sends nothing but credits, which must not wait in a buffer.
  role.low_latency = !paced || !load.starts();
  return role_command(peer, role);
}

// Several receivers count alike: the figure is the mean of theirs.
void add_latency(Metrics& metrics, const nlohmann::json& json, int receivers) {
  for (const char* name : {"p50", "p90", "p99", "p999", "max"}) {
    metrics[name] += json.value(name, 0.0) / 1000 / receivers;
  }
}

// Of a case that stops its last receiver, this one's stream is there to be in trouble.
bool is_measured(const Load& load, const std::vector<Load>& loads, const Case& which) {
  if (which.stop_seconds == 0) return true;
  const auto last =
      std::find_if(loads.rbegin(), loads.rend(), [](const Load& other) { return !other.starts(); });
  return load.self != last->self;
}

void stop_and_go_on(Process& process, double after_seconds, double seconds) {
  sleep_until_ns(now_ns() + static_cast<std::int64_t>(after_seconds * kSecond));
  process.stop();
  sleep_until_ns(now_ns() + static_cast<std::int64_t>(seconds * kSecond));
  process.go_on();
}

Result<Metrics> measure(const Case& which, Peer& peer, const RunOptions& options,
                        const std::string& directory, ProcessGroup& processes) {
  std::vector<Load> loads = loads_of(which);
  Plan plan;
  plan.directory = directory;
  plan.tls = which.tls;
  for (const Load& load : loads) {
    const bool stops = which.shape == Shape::kAnnounce && !is_measured(load, loads, which);
    plan.processes.push_back({load.self, load.subscriptions, stops});
  }
  if (const auto started = peer.start_cluster(plan, processes); !started) return started.error();

  for (const bool senders : {false, true}) {
    for (Load& load : loads) {
      if (load.starts() != senders) continue;
      const auto process = processes.spawn(load.role + text_of(load.self),
                                           command_of(load, which, peer, directory, options));
      if (!process) return process.error();
      load.process = *process;
    }
    for (const Load& load : loads) {
      if (load.starts() != senders) continue;
      if (const auto ready = await_ready(*load.process); !ready) return ready.error();
    }
  }

  const std::int64_t cpu_before = processes.cpu_ns();
  for (const Load& load : loads) {
    if (!load.starts()) continue;
    if (const auto told = load.process->write_line("go"); !told) return told.error();
  }
  for (const Load& load : loads) {
    if (!which.disturbed || load.starts() || is_measured(load, loads, which)) continue;
    stop_and_go_on(*load.process, options.seconds * kWarmUp, options.seconds / kStopMargin);
  }
  Metrics metrics;
  double messages = 0;
  const auto receivers = static_cast<int>(std::ranges::count_if(loads, [&](const Load& load) {
    const bool times = load.role == "receiver" || load.role == "requester";
    return times && is_measured(load, loads, which);
  }));
  for (const Load& load : loads) {
    const auto json = read_result(*load.process, options.seconds);
    if (!json) return json.error();
    if (json->contains("lateness")) {
      metrics["late_p50"] = (*json)["lateness"].value("p50", 0.0) / 1000;
      metrics["late_p99"] = (*json)["lateness"].value("p99", 0.0) / 1000;
    }
    if (!json->contains("received")) continue;
    // What flows back for what came: acknowledgements, and the window's news.
    if (json->value("bytes_in", 0.0) > 0) {
      metrics["back"] = json->value("bytes_out", 0.0) / json->value("bytes_in", 0.0) * 100;
    }
    const double received = json->value("received", 0.0);
    messages += received;
    metrics["rate"] += received / std::max(json->value("seconds", 0.0), 1e-9);
    const bool times = which.shape != Shape::kThroughput && which.shape != Shape::kFanOut;
    if (times && is_measured(load, loads, which)) {
      add_latency(metrics, (*json)["latency"], receivers);
    }
  }
  if (messages < 1) return fail("nothing was received");
  // Seconds per million: nanoseconds divided by 1e9, times 1e6.
  metrics["cpu"] = static_cast<double>(processes.cpu_ns() - cpu_before) / 1000 / messages;
  if (which.shape != Shape::kOpenLoop && which.shape != Shape::kAnnounce) {
    metrics.erase("late_p50");
    metrics.erase("late_p99");
  }
  return metrics;
}

}  // namespace

Result<Metrics> run_case(const Case& which, Peer& peer, const RunOptions& options) {
  const TemporaryFolder directory(temporary_parent(), options.keep_directory);
  if (directory.path().empty()) return fail("cannot make a temporary directory");
  ProcessGroup processes(directory.path());
  RunOptions run = options;
  if (which.stop_seconds > 0) {
    run.seconds = which.stop_seconds * kStopMargin * (options.short_stops ? 0.1 : 1);
  }
  Result<Metrics> metrics = measure(which, peer, run, directory.path(), processes);
  if (!metrics && !interrupted()) return fail(metrics.error().what + processes.log_tail());
  return metrics;
}

}  // namespace starbus::bench
