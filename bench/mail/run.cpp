#include "bench/mail/run.hpp"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "bench/harness/clock.hpp"
#include "bench/mail/bars.hpp"
#include "bench/mail/loads.hpp"

namespace starbus::bench::mail {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kOthers = 1'000;  // mailboxes that are posted to while another is erased
constexpr std::uint64_t kOthersFrom = 1'000'000;  // their numbers: none is 0

// What a run needs to know of its case.
struct Work {
  std::uint64_t mailboxes = 1;
  int posters = 1;
  std::string beside = {};  // the role that works beside the posts
  bool reader = false;      // beside it messages are read, and not only posted
};
using Run = Result<Metrics> (*)(const Work& work, const std::string& system,
                                const Options& options);

double us(const Json& json, const char* name) {
  return json.value(name, 0.0) / 1000;
}

void add_times(Metrics& metrics, const Json& json) {
  for (const char* name : {"p50", "p99", "p999"}) metrics[name] = us(json, name);
}

// Bytes of a line of /proc/PID/status.
double status_bytes(pid_t pid, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == key + ":" && file >> kib) return kib * 1024;
  }
  return 0;
}

Result<Metrics> run_throughput(const Work& work, const std::string& system,
                               const Options& options) {
  const auto loads = Loads::start(system, options, false);
  if (!loads) return loads.error();
  std::vector<Process*> processes;
  for (int i = 0; i < work.posters; ++i) {
    RoleOptions role;
    role.role = "post";
    role.mailboxes = work.mailboxes;
    const auto process = (*loads)->spawn(role);
    if (!process) return process.error();
    processes.push_back(*process);
  }
  const std::int64_t cpu_before = (*loads)->cpu_ns();
  for (Process* process : processes) {
    if (const auto told = (*loads)->go(process); !told) return told.error();
  }
  Metrics metrics;
  double ended = 0;
  for (Process* process : processes) {
    const auto json = (*loads)->result_of(process, options.seconds);
    if (!json) return json.error();
    metrics["rate"] += json->value("measured", 0.0) / json->value("seconds", 1.0);
    ended += json->value("ended", 0.0);
  }
  const auto cpu = static_cast<double>((*loads)->cpu_ns() - cpu_before) / kSecond;
  metrics["cpu"] = ended == 0 ? 0 : cpu / (ended / 1e6);
  return metrics;
}

Result<Metrics> run_single(const Work&, const std::string& system, const Options& options) {
  const auto loads = Loads::start(system, options, false);
  if (!loads) return loads.error();
  RoleOptions role;
  role.role = "post";
  role.mailboxes = kOthers;
  role.client.outstanding = 1;
  role.client.low_latency = true;
  const auto json = (*loads)->run(role);
  if (!json) return json.error();
  Metrics metrics;
  add_times(metrics, *json);
  metrics["rate"] = json->value("measured", 0.0) / json->value("seconds", 1.0);
  return metrics;
}

RoleOptions posts_at_rate(const Options& options) {
  RoleOptions role;
  role.role = "post";
  role.first = kOthersFrom;
  role.mailboxes = kOthers;
  role.rate = options.rate;
  role.client.low_latency = true;
  return role;
}

// One mailbox, posted to and read by one process, while another goes.
RoleOptions read_at_rate(const Options& options) {
  RoleOptions role = posts_at_rate(options);
  role.role = "follow";
  role.mailboxes = 1;
  return role;
}

Result<Metrics> run_rate(const Work&, const std::string& system, const Options& options) {
  const auto loads = Loads::start(system, options, false);
  if (!loads) return loads.error();
  const auto json = (*loads)->run(posts_at_rate(options));
  if (!json) return json.error();
  Metrics metrics;
  add_times(metrics, *json);
  return metrics;
}

Result<Metrics> run_drain(const Work&, const std::string& system, const Options& options) {
  const auto loads = Loads::start(system, options, true);
  if (!loads) return loads.error();
  if (const auto filled = (*loads)->fill(options.drain, 1); !filled) return filled.error();
  RoleOptions role;
  role.role = "drain";
  role.count = options.drain;
  const auto process = (*loads)->spawn(role);
  if (!process) return process.error();
  const std::int64_t cpu_before = (*loads)->cpu_ns();
  if (const auto told = (*loads)->go(*process); !told) return told.error();
  const auto json = (*loads)->result_of(*process, static_cast<double>(options.drain) / 1000);
  if (!json) return json.error();
  const auto cpu = static_cast<double>((*loads)->cpu_ns() - cpu_before) / kSecond;
  const auto count = static_cast<double>(options.drain);
  return Metrics{{"rate", count / json->value("seconds", 1.0)}, {"cpu", cpu / (count / 1e6)}};
}

