// bench_storage: durable commits per second of one record each, of 256 bytes unless told otherwise,
// with 1, 64 and 4096 of them outstanding, and the longest time in which none became durable,
// beside what one fsync of this disk takes. Needs a real disk: on a tmpfs an
// fsync is nothing.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "storage/store.hpp"

namespace starbus::bench {
namespace {

using Clock = std::chrono::steady_clock;
using storage::Batch;
using storage::Result;
using storage::Store;

struct Options {
  std::string folder = "/var/tmp";
  int repetitions = 3;
  double seconds = 3;
  std::size_t record = 256;
  std::vector<int> outstanding = {1, 64, 4096};
  std::string json_path;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

bool is_in_memory(const std::string& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return false;
  return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

// Microseconds that an append of one record and its fdatasync take: the floor of a durable commit.
double fsync_p50(const std::string& folder, std::size_t record_size) {
  const std::string path = folder + "/fsync";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  const std::string record(record_size, 'f');
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) {
    const auto begin = Clock::now();
    if (::write(file, record.data(), record.size()) < 0 || ::fdatasync(file) != 0) break;
    times.push_back(seconds_since(begin) * 1e6);
  }
  ::close(file);
  ::unlink(path.c_str());
  return median(times);
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
  double latency_p50() { return median(std::move(latencies_)); }
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
    const auto queued = store_.commit(std::move(batch), [this, begin](const Result<>& durable) {
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

int run(const Options& options) {
  std::string folder = options.folder + "/starbus-storage-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::perror(options.folder.c_str());
    return 1;
  }
  std::vector<std::pair<std::string, double>> figures;
  const auto add = [&](const std::string& name, const std::vector<double>& values,
                       const char* unit) {
    figures.emplace_back("storage." + name + ".starbus", median(values));
    std::printf("%-24s %10.0f%s\n", name.c_str(), median(values), unit);
  };
  int code = 0;
  std::vector<double> fsyncs;
  for (int i = 0; i < options.repetitions; ++i) {
    fsyncs.push_back(fsync_p50(folder, options.record));
  }
  add("fsync.p50", fsyncs, " us");
  for (const int outstanding : options.outstanding) {
    std::vector<double> rates;
    std::vector<double> latencies;
    std::vector<double> per_sync;
    std::vector<double> gaps;
    for (int i = 0; i < options.repetitions && code == 0; ++i) {
      const std::string path = folder + "/store";
      auto store = storage::open_store({.folder = path});
      if (!store) {
        std::fprintf(stderr, "FAILED: %s\n", store.error().to_string().c_str());
        code = 1;
        break;
      }
      Load load(**store, outstanding, options.record);
      load.run(options.seconds);
      if (!load.error().empty()) {
        std::fprintf(stderr, "FAILED: %s\n", load.error().c_str());
        code = 1;
      }
      const storage::Report report = (*store)->report();
      rates.push_back(load.per_second());
      latencies.push_back(load.latency_p50());
      gaps.push_back(load.longest_gap());
      per_sync.push_back(static_cast<double>(report.committed) /
                         static_cast<double>(std::max<std::uint64_t>(report.groups, 1)));
      (*store)->close();
      std::filesystem::remove_all(path);
    }
    const std::string name = std::to_string(outstanding);
    add("commits." + name, rates, " /s");
    add("latency.p50." + name, latencies, " us");
    add("batches_per_group." + name, per_sync, "");
    add("gap.longest." + name, gaps, " ms");
  }
  std::filesystem::remove_all(folder);
  if (options.json_path.empty() || code != 0) return code;
  std::ofstream json(options.json_path);
  json << "{";
  for (std::size_t i = 0; i < figures.size(); ++i) {
    json << (i == 0 ? "\n" : ",\n") << "  \"" << figures[i].first << "\": " << figures[i].second;
  }
  json << "\n}\n";
  return json ? 0 : 1;
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  CLI::App app{
      "Measures durable commits per second of one record each, the longest time in which none\n"
      "became durable, and the median of an fsync of the same disk. As seven processes that post\n"
      "messages of 4 KiB: --record 4096 --outstanding 1792 --seconds 30 --reps 1"};
  starbus::bench::Options options;
  bool quick = false;
  app.add_option("--folder", options.folder, "On the disk to measure")->capture_default_str();
  app.add_option("--reps", options.repetitions, "Repetitions")->capture_default_str();
  app.add_option("--record", options.record, "Bytes of a record")->capture_default_str();
  app.add_option("--outstanding", options.outstanding, "Commits in flight")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Measured time of one run")->capture_default_str();
  app.add_flag("--quick", quick, "One repetition of half a second: does it work?");
  app.add_option("--json", options.json_path,
                 "Also write the medians there, as flat keys storage.METRIC.PEER")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  if (starbus::bench::is_in_memory(options.folder)) {
    std::fprintf(stderr,
                 "bench_storage: %s is in memory, where an fsync is nothing: give --folder\n",
                 options.folder.c_str());
    return 2;
  }
  if (quick) {
    options.repetitions = 1;
    options.seconds = 0.5;
  }
  return starbus::bench::run(options);
}
