// bench_timers: what timers cost with 1,000,000 of them pending, beside a std::multimap and a
// binary heap with the same load in the same run. Medians over batches of 1,000 calls; of passes,
// the longest of all repetitions, in time that the thread ran.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::bench {
namespace {

using entity::Time;
using entity::TimerId;
using entity::TimerOwner;
using entity::TimerWheel;
using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 1000;
constexpr std::size_t kPerOwner = 10;  // timers of an entity

/// Delays of game code: most of seconds, some of hours, a few of weeks.
Time random_delay(std::mt19937_64& random) {
  const auto shape = random() % 100;
  const std::uint64_t limit = shape < 80 ? 60'000 : shape < 95 ? 7'200'000 : 2'600'000'000;
  return static_cast<std::int64_t>(10'000 + random() % limit) * 1ms;
}

/// Each peer has the same words: set, cancel by handle, fire what is due.
class Wheel {
 public:
  static constexpr const char* kName = "starbus";
  explicit Wheel(std::size_t timers) : owners_(timers / kPerOwner + 1) {}

  TimerId set(Time due, std::size_t number) {
    return *wheel_.at(owners_[number / kPerOwner], due, [this] { ++fired_; });
  }
  void cancel(TimerId id) { wheel_.cancel(id); }
  /// An entity that sets a timer is running, and its owner is a member of it: at hand.
  void enter(std::size_t number) const { __builtin_prefetch(&owners_[number / kPerOwner], 1); }
  bool pass(Time now) { return wheel_.advance(now).more; }
  std::size_t fired() const { return fired_; }

 private:
  TimerWheel wheel_;
  std::size_t fired_ = 0;
  std::vector<TimerOwner> owners_;
};

class Multimap {
 public:
  static constexpr const char* kName = "multimap";
  using Timers = std::multimap<Time, std::function<void()>>;
  explicit Multimap(std::size_t) {}

  Timers::iterator set(Time due, std::size_t) {
    return timers_.emplace(due, [this] { ++fired_; });
  }
  void cancel(Timers::iterator at) { timers_.erase(at); }
  void enter(std::size_t) const {}
  bool pass(Time now) {
    while (!timers_.empty() && timers_.begin()->first <= now) {
      const auto callback = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      callback();
    }
    return false;
  }
  std::size_t fired() const { return fired_; }

 private:
  Timers timers_;
  std::size_t fired_ = 0;
};

/// Cancels as heaps do: remembers the number, and drops it when it comes up.
class Heap {
 public:
  static constexpr const char* kName = "heap";
  explicit Heap(std::size_t) {}

  std::uint64_t set(Time due, std::size_t) {
    heap_.push({due, ++next_, [this] { ++fired_; }});
    return next_;
  }
  void cancel(std::uint64_t number) { cancelled_.insert(number); }
  void enter(std::size_t) const {}
  bool pass(Time now) {
    while (!heap_.empty() && heap_.top().due <= now) {
      const Timer timer = heap_.top();
      heap_.pop();
      if (cancelled_.erase(timer.number) == 0) timer.callback();
    }
    return false;
  }
  std::size_t fired() const { return fired_; }

 private:
  struct Timer {
    Time due;
    std::uint64_t number;
    std::function<void()> callback;
    bool operator<(const Timer& other) const {
      return std::pair(other.due, other.number) < std::pair(due, number);
    }
  };
  std::priority_queue<Timer> heap_;
  std::unordered_set<std::uint64_t> cancelled_;
  std::uint64_t next_ = 0;
  std::size_t fired_ = 0;
};

class Figures {
 public:
  void add(const std::string& metric, const std::string& peer, double value, const char* unit) {
    rows_.emplace_back("timers." + metric + "." + peer, value);
    std::printf("%-22s %-10s %12.1f %s\n", metric.c_str(), peer.c_str(), value, unit);
    std::fflush(stdout);
  }
  bool write(const std::string& path) const {
    std::ofstream json(path);
    json << "{";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      json << (i == 0 ? "\n" : ",\n") << "  \"" << rows_[i].first << "\": " << rows_[i].second;
    }
    json << "\n}\n";
    return bool(json);
  }

 private:
  std::vector<std::pair<std::string, double>> rows_;
};

/// So that nobody else on this core is counted.
Time thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Milliseconds of the longest pass and of the longest but one in a thousand, and nanoseconds per
/// timer of all of them.
struct Passes {
  double longest = 0;
  double p999 = 0;
  double per_timer = 0;
};
template <class Peer>
Passes run_passes(Peer& peer, Time from, Time to, Time step) {
  std::vector<double> taken;
  Time all{};
  const std::size_t before = peer.fired();
  for (Time now = from; now <= to; now += step) {
    for (bool more = true; more;) {
      const Time begin = thread_time();
      more = peer.pass(now);
      const Time pass = thread_time() - begin;
      taken.push_back(static_cast<double>(pass.count()) / 1e6);
      all += pass;
    }
  }
  const auto fired = static_cast<double>(std::max<std::size_t>(peer.fired() - before, 1));
  std::sort(taken.begin(), taken.end());
  return {taken.back(), taken[taken.size() - 1 - taken.size() / 1000],
          static_cast<double>(all.count()) / fired};
}

/// A peer with `count` timers pending, and what it takes to set, cancel and fire them.
template <class Peer>
class Run {
 public:
  Run(std::size_t count, std::uint64_t seed) : random_(seed), due_(count) {
    for (Time& time : due_) time = random_delay(random_);
  }

