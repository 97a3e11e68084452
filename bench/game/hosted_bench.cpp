// What an entity costs in a node: 100,000 entities of 20 fields of an EntityHost, each published
// under a name, saved by the policy of an interval, watched by three audiences and with the history
// of 30 ticks. The bars: at most 2.0 KiB for each, all that the node holds for it included (names,
// the bus' part of them, the list of what is unsaved); a write of a saved field that nobody watches
// under 6 ns there. busd and busroot are a process of their own, and their memory does not count.
#include <benchmark/benchmark.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "bench/game/micro.hpp"
#include "bench/game/player.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"
#include "bench/harness/process.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"

namespace starbus::bench {
namespace {

using namespace std::chrono_literals;
using nodes::entities::EntityHost;
using nodes::entities::HostOptions;

constexpr std::size_t kEntities = 100'000;
constexpr std::size_t kAsked = 4'096;  // names at a time
constexpr int kTicks = 30;
constexpr std::uint64_t kAudiences = 3;
constexpr auto kPatience = 120s;  // for one step with all of them
constexpr const char* kClusterRole = "cluster";

/// The other process: prints the endpoint of its busd, and serves until SIGTERM.
int run_cluster() {
  boost::asio::io_context loop;
  boost::asio::signal_set ends(loop, SIGTERM);
  ends.async_wait([&loop](const boost::system::error_code&, int) { loop.stop(); });
  const testing::Cluster cluster(loop, {});
  std::cout << cluster.node("a", "bench").endpoint << std::endl;
  loop.run();
  return 0;
}

class ClusterProcess {
 public:
  ClusterProcess() {
    const auto process = group_.spawn(kClusterRole, {own_executable(), kClusterRole});
    if (!process) return;
    process_ = *process;
    if (const auto line = process_->read_line(now_ns() + 10 * kSecond)) endpoint_ = *line;
  }
  ~ClusterProcess() {
    if (process_ == nullptr) return;
    process_->terminate();  // it takes its folder along
    static_cast<void>(process_->wait(now_ns() + 10 * kSecond));
  }
  ClusterProcess(const ClusterProcess&) = delete;
  ClusterProcess& operator=(const ClusterProcess&) = delete;
  /// Empty: it does not run.
  const std::string& endpoint() const { return endpoint_; }

 private:
  TemporaryFolder folder_{temporary_parent(), false};
  ProcessGroup group_{folder_.path()};
  Process* process_ = nullptr;
  std::string endpoint_;
};

class Citizen final : public entity::EntityOf<Citizen> {
 public:
  static constexpr std::string_view kTypeName = "citizen";
  explicit Citizen(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  Player state;

 private:
  ~Citizen() override = default;
};

struct Sink final : nodes::entities::AudienceSink {
  void news(const entity::Entity&, Audience, bus::ByteView) override {}
};

class Node {
 public:
  explicit Node(const std::string& endpoint)
      : bus_(loop_, {.node = "bench", .endpoint = endpoint}),
        host_(rpc_, main_.timers(), "bench", options()) {
    host_.declare<Citizen>();
  }

