// bench_storage: durable commits per second of one record each, of 256 bytes unless told otherwise,
// with 1, 64 and 4096 of them outstanding, and the longest time in which none became durable,
// beside what one fsync of this disk takes. Needs a real disk: on a tmpfs an
// fsync is nothing.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "bench/harness/disk.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/suite.hpp"
#include "storage/store.hpp"

namespace starbus::bench {
namespace {

using Clock = std::chrono::steady_clock;
using storage::Batch;
using storage::Store;

constexpr int kFsyncs = 300;

struct Options {
  std::string folder = "/var/tmp";
  double seconds = 3;
  std::size_t record = 256;
  std::vector<int> outstanding = {1, 64, 4096};
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Keeps so many commits in flight, from the completions.
class Load {
 public:
  Load(Store& store, int outstanding, std::size_t record)
      : store_(store), left_(outstanding), record_(record) {}

  void run(double seconds) {
    const auto begin = Clock::now();
    latest_ = begin;
    end_ =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    const int count = left_;
    for (int i = 0; i < count; ++i) next();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return left_ == 0; });
    seconds_ = seconds_since(begin);
  }
  double per_second() const { return static_cast<double>(committed_) / seconds_; }
  double longest_gap() const { return gap_; }
  double latency_p50() { return quantile(std::move(latencies_), 0.5); }
  const std::string& error() const { return error_; }

 private:
  void next() {
    const auto begin = Clock::now();
    Batch batch;
    std::string value(record_, '\0');
    {
      const std::lock_guard lock(mutex_);
      for (char& c : value) c = static_cast<char>(random_());  // nothing to compress
      ++number_;
      batch.put("mb/" + std::to_string(number_ % 1000) + "/" + std::to_string(number_), value);
    }
    const auto queued =
        store_.commit(std::move(batch), [this, begin](const storage::Result<>& durable) {
          const bool more = durable && Clock::now() < end_;
          {
            const std::lock_guard lock(mutex_);
            latencies_.push_back(seconds_since(begin) * 1e6);
            gap_ = std::max(gap_, seconds_since(latest_) * 1e3);
            latest_ = Clock::now();
            if (durable) ++committed_;
            if (!durable) error_ = durable.error().to_string();
          }
          more ? next() : leave();
        });
    if (!queued) {
      {
        const std::lock_guard lock(mutex_);
        error_ = queued.error().to_string();
      }
      leave();
    }
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) ended_.notify_all();
  }

  Store& store_;
  std::mutex mutex_;
  std::condition_variable ended_;
  Clock::time_point end_;
  double seconds_ = 1;
  Clock::time_point latest_;
  double gap_ = 0;  // ms
  int left_;
  const std::size_t record_;
  std::uint64_t number_ = 0;
  std::uint64_t committed_ = 0;
  std::vector<double> latencies_;
  std::string error_;
  std::minstd_rand random_{1};
};

Result<Metrics> run_commits(const Options& options, int outstanding) {
  const TemporaryFolder folder(options.folder, false);
  if (folder.path().empty()) return fail("cannot make a folder in " + options.folder);
  auto store = storage::open_store({.folder = folder.path() + "/store"});
  if (!store) return fail(store.error().to_string());
  Load load(**store, outstanding, options.record);
  load.run(options.seconds);
  if (!load.error().empty()) return fail(load.error());
  const storage::Report report = (*store)->report();
  (*store)->close();
  return Metrics{{"commits", load.per_second()},
                 {"latency", load.latency_p50()},
                 {"batches", static_cast<double>(report.committed) /
                                 static_cast<double>(std::max<std::uint64_t>(report.groups, 1))},
                 {"gap", load.longest_gap()}};
}

// An append of one record and its fdatasync: the floor of a durable commit.
Result<Metrics> run_fsync(const Options& options) {
  const TemporaryFolder folder(options.folder, false);
  const auto times = measure_fsync(folder.path(), options.record, kFsyncs);
  if (!times) return times.error();
  return Metrics{{"p50", static_cast<double>(times->percentile(50)) / 1000}};
}

std::vector<SuiteCase> cases_of(const Options& options) {
  std::vector<SuiteCase> cases;
  cases.push_back({.name = "fsync",
                   .about = "an append of one record, and its fdatasync",
                   .peers = {"starbus"},
                   .run = [&options](const std::string&, int) { return run_fsync(options); },
                   .rows = {{"fsync.p50", "us", {"fsync", "p50"}}}});
  for (const int outstanding : options.outstanding) {
    const std::string number = std::to_string(outstanding);
    const std::string name = "commits." + number;
    cases.push_back(
        {.name = name,
         .about = "durable commits, so many outstanding",
         .peers = {"starbus"},
         .run = [&options, outstanding](const std::string&,
                                        int) { return run_commits(options, outstanding); },
         .rows = {{name, "1/s", {name, "commits"}},
                  {"latency.p50." + number, "us", {name, "latency"}},
                  {"batches_per_group." + number, "", {name, "batches"}},
                  {"gap.longest." + number, "ms", {name, "gap"}}}});
  }
  return cases;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures durable commits per second of one record each, the longest time in which none\n"
      "became durable, and the median of an fsync of the same disk. As seven processes that post\n"
      "messages of 4 KiB: --record 4096 --outstanding 1792 --seconds 30 --reps 1"};
  SuiteOptions suite;
  suite.repetitions = 3;
  suite.seconds = 3;
  Options options;
  add_suite_options(app, suite, "One repetition of half a second: does it work?");
  add_seconds_option(app, suite);
  app.add_option("--folder", options.folder, "On the disk to measure")->capture_default_str();
  app.add_option("--record", options.record, "Bytes of a record")->capture_default_str();
  app.add_option("--outstanding", options.outstanding, "Commits in flight")
      ->delimiter(',')
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const auto type = file_system_of(options.folder); !type) {
    std::cerr << "bench_storage: " << type.error().what << "\n";
    return kWrongOption;
  }
  make_quick(app, suite, "--reps", suite.repetitions, 1);
  make_quick(app, suite, "--seconds", suite.seconds, 0.5);
  options.seconds = suite.seconds;
  return run_suite(suite, cases_of(options), Report("storage", {{"starbus"}, "starbus"}));
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
