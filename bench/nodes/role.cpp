#include "bench/nodes/role.hpp"

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/bus/clock.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::bench {
namespace {

namespace rpc = entity::rpc;
using boost::asio::awaitable;
using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr const char* kEcho = "bench/echo";
constexpr const char* kCounter = "entity/counter";
constexpr std::size_t kRound = 200;  // calls of one way before it is the other's turn

class Counter : public rpc::Host<Counter> {
 public:
  std::int64_t add(rpc::Caller&, std::int64_t count) { return sum += count; }
  void note(rpc::Caller&, std::int64_t count) {
    sum += count;
    ++handled;
  }
  std::int64_t sum = 0;
  std::uint64_t handled = 0;
  static constexpr auto kRpc = rpc::methods("counter", rpc::method<&Counter::add>("add"),
                                            rpc::method<&Counter::note>("note"));
};

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
  Counter counter;
  must(co_await bus.connect(use_awaitable));
  bus::Handlers echo;
  echo.on_call = [](bus::Call& call) { call.reply(call.body()); };
  must(co_await bus.bind(kEcho, echo, use_awaitable));
  must(co_await endpoint.bind(kCounter, counter, use_awaitable));
  std::cout << "ready" << std::endl;
  boost::asio::posix::stream_descriptor input(loop, ::dup(STDIN_FILENO));
  co_await input.async_wait(boost::asio::posix::stream_descriptor::wait_read, use_awaitable);
  std::cout << nlohmann::json{{"handled", counter.handled}} << std::endl;
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

  const bus::Name counter = bus::Name::of(kCounter).value();
  std::uint64_t sent = 0;
  const std::int64_t sending = now_ns();
  while (static_cast<double>(now_ns() - sending) < role.seconds * kSecond) {
    if (rpc::send<&Counter::note>(endpoint, counter, {}, std::int64_t{1})) {
      ++sent;
    } else {
      must(co_await bus.room(kCounter, bus::Lane::call, use_awaitable));
    }
  }
  must(co_await bus.flush(10s, use_awaitable));
  const double took = static_cast<double>(now_ns() - sending) / kSecond;
  std::cout << nlohmann::json{{"bus", by_bus},
                              {"rpc", by_rpc},
                              {"sent", sent},
                              {"per_second", static_cast<double>(sent) / took}}
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
