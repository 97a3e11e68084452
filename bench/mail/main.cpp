// bench_mail: starbus' mail beside NATS' JetStream, both on one disk, in one run.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "bench/harness/disk.hpp"
#include "bench/harness/suite.hpp"
#include "bench/mail/cluster.hpp"
#include "bench/mail/role.hpp"
#include "bench/mail/run.hpp"

namespace starbus::bench::mail {
namespace {

constexpr int kNoDisk = 77;  // exit code: as a test it is skipped then

// One folder above bin: the build's own.
std::string default_folder() {
  const std::filesystem::path program = own_executable();
  return (program.parent_path().parent_path() / "bench-mail").string();
}

Result<void> measure_disk(const std::string& folder, int repetitions, Report& report) {
  for (const std::size_t bytes : {std::size_t{256}, std::size_t{64 * 1024}}) {
    std::vector<double> p50;
    std::vector<double> p99;
    for (int i = 0; i < repetitions; ++i) {
      const auto times = measure_fsync(folder, bytes, 500);
      if (!times) return times.error();
      p50.push_back(static_cast<double>(times->percentile(50)) / 1000);
      p99.push_back(static_cast<double>(times->percentile(99)) / 1000);
    }
    const std::string name = "fsync." + std::to_string(bytes);
    report.note(name + ".p50", *median(p50), "us");
    report.note(name + ".p99", *median(p99), "us");
  }
  return {};
}

int run_all(const Options& run, SuiteOptions& options) {
  const std::vector<SuiteCase> cases = cases_of(run);
  if (options.list) return run_suite(options, cases, Report("mail", {}));
  std::filesystem::create_directories(run.folder);
  const auto type = file_system_of(run.folder);
  if (!type) {
    std::cerr << "bench_mail: " << type.error().what << "\n";
    return kNoDisk;
  }
  std::cout << "disk: " << run.folder << " (" << *type << ")\n";
  Subjects subjects{{}, "starbus", {}};
  std::vector<std::string> why_not;
  for (const System& system : available_systems(run.folder, why_not)) {
    const auto& wanted = options.peers;
    if (!wanted.empty() && std::ranges::find(wanted, system.name) == wanted.end()) continue;
    subjects.peers.push_back(system.name);
    if (system.name != subjects.ours) subjects.compared.push_back(system.name);
    std::cout << system.name << ": " << system.about << "\n";
  }
  for (const std::string& line : why_not) std::cout << "without " << line << "\n";
  std::cout << std::flush;
  if (subjects.peers.empty()) return kWrongOption;
  options.peers = subjects.peers;
  Report report("mail", subjects);
  if (const auto disk = measure_disk(run.folder, options.repetitions, report); !disk) {
    std::cerr << "FAILED: " << disk.error().what << "\n";
    return kFailed;
  }
  return run_suite(options, cases, report);
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

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures mail that is on a disk before it counts as posted: starbus (busroot, a busd with\n"
      "all shards) beside NATS' JetStream (one server, file storage), on the same disk. They\n"
      "alternate within each repetition; figures are medians. Progress goes to standard error, "
      "the\n"
      "table to standard output."};
  SuiteOptions suite;
  suite.repetitions = 3;
  suite.seconds = 5;
  Options options;
  options.folder = default_folder();
  RoleOptions role_options;
  add_suite_options(app, suite, "Small sizes, one repetition: does it work?");
  add_seconds_option(app, suite);
  add_peer_option(app, suite, {"starbus", "starbus-nosync", "nats", "nats-sync"},
                  "Only these, separated by commas: starbus; starbus-nosync, the same on a disk\n"
                  "that does not sync; nats, which answers before an fsync; nats-sync, after it");
  app.add_option("--folder", options.folder, "On the disk to measure")->capture_default_str();
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
  app.add_flag("--keep", options.keep, "Keep the folders with logs, configurations and messages");
  CLI::App* role = app.add_subcommand("role");
  add_role(*role, role_options);
  CLI11_PARSE(app, argc, argv);
  if (role->parsed()) return run_role(role_options);
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--seconds", suite.seconds, 0.5);
  make_quick(app, suite, "--drain", options.drain, 20'000);
  make_quick(app, suite, "--population", options.population, 10'000);
  make_quick(app, suite, "--opened", options.opened, 100);
  make_quick(app, suite, "--mailboxes", options.mailboxes, {1, 1'000});
  options.seconds = suite.seconds;
  return run_all(options, suite);
}

}  // namespace
}  // namespace starbus::bench::mail

int main(int argc, char** argv) {
  return starbus::bench::mail::main_of(argc, argv);
}
