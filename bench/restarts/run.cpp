#include "bench/restarts/run.hpp"

#include <algorithm>
#include <random>

#include "base/histogram.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bench/restarts/daemon.hpp"
#include "bench/restarts/streams.hpp"

namespace starbus::bench::restarts {
namespace {

class Pause {
 public:
  Pause(double shortest_ms, unsigned seed) : shortest_ms_(shortest_ms), random_(seed) {}

  // Half of it on top, at most: replacements must not keep step with anything periodic.
  void sleep() {
    const double ms = shortest_ms_ * std::uniform_real_distribution<>(1, 1.5)(random_);
    sleep_until_ns(now_ns() + static_cast<std::int64_t>(ms * kMillisecond));
  }

 private:
  double shortest_ms_;
  std::minstd_rand random_;
};

Result<std::int64_t> longest_silence(Streams& streams, const Case& which) {
  const auto silences = streams.silences();
  if (!silences) return silences.error();
  std::int64_t longest = 0;
  for (const Streams::Silence& one : *silences) {
    if (which.concerns(one.owner)) longest = std::max(longest, one.ns);
  }
  return longest;
}

// One event. The pause begins when all streams are heard again, so that no silence is counted for
// two replacements, and every daemon is replaced while it works.
Result<std::int64_t> replace_once(Daemon& daemon, Streams& streams, const Case& which,
                                  Pause& pause) {
  if (const auto replaced = daemon.replace(which.way); !replaced) return replaced.error();
  const auto first = longest_silence(streams, which);
  if (!first) return first;
  pause.sleep();
  const auto later = longest_silence(streams, which);
  if (!later) return later;
  if (!daemon.runs()) return fail("the new daemon has ended");
  return std::max(*first, *later);
}

std::string complaint(const Streams::Ledger& ledger) {
  return std::to_string(ledger.received) + " of " + std::to_string(ledger.sent) + " received, " +
         std::to_string(ledger.misplaced) + " of them doubled or out of order";
}

Result<Metrics> measure(const Case& which, Peer& peer, const Options& options, unsigned seed,
                        const std::string& directory, ProcessGroup& processes) {
  Plan plan;
  plan.directory = directory;
  plan.processes = Streams::planned(options.channels);
  if (const auto up = peer.start_cluster(plan, processes); !up) return up.error();
  auto streams = Streams::start(plan, peer, options, processes);
  if (!streams) return streams.error();
  Daemon daemon(processes, peer.daemon(which.host));
  Pause pause(options.pause_ms, seed);
  // What the start has left does not belong to the first event.
  pause.sleep();
  if (const auto begin = streams->silences(); !begin) return begin.error();
  Histogram events;
  for (int event = 1; event <= options.replacements; ++event) {
    const auto silence = replace_once(daemon, *streams, which, pause);
    if (!silence) {
      return fail("replacement " + std::to_string(event) + ": " + silence.error().what);
    }
    events.record(*silence);
  }
  const auto ledger = streams->stop();
  if (!ledger) return ledger.error();
  const bool exact = ledger->received == ledger->sent && ledger->misplaced == 0;
  if (peer.is_exact() && !exact) return fail(complaint(*ledger));
  // Without exactness some may have come twice; then this is what is missing at least.
  const std::uint64_t lost = ledger->sent - std::min(ledger->sent, ledger->received);
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) / kMillisecond; };
  return Metrics{{"silence.p50", ms(events.percentile(50))},
                 {"silence.p90", ms(events.percentile(90))},
                 {"silence.p99", ms(events.percentile(99))},
                 {"silence.max", ms(events.max())},
                 {"lost", static_cast<double>(lost) / options.replacements}};
}

}  // namespace

Result<Metrics> run_case(const Case& which, Peer& peer, const Options& options, unsigned seed) {
  const TemporaryFolder folder(temporary_parent(), options.keep);
  if (folder.path().empty()) return fail("cannot make a temporary folder");
  ProcessGroup processes(folder.path());
  Result<Metrics> metrics = measure(which, peer, options, seed, folder.path(), processes);
  if (!metrics && !interrupted()) return fail(metrics.error().what + processes.log_tail());
  return metrics;
}

}  // namespace starbus::bench::restarts
