// bench_timers: what timers cost with 1,000,000 of them pending, beside a std::multimap and a
// binary heap with the same load in the same run. Medians over batches of 1,000 calls; passes are
// in time that the thread ran.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/harness/suite.hpp"
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

/// The floor of whatever finds one of so many timers: a write to its memory, at random.
Metrics measure_memory(std::size_t count) {
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
  return {{"touch", quantile(times, 0.5)}};
}

template <class Peer>
Metrics measure(std::size_t count, int seed) {
  Run<Peer> run(count, static_cast<std::uint64_t>(seed));
  run.replace();
  run.pass();
  run.all_at_once();
  return {{"insert.p50", quantile(run.insert, 0.5)},
          {"insert.p99", quantile(run.insert, 0.99)},
          {"cancel.p50", quantile(run.cancel, 0.5)},
          {"cancel.p99", quantile(run.cancel, 0.99)},
          {"insert_and_cancel.p50", quantile(run.recent, 0.5)},
          {"fill", run.fill},
          {"advance", run.minute.per_timer},
          {"advance.longest", run.minute.longest},
          {"at_once", run.at_once.per_timer},
          {"at_once.p999", run.at_once.p999},
          {"at_once.longest", run.at_once.longest}};
}

constexpr const char* kMemory = "memory";

SuiteCase timers(const std::size_t& count) {
  const std::string name = "timers";
  SuiteCase one{.name = name,
                .about = "set, cancelled and fired",
                .peers = {Wheel::kName, Multimap::kName, Heap::kName}};
  one.run = [&count](const std::string& peer, int repetition) -> Result<Metrics> {
    if (peer == Wheel::kName) return measure<Wheel>(count, repetition);
    if (peer == Multimap::kName) return measure<Multimap>(count, repetition);
    return measure<Heap>(count, repetition);
  };
  for (const char* metric : {"insert.p50", "insert.p99", "cancel.p50", "cancel.p99",
                             "insert_and_cancel.p50", "fill", "advance"}) {
    one.rows.push_back({metric, "ns", {name, metric}});
  }
  one.rows.push_back({"advance.longest", "ms", {name, "advance.longest"}});
  one.rows.push_back({"at_once", "ns", {name, "at_once"}});
  one.rows.push_back({"at_once.p999", "ms", {name, "at_once.p999"}});
  one.rows.push_back({"at_once.longest", "ms", {name, "at_once.longest"}});
  return one;
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "Measures timers with a million of them pending: setting, cancelling, firing, and the "
      "longest\n"
      "pass, beside a std::multimap and a binary heap."};
  SuiteOptions options;
  options.repetitions = 3;
  std::size_t count = 1'000'000;
  add_suite_options(app, options, "20,000 timers: does it work?");
  app.add_option("--timers", count, "Timers that are pending")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  make_quick(app, options, "--reps", options.repetitions, 1);
  make_quick(app, options, "--timers", count, 20'000);
  const SuiteCase touch{
      .name = "touch",
      .about = "a write to the memory of one of so many, at random",
      .peers = {kMemory},
      .run = [&](const std::string&, int) -> Result<Metrics> { return measure_memory(count); },
      .rows = {{"touch.p50", "ns", {"touch", "touch"}}}};
  Subjects subjects{{Wheel::kName, Multimap::kName, Heap::kName, kMemory},
                    Wheel::kName,
                    {Multimap::kName, Heap::kName}};
  return run_suite(options, {touch, timers(count)}, Report("timers", std::move(subjects)));
}

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::main_of(argc, argv);
}
