#include "bench/mail/run.hpp"

#include <fnmatch.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "bench/harness/clock.hpp"
#include "bench/mail/loads.hpp"

namespace starbus::bench::mail {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kOthers = 1'000;  // mailboxes that are posted to while another is erased
constexpr std::uint64_t kOthersFrom = 1'000'000;  // their numbers: none is 0

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

Result<Metrics> run_throughput(const Row& row, const std::string& system, const Options& options) {
  const auto loads = Loads::start(system, options, false);
  if (!loads) return loads.error();
  std::vector<Process*> processes;
  for (int i = 0; i < row.posters; ++i) {
    RoleOptions role;
    role.role = "post";
    role.mailboxes = row.mailboxes;
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

Result<Metrics> run_single(const Row&, const std::string& system, const Options& options) {
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

Result<Metrics> run_rate(const Row&, const std::string& system, const Options& options) {
  const auto loads = Loads::start(system, options, false);
  if (!loads) return loads.error();
  const auto json = (*loads)->run(posts_at_rate(options));
  if (!json) return json.error();
  Metrics metrics;
  add_times(metrics, *json);
  return metrics;
}

Result<Metrics> run_drain(const Row&, const std::string& system, const Options& options) {
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
Result<Metrics> run_beside(const Row& row, const std::string& system, const Options& options) {
  const auto measured = row.reader ? read_at_rate : posts_at_rate;
  const auto loads = Loads::start(system, options, true);
  if (!loads) return loads.error();
  if (const auto filled = (*loads)->fill(options.drain, 1); !filled) return filled.error();
  // What the filling has left to do (compactions) is not part of either.
  (*loads)->await_rest();
  const auto alone = (*loads)->run(measured(options));
  if (!alone) return alone.error();
  RoleOptions role;
  role.role = row.beside;
  role.count = options.drain;
  const auto other = (*loads)->spawn(role);
  if (!other) return other.error();
  RoleOptions second = measured(options);
  second.first += kOthers;  // not what was read before: nothing waits there
  const auto posts = (*loads)->spawn(second);
  if (!posts) return posts.error();
  if (const auto told = (*loads)->go(*posts); !told) return told.error();
  // Behind the warm-up.
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

Result<Metrics> run_population(const Row&, const std::string& system, const Options& options) {
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

}  // namespace

std::vector<Row> rows_of(const Options& options) {
  const std::vector<std::string> all{"nats", "nats-sync", "starbus", "starbus-nosync"};
  // Filling a large stream takes nats-sync minutes, and reading it is what nats does.
  const std::vector<std::string> large{"nats", "starbus"};
  const std::vector<std::string> own{"starbus", "starbus-nosync"};
  std::vector<Row> rows;
  for (const int posters : options.posters) {
    for (const std::uint64_t mailboxes : options.mailboxes) {
      Row row{"post." + short_number(mailboxes) + "." + std::to_string(posters),
              "posts to " + short_number(mailboxes) + " mailboxes from " + std::to_string(posters) +
                  " processes, many outstanding",
              {"rate", "cpu"},
              all,
              run_throughput};
      row.mailboxes = mailboxes;
      row.posters = posters;
      rows.push_back(row);
    }
  }
  rows.push_back({"single", "one post at a time", {"p50", "p99", "rate"}, all, run_single});
  rows.push_back({"rate." + short_number(static_cast<std::uint64_t>(options.rate)),
                  "posts at a rate, timed from when each was due",
                  {"p50", "p99", "p999"},
                  all,
                  run_rate});
  const std::string size = short_number(options.drain);
  rows.push_back({"drain." + size,
                  "a mailbox is read, acknowledged every 1,000",
                  {"rate", "cpu"},
                  large,
                  run_drain});
  const auto beside = [&](const std::string& role, const std::string& about,
                          const std::vector<std::string>& systems) {
    rows.push_back({"beside." + role,
                    "posts at a rate while a mailbox of " + size + " is " + about,
                    {"alone", "p99", "ratio", "took"},
                    systems,
                    run_beside});
    rows.back().beside = role;
  };
  beside("erase", "acknowledged at once, and erased", large);
  beside("read", "read, and not acknowledged", {"starbus"});  // what erasing adds is not in it
  beside("drain", "read, and acknowledged every 1,000", large);
  rows.push_back({"reader.erase",
                  "a reader of messages that come at a rate, from when each was due, while a "
                  "mailbox of " +
                      size + " is acknowledged at once, and erased",
                  {"alone", "p50", "p99", "ratio", "took"},
                  own,
                  run_beside});
  rows.back().beside = "erase";
  rows.back().reader = true;
  rows.push_back({"boxes." + short_number(options.population),
                  "mailboxes with one message each: memory of the process that keeps them, opening "
                  "one, and starting anew after kill -9",
                  {"rss", "anonymous", "rss_before", "rss_restarted", "open_p50", "open_p99",
                   "start_empty", "start"},
                  large,
                  run_population});
  return rows;
}

std::vector<Row> matching_rows(const std::vector<Row>& rows, const std::string& glob) {
  std::vector<Row> matching;
  for (const Row& row : rows) {
    if (glob.empty() || ::fnmatch(glob.c_str(), row.name.c_str(), 0) == 0) matching.push_back(row);
  }
  return matching;
}

}  // namespace starbus::bench::mail