// Posts at a rate to other mailboxes, or their reader, first alone, then while mailbox 0 goes.
Result<Metrics> run_beside(const Work& work, const std::string& system, const Options& options) {
  const auto measured = work.reader ? read_at_rate : posts_at_rate;
  const auto loads = Loads::start(system, options, true);
  if (!loads) return loads.error();
  if (const auto filled = (*loads)->fill(options.drain, 1); !filled) return filled.error();
  // What the filling has left to do (compactions) is not part of either.
  (*loads)->await_rest();
  const auto alone = (*loads)->run(measured(options));
  if (!alone) return alone.error();
  RoleOptions role;
  role.role = work.beside;
  role.count = options.drain;
  const auto other = (*loads)->spawn(role);
  if (!other) return other.error();
  RoleOptions second = measured(options);
  second.first += kOthers;  // not what was read before: nothing waits there
  const auto posts = (*loads)->spawn(second);
  if (!posts) return posts.error();
  if (const auto told = (*loads)->go(*posts); !told) return told.error();
  // After the warm-up.
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds / 8));
  if (const auto told = (*loads)->go(*other); !told) return told.error();
  const auto beside = (*loads)->result_of(*posts, options.seconds);
  if (!beside) return beside.error();
  const auto done = (*loads)->result_of(*other, static_cast<double>(options.drain) / 1000);
  if (!done) return done.error();
  Metrics metrics;
  metrics["alone"] = us(*alone, "p99");
  metrics["p50"] = us(*beside, "p50");
  metrics["p99"] = us(*beside, "p99");
  metrics["ratio"] = us(*beside, "p99") / us(*alone, "p99");
  metrics["took"] = done->value("seconds", 0.0) * 1000;
  return metrics;
}

Result<Metrics> run_population(const Work&, const std::string& system, const Options& options) {
  const auto loads = Loads::start(system, options, false);
  if (!loads) return loads.error();
  const auto settled = std::chrono::duration<double>(std::min(options.seconds, 3.0));
  Metrics metrics;
  if (const auto again = (*loads)->cluster().restart_store(); !again) return again.error();
  const auto empty = (*loads)->await_service();
  if (!empty) return empty.error();
  metrics["start_empty"] = *empty * 1000;
  const pid_t before_pid = (*loads)->cluster().store_pid();
  const double before = status_bytes(before_pid, "VmRSS");
  const double anonymous = status_bytes(before_pid, "RssAnon");
  const auto filled = (*loads)->fill(options.population, options.population);
  if (!filled) return filled.error();
  std::this_thread::sleep_for(settled);
  const auto count = static_cast<double>(options.population);
  metrics["rss"] = (status_bytes(before_pid, "VmRSS") - before) / count;
  metrics["anonymous"] = (status_bytes(before_pid, "RssAnon") - anonymous) / count;
  metrics["rss_before"] = before / 1e6;
  if (is_starbus(system)) {
    RoleOptions role;
    role.role = "open";
    role.mailboxes = options.population;
    role.count = options.opened;
    const auto opened = (*loads)->run(role);
    if (!opened) return opened.error();
    metrics["open_p50"] = us(*opened, "p50");
    metrics["open_p99"] = us(*opened, "p99");
  }
  if (const auto again = (*loads)->cluster().restart_store(); !again) return again.error();
  const auto full = (*loads)->await_service();
  if (!full) return full.error();
  metrics["start"] = *full * 1000;
  std::this_thread::sleep_for(settled);
  metrics["rss_restarted"] =
      (status_bytes((*loads)->cluster().store_pid(), "VmRSS") - before) / count;
  return metrics;
}

