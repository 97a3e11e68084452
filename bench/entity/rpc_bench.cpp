// What a call within a process costs, and its parts, beside floors measured in the same run: a
// virtual call, a std::function. The bar: 150 ns or less for a call of an entity of this process.
// Each iteration of a local row sends a batch and lets the loop run until all of it is handled;
// the time is that of one call.
#include <benchmark/benchmark.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "bus/testing/cluster.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::bench {
namespace {

namespace rpc = entity::rpc;
constexpr int kBatch = 512;

class Counter : public rpc::Host<Counter> {
 public:
  void add(rpc::Caller&, int count) { sum += count; }
  int get(rpc::Caller&, int count) { return sum += count; }
  void say(rpc::Caller&, const std::string& text) { sum += static_cast<int>(text.size()); }
  int sum = 0;
  static constexpr auto kRpc =
      rpc::methods("counter", rpc::method<&Counter::add>("add"), rpc::method<&Counter::get>("get"),
                   rpc::method<&Counter::say>("say"));
};

/// A message as the bus hands it over.
struct Arrived : bus::Message {
  explicit Arrived(bus::ByteView bytes) {
    channel_ = std::make_shared<const std::string>("entity/1");
    body_ = bytes;
  }
};

struct World {
  World() : cluster(loop, {}), bus(loop, cluster.node("a", "bench")), endpoint(bus) {
    boost::asio::co_spawn(
        loop,
        [this]() -> boost::asio::awaitable<void> {
          (void)co_await bus.connect(boost::asio::use_awaitable);
          (void)co_await endpoint.bind("entity/1", counter, boost::asio::use_awaitable);
          (void)co_await rpc::call<&Counter::get>(endpoint, "entity/1", {}, 0);
          ready = true;
        },
        boost::asio::detached);
    while (!ready) loop.run_one();
  }
  boost::asio::io_context loop;
  testing::Cluster cluster;
  bus::Bus bus;
  rpc::Endpoint endpoint;
  Counter counter;
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
  at.endpoint.measure(measured);
  for (auto _ : state) {
    const std::uint64_t before = at.endpoint.counters().local;
    for (int i = 0; i < kBatch; ++i) one(at);
    while (at.endpoint.counters().local < before + kBatch) at.loop.poll_one();
  }
  at.endpoint.measure(true);
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
  at.endpoint.measure(measured);
  for (auto _ : state) handlers.on_message(message);
  at.endpoint.measure(true);
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

BENCHMARK_MAIN();
