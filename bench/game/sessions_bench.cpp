// What a session costs at a gate without its sockets and its bus: the heap of one that is idle, and
// an echo: a request goes to its subject, whose reply goes out as a packet. `bytes` and
// `allocations` are exact, whatever else the machine does.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "bench/game/counted_heap.hpp"
#include "bench/game/micro.hpp"
#include "entity/client/link.hpp"
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::bench {
namespace {

namespace sessions = entity::sessions;
using namespace nodes::gate;
using namespace nodes::gate::fixture;

constexpr std::size_t kSessionsOfBench = 5'000;
constexpr std::size_t kTogether = 20;       // requests of one bundle of the bus
constexpr std::uint64_t kAcknowledged = 3;  // packets of one acknowledgement
constexpr std::size_t kBodyBytes = 64;

std::string subject_of(std::size_t i) {
  return "player/b:bot" + std::to_string(i) + ".1";
}

/// A gate whose sessions are played, and have seen their full state.
class Played {
 public:
  explicit Played(std::size_t count) : rows_(count) {
    const std::int64_t before = heap().bytes;
    for (std::size_t i = 0; i < count; ++i) {
      rows_[i].id = gate_.log_in(i + 1, subject_of(i)).session;
      gate_.core.frame(i + 1, Confirm{});
      gate_.core.frame(i + 1, Ack{1});
      gate_.core.take(effects_);
    }
    bytes_ = static_cast<double>(heap().bytes - before) / static_cast<double>(count);
  }
  /// Of one session.
  double bytes() const { return bytes_; }

  /// Some clients ask, and are answered.
  void echo() {
    const std::size_t first = next_;
    next_ = (next_ + kTogether) % rows_.size();
    questions_.clear();
    for (std::size_t i = first; i < first + kTogether; ++i) {
      gate_.core.frame(i + 1, Ask{++rows_[i].u, kBind, body_});
      for (gate_.core.take(effects_); !effects_.empty(); gate_.core.take(effects_)) {
        for (const Effect& each : effects_) {
          questions_.push_back(std::get<TellSubject>(each).question);
        }
      }
    }
    reply(first);
  }

 private:
  struct Row {
    SessionId id{};
    std::uint64_t u = 0;
    std::uint64_t n = 1;
  };

  void reply(std::size_t first) {
    std::vector<sessions::Section> sections(kTogether);
    for (std::size_t i = 0; i < kTogether; ++i) {
      Row& row = rows_[first + i];
      sessions::Section& section = sections[i];
      section.handle = static_cast<std::uint32_t>(kSessionsOfBench + first + i + 1);
      if (row.n == 1) {
        section.introduces = Introduction{row.id, 1, kBind, kRun, subject_of(first + i)};
      }
      section.first = ++row.n;
      section.parts.push_back(
          {sessions::PartKind::reply, sessions::body_of(sessions::Reply{row.u, body_})});
    }
    bundle_.clear();
    sessions::encode_bundle(sections, bundle_);
    for (const std::uint64_t each : questions_) gate_.core.outcome(each, Outcome::ok, answer_);
    gate_.core.bundle(kHome, bundle_);
    gate_.core.take(effects_);
    if (effects_.size() != kTogether) std::abort();
    for (std::size_t i = first; i < first + kTogether; ++i) {
      if (rows_[i].n % kAcknowledged == 0) gate_.core.frame(i + 1, Ack{rows_[i].n});
    }
    // Tens of thousands a second, by this clock.
    if (first == 0) gate_.tick(GateTime(100));
    gate_.core.take(effects_);
  }

  Driven gate_{kOne};
  std::vector<Row> rows_;
  double bytes_ = 0;
  std::size_t next_ = 0;
  std::vector<std::uint64_t> questions_;
  std::vector<Effect> effects_;
  bus::Bytes bundle_;
  const bus::Bytes body_ = bus::Bytes(kBodyBytes);
  const bus::Bytes answer_ = bytes_of(sessions::Answer{});
};

void BM_IdleSession(benchmark::State& state) {
  double bytes = 0;
  for (auto _ : state) bytes = Played(kSessionsOfBench).bytes();
  state.counters["bytes"] = bytes;
}
BENCHMARK(BM_IdleSession)->Iterations(1);

void BM_IdleLink(benchmark::State& state) {
  double bytes = 0;
  for (auto _ : state) {
    const std::int64_t before = heap().bytes;
    const auto link = std::make_unique<sessions::ClientLink>(subject_of(1));
    bytes = static_cast<double>(heap().bytes - before);
  }
  state.counters["bytes"] = bytes;
}
BENCHMARK(BM_IdleLink)->Iterations(1);

/// An iteration is kTogether echoes.
void BM_Echo(benchmark::State& state) {
  Played played(kSessionsOfBench);
  for (std::size_t i = 0; i < kSessionsOfBench / kTogether; ++i) played.echo();
  const std::int64_t before = heap().allocations;
  for (auto _ : state) played.echo();
  const double echoes = static_cast<double>(state.iterations()) * double{kTogether};
  state.counters["allocations"] = static_cast<double>(heap().allocations - before) / echoes;
  state.counters["per_call"] =
      benchmark::Counter(double{kTogether}, benchmark::Counter::kIsIterationInvariantRate |
                                                benchmark::Counter::kInvert);
}
BENCHMARK(BM_Echo);

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::micro_main(argc, argv, "sessions",
                                    "Measures what a session costs at a gate, without its sockets "
                                    "and its bus: bytes of an idle one, an echo.");
}
