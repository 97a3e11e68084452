// What a call within a process costs, and its parts, beside floors measured in the same run: a
// virtual call, a std::function. The bar: 150 ns or less for a call of an entity of this process.
// Rows with "Entity": an entity as users have them, of an EntityHost, published and found by its
// channel. Each iteration of a local row sends a batch and lets the loop run until all of it is
// handled; the time is that of one call.
#include <benchmark/benchmark.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "bench/game/micro.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"

namespace starbus::bench {
namespace {

namespace rpc = entity::rpc;
constexpr int kBatch = 512;

class Counter : public rpc::Callable<Counter> {
 public:
  void add(rpc::Caller&, int count) { sum += count; }
  int get(rpc::Caller&, int count) { return sum += count; }
  void say(rpc::Caller&, const std::string& text) { sum += static_cast<int>(text.size()); }
  int sum = 0;
  static constexpr auto kRpc =
      rpc::methods("counter", rpc::method<&Counter::add>("add"), rpc::method<&Counter::get>("get"),
                   rpc::method<&Counter::say>("say"));
};

class Citizen final : public entity::EntityOf<Citizen> {
 public:
  static constexpr std::string_view kTypeName = "citizen";
  explicit Citizen(const entity::ConstructKey& key) : EntityOf(key) {}
  void add(rpc::Caller&, int count) { sum += count; }
  int get(rpc::Caller&, int count) { return sum += count; }
  int sum = 0;
  static constexpr auto kRpc =
      rpc::methods("citizen", rpc::method<&Citizen::add>("add"), rpc::method<&Citizen::get>("get"));