std::string short_number(std::uint64_t number) {
  if (number >= 1'000'000 && number % 1'000'000 == 0)
    return std::to_string(number / 1'000'000) + "M";
  if (number >= 1'000 && number % 1'000 == 0) return std::to_string(number / 1'000) + "k";
  return std::to_string(number);
}

// A metric of a case, and what it is.
using Metric = std::pair<const char*, const char*>;

class Cases {
 public:
  explicit Cases(const Options& options) : options_(options) {}

  void add(const std::string& name, const std::string& about, const std::vector<Metric>& metrics,
           const std::vector<std::string>& systems, Run run, const Work& work = {}) {
    SuiteCase one{.name = name, .about = about, .peers = systems};
    const Options& options = options_;
    one.run = [run, work, &options](const std::string& system, int) {
      // What was left in memory before would be written during this run: an fsync waits for it.
      ::sync();
      return run(work, system, options);
    };
    for (const auto& [metric, unit] : metrics) {
      one.rows.push_back({name + "." + metric, unit, {name, metric}});
    }
    add_bars(one);
    cases_.push_back(std::move(one));
  }
  std::vector<SuiteCase> take() { return std::move(cases_); }

 private:
  const Options& options_;
  std::vector<SuiteCase> cases_;
};

const std::vector<std::string> kAll{"nats", "nats-sync", "starbus", "starbus-nosync"};
// Filling a large stream takes nats-sync minutes, and reading it is what nats does.
const std::vector<std::string> kLarge{"nats", "starbus"};
const std::vector<std::string> kOwn{"starbus", "starbus-nosync"};

const std::vector<Metric> kThroughput{{"rate", "1/s"}, {"cpu", "CPU s per million"}};
const std::vector<Metric> kBeside{{"alone", "us, p99 without it"},
                                  {"p99", "us"},
                                  {"ratio", "p99 with / without"},
                                  {"took", "ms, it"}};

void add_posts(Cases& cases, const Options& options) {
  for (const int posters : options.posters) {
    for (const std::uint64_t mailboxes : options.mailboxes) {
      const std::string count = short_number(mailboxes);
      cases.add("post." + count + "." + std::to_string(posters),
                "posts to " + count + " mailboxes from " + std::to_string(posters) +
                    " processes, many outstanding",
                kThroughput, kAll, run_throughput, {mailboxes, posters});
    }
  }
  cases.add("single", "one post at a time", {{"p50", "us"}, {"p99", "us"}, {"rate", "1/s"}}, kAll,
            run_single);
  cases.add("rate." + short_number(static_cast<std::uint64_t>(options.rate)),
            "posts at a rate, timed from when each was due",
            {{"p50", "us"}, {"p99", "us"}, {"p999", "us"}}, kAll, run_rate);
}

void add_reading(Cases& cases, const std::string& size) {
  cases.add("drain." + size, "a mailbox is read, acknowledged every 1,000", kThroughput, kLarge,
            run_drain);
  const std::string while_one = "posts at a rate while a mailbox of " + size + " is ";
  cases.add("beside.erase", while_one + "acknowledged at once, and erased", kBeside, kLarge,
            run_beside, {.beside = "erase"});
  // What erasing adds is not in it.
  cases.add("beside.read", while_one + "read, and not acknowledged", kBeside, {"starbus"},
            run_beside, {.beside = "read"});
  cases.add("beside.drain", while_one + "read, and acknowledged every 1,000", kBeside, kLarge,
            run_beside, {.beside = "drain"});
  cases.add(
      "reader.erase",
      "a reader of messages that come at a rate, from when each was due, while a mailbox of " +
          size + " is acknowledged at once, and erased",
      {kBeside[0], {"p50", "us"}, kBeside[1], kBeside[2], kBeside[3]}, kOwn, run_beside,
      {.beside = "erase", .reader = true});
}

}  // namespace

std::vector<SuiteCase> cases_of(const Options& options) {
  Cases cases(options);
  add_posts(cases, options);
  add_reading(cases, short_number(options.drain));
  cases.add("boxes." + short_number(options.population),
            "mailboxes with one message each: memory of the process that keeps them, opening one, "
            "and starting again after kill -9",
            {{"rss", "resident, bytes each"},
             {"anonymous", "of that not file, bytes each"},
             {"rss_before", "resident before, MB"},
             {"rss_restarted", "resident after a restart, bytes each"},
             {"open_p50", "us, opening one"},
             {"open_p99", "us, opening one"},
             {"start_empty", "ms, start, empty"},
             {"start", "ms, start"}},
            kLarge, run_population);
  return cases.take();
}

}  // namespace starbus::bench::mail