  /// Timers are set and cancelled beside all others, a thousand at a time, at random.
  void replace() {
    Peer peer(due_.size());
    using Handle = decltype(peer.set(Time{}, 0));
    std::vector<Handle> handles;
    handles.reserve(due_.size());
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < due_.size(); ++i) handles.push_back(peer.set(due_[i], i));
    fill = static_cast<double>((Clock::now() - begin).count()) / static_cast<double>(due_.size());
    std::vector<std::size_t> batch(kBatch);
    for (std::size_t round = 0; round < due_.size() / kBatch; ++round) {
      for (std::size_t& i : batch) i = random_() % due_.size();
      std::sort(batch.begin(), batch.end());
      batch.erase(std::unique(batch.begin(), batch.end()), batch.end());
      std::shuffle(batch.begin(), batch.end(), random_);
      // Whoever calls has handle and time at hand; whoever sets one also the object that it is for.
      std::vector<std::pair<Handle, Time>> calls;
      for (const std::size_t i : batch) calls.emplace_back(handles[i], due_[i]);
      cancel.push_back(per_call(batch, [&](std::size_t at) { peer.cancel(calls[at].first); }));
      for (const std::size_t i : batch) peer.enter(i);
      insert.push_back(per_call(
          batch, [&](std::size_t at) { calls[at].first = peer.set(calls[at].second, batch[at]); }));
      for (std::size_t at = 0; at < batch.size(); ++at) handles[batch[at]] = calls[at].first;
      // The life of a deadline: most are cancelled soon, because the answer came.
      recent.push_back(per_call(
          batch, [&](std::size_t at) { peer.cancel(peer.set(calls[at].second, batch[at])); }));
    }
  }
  /// A minute of passes, one per millisecond.
  void pass() {
    Peer peer(due_.size());
    for (std::size_t i = 0; i < due_.size(); ++i) peer.set(due_[i], i);
    minute = run_passes(peer, 10s, 70s, 1ms);
  }
  void all_at_once() {
    Peer peer(due_.size());
    for (std::size_t i = 0; i < due_.size(); ++i) peer.set(1h, i);
    at_once = run_passes(peer, 1h, 1h, 1ms);
  }

  double fill = 0;  // nanoseconds per timer, with the memory that it needs
  std::vector<double> insert, cancel, recent;
  Passes minute, at_once;