 private:
  ~Citizen() override = default;
};

/// A message as the bus hands it over.
struct Arrived : bus::Message {
  explicit Arrived(bus::ByteView bytes) {
    channel_ = std::make_shared<const std::string>("entity/1");
    body_ = bytes;
  }
};

struct World {
  World()
      : cluster(loop, {}),
        bus(loop, cluster.node("a", "bench")),
        endpoint(bus),
        main(loop),
        host(endpoint, main.timers(), "bench", with_ids()) {
    host.declare<Citizen>();
    boost::asio::co_spawn(
        loop,
        [this]() -> boost::asio::awaitable<void> {
          (void)co_await bus.connect(boost::asio::use_awaitable);
          (void)co_await endpoint.bind("entity/1", counter, boost::asio::use_awaitable);
          (void)co_await rpc::call<&Counter::get>(endpoint, "entity/1", {}, 0);
          host.publish(*host.entities().create<Citizen>().value(), "citizen/1",
                       [](const bus::Result<>&) {});
          bool answers = false;
          while (!answers) {
            answers = (co_await rpc::call<&Citizen::get>(endpoint, "citizen/1", {}, 0)).has_value();
          }
          ready = true;
        },
        boost::asio::detached);
    while (!ready) loop.run_one();
  }
  static nodes::entities::HostOptions with_ids() {
    nodes::entities::HostOptions options;
    options.draw = [next = std::uint64_t{0}]() mutable {
      return entity::IdentityResult<entity::OnlineId>(entity::OnlineId{++next});
    };
    return options;
  }
  boost::asio::io_context loop;
  testing::Cluster cluster;
  bus::Bus bus;
  rpc::Endpoint endpoint;
  nodes::MainLoop main;
  nodes::entities::EntityHost host;
  Counter counter;
  bus::Name citizen = *bus::Name::of("citizen/1");
  bus::Name name = *bus::Name::of("entity/1");
  bool ready = false;
};
World& world() {
  static World one;
  return one;
}

struct Virtual {
  virtual ~Virtual() = default;
  virtual void add(int count) = 0;
};
struct Actual final : Virtual {
  void add(int count) override { sum += count; }
  int sum = 0;
};

void BM_Floor_VirtualCall(benchmark::State& state) {
  Actual actual;
  Virtual* object = &actual;
  for (auto _ : state) {
    benchmark::DoNotOptimize(object);
    object->add(1);
  }
}
BENCHMARK(BM_Floor_VirtualCall);

void BM_Floor_StdFunction(benchmark::State& state) {
  int sum = 0;
  std::function<void(int)> function = [&sum](int count) { sum += count; };
  for (auto _ : state) {
    benchmark::DoNotOptimize(function);
    function(1);
  }
}
BENCHMARK(BM_Floor_StdFunction);

template <class Send>
void local(benchmark::State& state, bool measured, const Send& one) {
  World& at = world();
  at.endpoint.work().measure(measured);
  for (auto _ : state) {
    const std::uint64_t before = at.endpoint.counters().local;
    for (int i = 0; i < kBatch; ++i) one(at);
    while (at.endpoint.counters().local < before + kBatch) at.loop.poll_one();
  }
  at.endpoint.work().measure(true);
  state.SetItemsProcessed(state.iterations() * kBatch);
  state.counters["per_call"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kBatch),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
void BM_LocalSend(benchmark::State& state) {
  local(state, true,
        [](World& at) { (void)rpc::send<&Counter::add>(at.endpoint, at.name, {}, 1); });
}
BENCHMARK(BM_LocalSend);
void BM_LocalSend_Unmeasured(benchmark::State& state) {
  local(state, false,
        [](World& at) { (void)rpc::send<&Counter::add>(at.endpoint, at.name, {}, 1); });
}
BENCHMARK(BM_LocalSend_Unmeasured);
void BM_LocalSend_ByText(benchmark::State& state) {
  local(state, true,
        [](World& at) { (void)rpc::send<&Counter::add>(at.endpoint, "entity/1", {}, 1); });
}
BENCHMARK(BM_LocalSend_ByText);
void BM_LocalCall_Callback(benchmark::State& state) {
  local(state, true, [](World& at) {
    rpc::call<&Counter::get>(at.endpoint, at.name, {}, 1)([](rpc::Reply<int>) {});
  });
}
BENCHMARK(BM_LocalCall_Callback);

void BM_EntitySend(benchmark::State& state) {
  local(state, true,
        [](World& at) { (void)rpc::send<&Citizen::add>(at.endpoint, at.citizen, {}, 1); });
}
BENCHMARK(BM_EntitySend);
void BM_EntitySend_Unmeasured(benchmark::State& state) {
  local(state, false,
        [](World& at) { (void)rpc::send<&Citizen::add>(at.endpoint, at.citizen, {}, 1); });
}
BENCHMARK(BM_EntitySend_Unmeasured);
void BM_EntityCall(benchmark::State& state) {
  local(state, true, [](World& at) {
    rpc::call<&Citizen::get>(at.endpoint, at.citizen, {}, 1)([](rpc::Reply<int>) {});
  });
}
BENCHMARK(BM_EntityCall);

/// Inside one Task that calls and awaits, one call at a time.
rpc::Task<> ask(World& at, int count, bool& done) {
  for (int i = 0; i < count; ++i) {
    (void)co_await rpc::call<&Counter::get>(at.endpoint, at.name, {}, 1);
  }
  done = true;
}
void BM_LocalCall_Awaited(benchmark::State& state) {
  World& at = world();
  for (auto _ : state) {
    bool done = false;
    (void)rpc::spawn(at.endpoint, at.counter, ask(at, kBatch, done));
    while (!done) at.loop.poll_one();
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
  state.counters["per_call"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kBatch),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_LocalCall_Awaited);

rpc::Task<> ask_citizen(World& at, int count, bool& done) {
  for (int i = 0; i < count; ++i) {
    (void)co_await rpc::call<&Citizen::get>(at.endpoint, at.citizen, {}, 1);
  }
  done = true;
}
void BM_EntityCallAwaited(benchmark::State& state) {
  World& at = world();
  for (auto _ : state) {
    bool done = false;
    (void)rpc::spawn(at.endpoint, at.counter, ask_citizen(at, kBatch, done));
    while (!done) at.loop.poll_one();
  }
  state.counters["per_call"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kBatch),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_EntityCallAwaited);

void BM_Encode(benchmark::State& state) {
  (void)world();
  bus::Bytes bytes;
  for (auto _ : state) {
    bytes.clear();
    benchmark::DoNotOptimize(rpc::encode_call<&Counter::add>(bytes, rpc::Behalf::none, 0, 1));
  }
}
BENCHMARK(BM_Encode);

template <auto M, class... A>
void from_bytes(benchmark::State& state, bool measured, const A&... arguments) {
  World& at = world();
  Counter counter;
  const bus::Handlers handlers = at.endpoint.adopt("entity/2", counter);
  bus::Bytes bytes;
  if (!rpc::encode_call<M>(bytes, rpc::Behalf::none, 0, arguments...)) std::abort();
  Arrived message{bus::ByteView(bytes)};
  at.endpoint.work().measure(measured);
  for (auto _ : state) handlers.on_message(message);
  at.endpoint.work().measure(true);
}
void BM_DispatchFromBytes(benchmark::State& state) {
  from_bytes<&Counter::add>(state, true, 1);
}
BENCHMARK(BM_DispatchFromBytes);
void BM_DispatchFromBytes_Unmeasured(benchmark::State& state) {
  from_bytes<&Counter::add>(state, false, 1);
}
BENCHMARK(BM_DispatchFromBytes_Unmeasured);
void BM_DispatchFromBytes_Text(benchmark::State& state) {
  from_bytes<&Counter::say>(state, true, "hello, how are you?");
}
BENCHMARK(BM_DispatchFromBytes_Text);

}  // namespace
}  // namespace starbus::bench

int main(int argc, char** argv) {
  return starbus::bench::micro_main(argc, argv, "rpc",
                                    "Measures calls within a process, beside a virtual call.");
}