  /// False: it has taken too long, as all of these.
  bool connect() {
    bool ready = false;
    bus_.connect([&](const bus::Result<>& connected) {
      if (connected) rpc_.ready([&](const bus::Result<>& known) { ready = known.has_value(); });
    });
    return run_until([&] { return ready; });
  }
  bool make(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto made = host_.entities().create<Citizen>();
      if (!made) return false;
    }
    return true;
  }
  bool publish_all() {
    std::size_t asked = 0;
    std::size_t named = 0;
    bool whole = true;
    for_each([&](Citizen& citizen) {
      ++asked;
      host_.publish(citizen, "citizen/" + std::to_string(asked), [&](const bus::Result<>& bound) {
        whole = whole && bound;
        ++named;
      });
      whole = whole && run_until([&] { return asked - named < kAsked; });
    });
    return run_until([&] { return named == asked; }) && whole;
  }
  bool watch_all() {
    bool whole = true;
    for_each([&](Citizen& citizen) {
      for (const Audience audience :
           {Audience::ghost, Audience::other_clients, Audience::own_client}) {
        whole = whole && host_.watch(citizen, audience);
      }
    });
    return whole;
  }
  /// Four changes of each, and a tick that tells all of them.
  bool live_for(int ticks) {
    for (int tick = 1; tick <= ticks; ++tick) {
      for_each([tick](Citizen& citizen) {
        citizen.state.health = tick;
        citizen.state.gold = tick;
        citizen.state.mood = 2 * tick;
        citizen.state.stats->strength = tick;
      });
      const std::uint64_t all = host_.told().told + kAudiences * host_.entities().size();
      host_.tick();
      if (!run_until([&] { return host_.told().told >= all; })) return false;
    }
    return true;
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    host_.entities().for_each<Citizen>(visit);
  }
  template <class Condition>
  bool run_until(const Condition& holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      loop_.run_one_for(100ms);
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }
  EntityHost& host() { return host_; }

 private:
  HostOptions options() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn_};
    };
    made.save = [](const nodes::entities::SavedEntity&, const nodes::Done& done) { done({}); };
    made.sink = &sink_;
    made.tick = 0ms;  // when this says so
    return made;
  }
  std::uint64_t drawn_ = 0;
  Sink sink_;
  boost::asio::io_context loop_;
  bus::Bus bus_;
  entity::rpc::Endpoint rpc_{bus_};
  nodes::MainLoop main_{loop_};
  EntityHost host_;
};

// Bytes of the heap for one entity; and of these, what it takes by itself, and with its name.
void BM_Hosted_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const ClusterProcess cluster;
    Node node(cluster.endpoint());
    if (!node.connect()) return state.SkipWithError("no cluster");
    const std::size_t before = allocated();
    const auto per_entity = [before] {
      return static_cast<double>(allocated() - before) / static_cast<double>(kEntities);
    };
    if (!node.make(kEntities)) return state.SkipWithError("not made");
    state.counters["made"] = per_entity();
    if (!node.publish_all()) return state.SkipWithError("not published");
    state.counters["named"] = per_entity();
    if (!node.watch_all()) return state.SkipWithError("not watched");
    if (!node.live_for(kTicks)) return state.SkipWithError("changes were not told");
    state.counters["bytes/entity"] = per_entity();
    state.counters["unsaved"] = static_cast<double>(node.host().unsaved());
    state.counters["object"] = sizeof(Citizen);
  }
}
BENCHMARK(BM_Hosted_Memory)->Iterations(1)->Unit(benchmark::kMillisecond);

// As above, of one entity that nobody watches among a thousand that are: ten writes a second, and a
// save a minute, each of which the host marks.
void BM_Hosted_Write_Saved_NobodyWatches(benchmark::State& state) {
  const ClusterProcess cluster;
  Node node(cluster.endpoint());
  const bool lives = node.connect() && node.make(1'000) && node.publish_all() && node.watch_all() &&
                     node.live_for(1);
  if (!lives) return state.SkipWithError("no cluster");
  Citizen& one = *node.host().entities().create<Citizen>().value();
  bool named = false;
  node.host().publish(one, "citizen/one", [&](const bus::Result<>& bound) { named = !!bound; });
  if (!node.run_until([&] { return named; })) return state.SkipWithError("not published");
  write_loop(state, one.state, [](Player& p, int value) {
    if (value % 600 == 0) p.await_unsaved();
    p.gold = value;
  });
  if (node.host().unsaved() == 0) state.SkipWithError("it was not marked");
}
BENCHMARK(BM_Hosted_Write_Saved_NobodyWatches);

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  using namespace starbus::bench;
  if (argc == 2 && std::string_view(argv[1]) == kClusterRole) return run_cluster();
  return micro_main(argc, argv, "hosted",
                    "Measures entities in a node, with a cluster as a process of its own.");
}
