#include "bench/hostile/run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/bus/load_process.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bench/hostile/honest.hpp"
#include "tests/cluster/cluster_harness.hpp"

namespace starbus::bench::hostile {
namespace {

using cluster_test::Cluster;

constexpr int kProcesses = 8;          // every fourth on the other host
constexpr unsigned kUser = 65534;      // whom the hostile program becomes, if the benchmark is root
constexpr double kQuietBefore = 0.25;  // of the measured time: what is normal here
constexpr std::int64_t kOpening = 40 * kSecond;
constexpr std::int64_t kAnswer = 60 * kSecond;

// The hostile program may do everything, too; it is another user.
std::string roles() {
  if (::getuid() != 0) return "";
  const std::string all = "bind = ['']\nsend = ['']\nwatch = ['']\n";
  return "[[role]]\nname = 'honest'\nusers = ['0']\n" + all +
         "[[role]]\nname = 'hostile'\nusers = ['" + std::to_string(kUser) + "']\n" + all;
}

double megabytes_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

void wait_seconds(double seconds) {
  sleep_until_ns(now_ns() + static_cast<std::int64_t>(seconds * kSecond));
}

class Neighbours {
 public:
  Neighbours(const Cluster& cluster, ProcessGroup& processes, const Options& options)
      : cluster_(cluster), processes_(processes), options_(options) {}

  Result<void> start() {
    for (int i = 0; i < kProcesses; ++i) {
      const auto process = processes_.spawn(
          "honest-" + std::to_string(i),
          {own_executable(), "honest", "--endpoint", cluster_.endpoint(i % 4 == 3 ? "b" : "a"),
           "--index", std::to_string(i), "--of", std::to_string(kProcesses), "--rate",
           std::to_string(options_.rate)});
      if (!process) return process.error();
      honest_.push_back(*process);
    }
    for (Process* process : honest_) {
      if (const auto ready = await_ready(*process); !ready) return ready;
    }
    return {};
  }

  // Percentiles of all calls since the last mark, in microseconds; the names begin with `when`.
  Result<void> mark(const std::string& when, Metrics& metrics) {
    for (Process* process : honest_) {
      if (const auto told = process->write_line("mark"); !told) return told;
    }
    std::vector<double> took;
    double failed = 0;
    for (Process* process : honest_) {
      const auto said = read_result(*process, 0);
      if (!said) return said.error();
      for (const double us : (*said)["us"]) took.push_back(us);
      failed += (*said)["failed"].get<double>();
    }
    if (took.empty()) return fail("no call has ended");
    metrics[when + ".p50"] = quantile(took, 0.5);
    metrics[when + ".p99"] = quantile(took, 0.99);
    metrics[when + ".max"] = quantile(took, 1);
    metrics[when + ".failed"] = failed;
    return {};
  }

  // All report before the first of them ends, and with it its names.
  Result<void> end(Metrics& metrics) {
    for (Process* process : honest_) {
      if (const auto told = process->write_line("losses"); !told) return told;
    }
    for (Process* process : honest_) {
      const auto said = read_result(*process, 0);
      if (!said) return said.error();
      metrics["lost_names"] += (*said)["lost_names"].get<double>();
      metrics["lost_sessions"] += (*said)["lost_sessions"].get<double>();
    }
    for (Process* process : honest_) {
      if (const auto told = process->write_line("end"); !told) return told;
    }
    return {};
  }

 private:
  const Cluster& cluster_;
  ProcessGroup& processes_;
  const Options& options_;
  std::vector<Process*> honest_;
};

// 1 if `bustop doctor` names the program by its pid, else 0.
Result<double> named_by_doctor(Cluster& cluster, ProcessGroup& processes, pid_t pid) {
  const auto doctor = processes.spawn(
      "doctor", {program("bustop"), "--admin", cluster.busd("a").admin(), "doctor"});
  if (!doctor) return doctor.error();
  bool named = false;
  for (;;) {
    const auto line = (*doctor)->read_line(now_ns() + kAnswer);
    if (!line) return named ? 1 : 0;
    if (line->find("user_takes_most") == std::string::npos) continue;
    std::cerr << *line << "\n";
    named = named || line->find("pid " + std::to_string(pid) + " (") != std::string::npos;
  }
}

}  // namespace

Result<Metrics> run(const Options& options) {
  Cluster cluster({.roles = roles()});
  ::chmod(cluster.folder().c_str(), 0711);  // for the hostile user
  ::chmod(cluster.socket("a").c_str(), 0666);
  if (::getuid() != 0) std::cerr << "not root: the hostile program has the user of the others\n";
  const TemporaryFolder logs(temporary_parent(), false);
  ProcessGroup processes(logs.path());
  const pid_t busd = cluster.busd("a").process().pid();
  Neighbours neighbours(cluster, processes, options);
  Metrics metrics;
  if (const auto started = neighbours.start(); !started) return started.error();
  wait_seconds(1);
  if (const auto warm = neighbours.mark("before", metrics); !warm) return warm.error();
  wait_seconds(std::max(options.seconds * kQuietBefore, 1.0));
  if (const auto marked = neighbours.mark("before", metrics); !marked) return marked.error();
  metrics["busd.before"] = megabytes_of(busd);

  const auto intruder =
      processes.spawn("intruder", {program("starbus-test-intruder"), cluster.socket("a").string(),
                                   "a", std::to_string(options.sessions), kPrefix,
                                   std::to_string(kUser), std::to_string(options.pace_ms)});
  if (!intruder) return intruder.error();
  const auto ready = (*intruder)->read_line(now_ns() + kOpening);
  if (!ready) return ready.error();
  if (const auto opened = neighbours.mark("opening", metrics); !opened) return opened.error();
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(options.seconds * kSecond);
  wait_seconds(options.seconds / 3);
  const auto named = named_by_doctor(cluster, processes, (*intruder)->pid());
  if (!named) return named.error();
  metrics["named"] = *named;
  double most = 0;
  while (now_ns() < end && !interrupted()) {
    most = std::max(most, megabytes_of(busd));
    wait_seconds(0.2);
  }
  if (const auto marked = neighbours.mark("during", metrics); !marked) return marked.error();
  metrics["busd.during"] = most;
  if (!(*intruder)->alive()) return fail("the hostile program has ended by itself");
  const auto json = cluster.busd("a").json("/status");
  metrics["sessions"] = json.at("shares").at("processes").at("used").get<double>();
  processes.remove(**intruder);
  wait_seconds(3);
  if (const auto marked = neighbours.mark("after", metrics); !marked) return marked.error();
  metrics["busd.after"] = megabytes_of(busd);
  if (const auto ended = neighbours.end(metrics); !ended) return ended.error();
  metrics["failed"] = metrics["opening.failed"] + metrics["during.failed"];
  return metrics;
}

}  // namespace starbus::bench::hostile
