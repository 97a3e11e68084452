#include "bench/game/nodes/role.hpp"

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/harness/clock.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"

namespace starbus::bench {
namespace {

namespace rpc = entity::rpc;
using boost::asio::awaitable;
using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr const char* kEcho = "bench/echo";
constexpr const char* kCounter = "entity/counter";
constexpr std::size_t kRound = 200;  // calls of one way before it is the other's turn

/// As users have them: made, published and found by an EntityHost.
class Counter final : public entity::EntityOf<Counter> {
 public:
  static constexpr std::string_view kTypeName = "counter";
  explicit Counter(const entity::ConstructKey& key) : EntityOf(key) {}
  std::int64_t add(rpc::Caller&, std::int64_t count) { return sum += count; }
  void note(rpc::Caller&, std::int64_t count) {
    sum += count;
    ++handled;
  }
  std::int64_t sum = 0;
  std::uint64_t handled = 0;
  static constexpr auto kRpc = rpc::methods("counter", rpc::method<&Counter::add>("add"),
                                            rpc::method<&Counter::note>("note"));

 private:
  ~Counter() override = default;
};

nodes::entities::HostOptions with_ids() {
  nodes::entities::HostOptions options;
  options.draw = [next = std::uint64_t{0}]() mutable {
    return entity::IdentityResult<entity::OnlineId>(entity::OnlineId{++next});
  };
  return options;
}

template <class Coroutine>
int run_loop(boost::asio::io_context& loop, Coroutine coroutine) {
  boost::asio::co_spawn(loop, std::move(coroutine), [&](std::exception_ptr error) {
    loop.stop();
    if (error) std::rethrow_exception(error);
  });
  loop.run();
  return 0;
}

template <class Reached>
void must(const Reached& reached) {
  if (!reached) throw std::runtime_error(reached.error().to_string());
}

awaitable<void> answer(boost::asio::io_context& loop, const NodeRole& role) {
  bus::Bus bus(loop, {.node = role.node, .endpoint = role.endpoint});
  rpc::Endpoint endpoint(bus);
  nodes::MainLoop main(loop);
  nodes::entities::EntityHost host(endpoint, main.timers(), role.node, with_ids());
  host.declare<Counter>();
  must(co_await bus.connect(use_awaitable));
  std::uint64_t noted = 0;
  bus::Handlers echo;
  echo.on_call = [](bus::Call& call) { (void)(void)call.reply(call.body()); };
  echo.on_message = [&noted](bus::Message&) { ++noted; };
  must(co_await bus.bind(kEcho, echo, use_awaitable));
  must(co_await endpoint.ready(use_awaitable));
  Counter& counter = *host.entities().create<Counter>().value();
  bool reachable = false;
  host.publish(counter, kCounter, [&](const bus::Result<>& bound) {
    must(bound);
    reachable = true;
  });
  boost::asio::steady_timer pause(loop);
  while (!reachable) {
    pause.expires_after(1ms);
    co_await pause.async_wait(use_awaitable);
  }
  std::cout << "ready" << std::endl;
  boost::asio::posix::stream_descriptor input(loop, ::dup(STDIN_FILENO));
  co_await input.async_wait(boost::asio::posix::stream_descriptor::wait_read, use_awaitable);
  std::cout << nlohmann::json{{"handled", counter.handled}, {"noted", noted}} << std::endl;
}

/// Microseconds of each of `kRound` calls, one after the other.
awaitable<void> ask_the_bus(bus::Bus& bus, std::vector<double>& times) {
  const std::int64_t argument = 1;  // as many bytes as the argument of the RPC
  const auto body = std::as_bytes(std::span(&argument, 1));
  for (std::size_t i = 0; i < kRound; ++i) {
    const std::int64_t begun = now_ns();
    must(co_await bus.call(kEcho, body, bus::CallOptions{}, use_awaitable));
    times.push_back(static_cast<double>(now_ns() - begun) / 1000);
  }
}

awaitable<void> ask_by_rpc(rpc::Endpoint& endpoint, std::vector<double>& times) {
  for (std::size_t i = 0; i < kRound; ++i) {
    const std::int64_t begun = now_ns();
    must(co_await rpc::call<&Counter::add>(endpoint, kCounter, {}, std::int64_t{1}));
    times.push_back(static_cast<double>(now_ns() - begun) / 1000);
  }
}

struct Stream {
  std::uint64_t sent = 0;
  double per_second = 0;  // until all of it was handled
};
/// `send_one` says whether there was room.
template <class SendOne>
awaitable<Stream> as_fast_as_may_be(bus::Bus& bus, const char* to, double seconds,
                                    SendOne send_one) {
  Stream stream;
  const std::int64_t begun = now_ns();
  while (static_cast<double>(now_ns() - begun) < seconds * kSecond) {
    if (send_one()) {
      ++stream.sent;
    } else {
      must(co_await bus.room(to, bus::Lane::call, use_awaitable));
    }
  }
  must(co_await bus.flush(10s, use_awaitable));
  const double took = static_cast<double>(now_ns() - begun) / kSecond;
  stream.per_second = static_cast<double>(stream.sent) / took;
  co_return stream;
}

awaitable<void> ask(boost::asio::io_context& loop, const NodeRole& role) {
  bus::Bus bus(loop, {.node = role.node, .endpoint = role.endpoint});
  rpc::Endpoint endpoint(bus);
  must(co_await bus.connect(use_awaitable));
  must(co_await endpoint.ready(use_awaitable));
  std::vector<double> by_bus;
  std::vector<double> by_rpc;
  co_await ask_the_bus(bus, by_bus);  // the way there is known then
  co_await ask_by_rpc(endpoint, by_rpc);
  by_bus.clear();
  by_rpc.clear();
  const std::int64_t asking = now_ns();
  while (static_cast<double>(now_ns() - asking) < 2 * role.seconds * kSecond) {
    co_await ask_the_bus(bus, by_bus);
    co_await ask_by_rpc(endpoint, by_rpc);
  }

  const std::int64_t argument = 1;
  const auto body = std::as_bytes(std::span(&argument, 1));
  const bus::Name echo = bus::Name::of(kEcho).value();
  const auto plain = co_await as_fast_as_may_be(bus, kEcho, role.seconds,
                                                [&] { return bus.send(echo, body).has_value(); });
  const bus::Name counter = bus::Name::of(kCounter).value();
  const auto called = co_await as_fast_as_may_be(bus, kCounter, role.seconds, [&] {
    return rpc::send<&Counter::note>(endpoint, counter, {}, std::int64_t{1}).has_value();
  });
  std::cout << nlohmann::json{{"bus", by_bus},
                              {"rpc", by_rpc},
                              {"sent", called.sent},
                              {"per_second", called.per_second},
                              {"plain_sent", plain.sent},
                              {"plain_per_second", plain.per_second}}
            << std::endl;
}

}  // namespace

int run_answerer(const NodeRole& role) {
  boost::asio::io_context loop;
  return run_loop(loop, answer(loop, role));
}

int run_asker(const NodeRole& role) {
  boost::asio::io_context loop;
  return run_loop(loop, ask(loop, role));
}

}  // namespace starbus::bench