 private:
  template <class One>
  static double per_call(const std::vector<std::size_t>& batch, One&& one) {
    const auto begin = Clock::now();
    for (std::size_t at = 0; at < batch.size(); ++at) one(at);
    return static_cast<double>((Clock::now() - begin).count()) / static_cast<double>(batch.size());
  }

  std::mt19937_64 random_;
  std::vector<Time> due_;
};

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// The floor of whatever finds one of so many timers: a write to its memory, at random.
void measure_memory(std::size_t count, Figures& figures) {
  struct alignas(64) Record {
    std::uint64_t words[16];
  };
  std::vector<Record> records(count);
  std::mt19937_64 random(1);
  std::vector<double> times;
  std::vector<std::size_t> batch(kBatch);
  for (std::size_t round = 0; round < count / kBatch; ++round) {
    for (std::size_t& i : batch) i = random() % count;
    const auto begin = Clock::now();
    for (const std::size_t i : batch) ++records[i].words[0];
    const Time taken = Clock::now() - begin;
    times.push_back(static_cast<double>(taken.count()) / kBatch);
  }
  figures.add("touch.p50", "memory", at_share(times, 0.5), "ns");
}

template <class Peer>
void measure(std::size_t count, std::size_t repetitions, Figures& figures) {
  std::vector<double> fill, insert, cancel, recent, minute, minute_longest, at_once,
      at_once_longest, p999;
  for (std::size_t i = 0; i < repetitions; ++i) {
    Run<Peer> run(count, i);
    run.replace();
    run.pass();
    run.all_at_once();
    fill.push_back(run.fill);
    insert.insert(insert.end(), run.insert.begin(), run.insert.end());
    cancel.insert(cancel.end(), run.cancel.begin(), run.cancel.end());
    recent.insert(recent.end(), run.recent.begin(), run.recent.end());
    minute.push_back(run.minute.per_timer);
    minute_longest.push_back(run.minute.longest);
    at_once.push_back(run.at_once.per_timer);
    at_once_longest.push_back(run.at_once.longest);
    p999.push_back(run.at_once.p999);
  }
  const auto add = [&](const char* metric, const std::vector<double>& values, double share,
                       const char* unit) {
    figures.add(metric, Peer::kName, at_share(values, share), unit);
  };
  add("insert.p50", insert, 0.5, "ns");
  add("insert.p99", insert, 0.99, "ns");
  add("cancel.p50", cancel, 0.5, "ns");
  add("cancel.p99", cancel, 0.99, "ns");
  add("insert_and_cancel.p50", recent, 0.5, "ns");
  add("fill", fill, 0.5, "ns");
  add("advance", minute, 0.5, "ns");
  add("advance.longest", minute_longest, 1, "ms");
  add("at_once", at_once, 0.5, "ns");
  add("at_once.p999", p999, 0.5, "ms");
  add("at_once.longest", at_once_longest, 1, "ms");
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  CLI::App app{
      "Measures timers with a million of them pending: setting, cancelling, firing, and the "
      "longest\n"
      "pass, beside a std::multimap and a binary heap."};
  std::size_t count = 1'000'000;
  std::size_t repetitions = 3;
  bool quick = false;
  std::string json_path;
  app.add_option("--timers", count, "Timers that are pending")->capture_default_str();
  app.add_option("--reps", repetitions, "Repetitions")->capture_default_str();
  app.add_flag("--quick", quick, "20,000 timers: does it work?");
  app.add_option("--json", json_path,
                 "Also write the figures there, as flat keys timers.METRIC.PEER")
      ->type_name("FILE");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    count = 20'000;
    repetitions = 1;
  }
  starbus::bench::Figures figures;
  starbus::bench::measure_memory(count, figures);
  starbus::bench::measure<starbus::bench::Wheel>(count, repetitions, figures);
  starbus::bench::measure<starbus::bench::Multimap>(count, repetitions, figures);
  starbus::bench::measure<starbus::bench::Heap>(count, repetitions, figures);
  return json_path.empty() || figures.write(json_path) ? 0 : 1;
}
