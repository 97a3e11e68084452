// bench_mail: starbus' mail beside NATS' JetStream, both on one disk, in one run.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "bench/bus/plan.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/figures.hpp"
#include "bench/harness/process.hpp"
#include "bench/harness/trial.hpp"
#include "bench/mail/bars.hpp"
#include "bench/mail/report.hpp"
#include "bench/mail/role.hpp"

namespace starbus::bench::mail {
namespace {

constexpr int kNoDisk = 77;  // exit code: as a test it is skipped then

struct Arguments {
  Options options;
  std::string glob;
  std::vector<std::string> systems;
  int repetitions = 3;
  double others = 100;  // percent of the machine
  bool quick = false;
  bool list = false;
  bool check = false;
  std::string json_path;
};

// One folder above bin: the build's own.
std::string default_folder() {
  const std::filesystem::path program = own_executable();
  return (program.parent_path().parent_path() / "bench-mail").string();
}

Result<Metrics> measure_disk(const Options& options, int repetitions) {
  Metrics metrics;
  for (const std::size_t bytes : {std::size_t{256}, std::size_t{64 * 1024}}) {
    std::map<std::string, std::vector<double>> values;
    for (int i = 0; i < repetitions; ++i) {
      const auto times = measure_fsync(options.folder, bytes, 500);
      if (!times) return times.error();
      values["p50"].push_back(static_cast<double>(times->percentile(50)) / 1000);
      values["p99"].push_back(static_cast<double>(times->percentile(99)) / 1000);
    }
    for (auto& [name, of_repetitions] : values) {
      metrics[std::to_string(bytes) + "." + name] = median(of_repetitions).value_or(0);
    }
  }
  return metrics;
}

bool run_one(const Row& row, const std::string& system, int repetition, const Arguments& arguments,
             Report& report) {
  const std::string what = "rep " + std::to_string(repetition + 1) + "/" +
                           std::to_string(arguments.repetitions) + "  " + row.name + "  " + system;
  const auto metrics =
      run_in_quiet(what, arguments.others, [&] { return row.run(row, system, arguments.options); });
  if (metrics) report.add(row, system, repetition, *metrics);
  return static_cast<bool>(metrics);
}

int run_all(Arguments& arguments) {
  install_interrupt_handler();
  std::vector<std::string> why_not;
  std::filesystem::create_directories(arguments.options.folder);
  const auto type = file_system_of(arguments.options.folder);
  if (!type) {
    std::cerr << "bench_mail: " << type.error().what << "\n";
    return kNoDisk;
  }
  std::vector<std::string> systems;
  for (const System& system : available_systems(arguments.options.folder, why_not)) {
    const auto& wanted = arguments.systems;
    if (!wanted.empty() && std::ranges::find(wanted, system.name) == wanted.end()) continue;
    systems.push_back(system.name);
    std::cout << system.name << ": " << system.about << "\n";
  }
  for (const std::string& line : why_not) std::cout << "without " << line << "\n";
  const std::vector<Row> rows = matching_rows(rows_of(arguments.options), arguments.glob);
  if (rows.empty()) {
    std::cerr << "no row matches " << arguments.glob << "; see --list\n";
    return 2;
  }
  const auto disk = measure_disk(arguments.options, arguments.repetitions);
  if (!disk) {
    std::cerr << "FAILED: " << disk.error().what << "\n";
    return 1;
  }
  std::printf("fsync on %s (%s): 256 B p50 %.0f us, p99 %.0f us; 64 KiB p50 %.0f us, p99 %.0f us\n",
              arguments.options.folder.c_str(), type->c_str(), disk->at("256.p50"),
              disk->at("256.p99"), disk->at("65536.p50"), disk->at("65536.p99"));
  std::fflush(stdout);
  Report report(systems);
  bool good = true;
  for (int repetition = 0; repetition < arguments.repetitions; ++repetition) {
    for (const Row& row : rows) {
      // They alternate, and another one begins each time.
      for (std::size_t i = 0; i < systems.size() && !interrupted(); ++i) {
        const auto turn = (i + static_cast<std::size_t>(repetition)) % systems.size();
        if (std::ranges::find(row.systems, systems[turn]) == row.systems.end()) continue;
        good = run_one(row, systems[turn], repetition, arguments, report) && good;
      }
    }
  }
  std::cout << report.table(rows);
  if (arguments.check) {
    std::string bars;
    good = check_bars(report, rows, bars) && good;
    std::cout << "\nbars\n" << bars;
  }
  if (!arguments.json_path.empty()) {
    const auto written = write_text(arguments.json_path, report.json(rows, *disk));
    if (!written) std::cerr << written.error().what << "\n";
    good = good && written;
  }
  if (interrupted()) return 130;
  return good ? 0 : 1;
}

void add_role(CLI::App& app, RoleOptions& role) {
  app.group("");  // for the benchmark's own processes; not in the help
  app.add_option("role", role.role)->required();
  app.add_option("system", role.system)->required();
  app.add_option("--endpoint", role.client.endpoint)->required();
  app.add_option("--node", role.client.node)->required();
  app.add_option("--bytes", role.client.bytes);
  app.add_option("--outstanding", role.client.outstanding);
  app.add_option("--window", role.client.window);
  app.add_flag("--low-latency", role.client.low_latency);
  app.add_option("--first", role.first);
  app.add_option("--mailboxes", role.mailboxes);
  app.add_option("--count", role.count);
  app.add_option("--seconds", role.seconds);
  app.add_option("--rate", role.rate);
  app.add_flag("--read", role.read);
}

// Sizes for --quick, where none was given.
void make_quick(const CLI::App& app, Arguments& arguments) {
  const auto small = [&](const char* option, auto& value, auto quick) {
    if (app.count(option) == 0) value = quick;
  };
  small("--reps", arguments.repetitions, 1);
  small("--seconds", arguments.options.seconds, 0.5);
  small("--drain", arguments.options.drain, 20'000u);
  small("--population", arguments.options.population, 10'000u);
  small("--opened", arguments.options.opened, 100u);
  if (app.count("--mailboxes") == 0) arguments.options.mailboxes = {1, 1'000};
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures mail that is on a disk before it counts as posted: starbus (busroot, a busd with\n"
      "all shards) beside NATS' JetStream (one server, file storage), on the same disk. They\n"
      "alternate within each repetition; figures are medians. Progress goes to standard error, "
      "the\n"
      "table to standard output."};
  Arguments arguments;
  Options& options = arguments.options;
  RoleOptions role_options;
  options.folder = default_folder();
  app.add_option("--row", arguments.glob, "Only rows that match this glob, as \"post.*\"");
  app.add_option(
         "--peer", arguments.systems,
         "Only these, separated by commas: starbus; starbus-nosync, the same on a disk that\n"
         "does not sync; nats, which answers before an fsync; nats-sync, after it")
      ->delimiter(',')
      ->check(CLI::IsMember({"starbus", "starbus-nosync", "nats", "nats-sync"}));
  app.add_option("--folder", options.folder, "On the disk to measure")->capture_default_str();
  app.add_option("--reps", arguments.repetitions, "Repetitions of everything")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Measured time of one run")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--bytes", options.bytes, "Of a message")
      ->check(CLI::Range(16, 1'000'000))
      ->capture_default_str();
  app.add_option("--mailboxes", options.mailboxes, "Counts of mailboxes to post to")
      ->delimiter(',')
      ->check(CLI::Range(1u, 10'000'000u))
      ->capture_default_str();
  app.add_option("--posters", options.posters, "Counts of processes that post")
      ->delimiter(',')
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--outstanding", options.outstanding,
                 "Posts of a process that have no end yet (default: what suits each best)");
  app.add_option("--rate", options.rate, "Posts per second where latency at a rate is measured")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--drain", options.drain, "Messages of the mailbox that is read or erased")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  app.add_option("--window", options.window, "Of starbus' reader, bytes")->capture_default_str();
  app.add_option("--population", options.population, "Mailboxes with one message each")
      ->check(CLI::Range(1u, 100'000'000u))
      ->capture_default_str();
  app.add_option("--opened", options.opened, "Of those, how many are opened")
      ->capture_default_str();
  app.add_option("--others", arguments.others,
                 "A run is repeated if other processes have used more than this share of the\n"
                 "machine meanwhile, percent")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_flag("--quick", arguments.quick, "Small sizes, one repetition: does it work?");
  app.add_flag("--keep", options.keep, "Keep the folders with logs, configurations and messages");
  app.add_flag("--check", arguments.check,
               "Also say of each bar (bench/mail/bars.cpp) whether the rows reach it; if not, the\n"
               "exit code is 1");
  app.add_flag("--list", arguments.list, "List the rows and stop");
  app.add_option("--json", arguments.json_path,
                 "Also write the medians there, as flat keys mail.ROW.METRIC.SYSTEM")
      ->type_name("FILE");
  CLI::App* role = app.add_subcommand("role");
  add_role(*role, role_options);
  CLI11_PARSE(app, argc, argv);
  if (role->parsed()) return run_role(role_options);
  if (arguments.quick) make_quick(app, arguments);
  if (arguments.list) {
    for (const Row& row : rows_of(options)) {
      std::cout << row.name << std::string(20 - std::min<std::size_t>(row.name.size(), 19), ' ')
                << row.about << "\n";
    }
    return 0;
  }
  return run_all(arguments);
}

}  // namespace
}  // namespace starbus::bench::mail

int main(int argc, char** argv) {
  return starbus::bench::mail::main_of(argc, argv);
}
