// The whole of a starbus program: own a channel, answer calls on it, call somebody else.
#include <boost/asio.hpp>
#include <iostream>

#include "bus/client/bus.hpp"

using boost::asio::awaitable;
using boost::asio::use_awaitable;
namespace bus = starbus::bus;

awaitable<void> talk(bus::Bus& node) {
  std::cout << node.node() << " connects to busd" << std::endl;  // waits for it, if need be
  const auto loop = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer patience(loop, std::chrono::seconds(1));
  patience.async_wait([&node](boost::system::error_code met) {
    if (!met) std::cout << "waits for busd at " << node.endpoint() << std::endl;
  });
  if (auto up = co_await node.connect(use_awaitable); !up) throw bus::BadResult(up.error());
  patience.cancel();
  // A variable, and not within the co_await expression: see docs/design/gcc12.md.
  bus::Handlers greeter;
  greeter.on_call = [](bus::Call& call) { (void)call.reply("hello, " + std::string(call.text())); };
  auto bound = co_await node.bind("entity/greeter", greeter, use_awaitable);
  // already_bound: another hello runs, here or on another host. Then we only ask it.
  std::cout << (bound ? "I am the greeter" : bound.error().to_string()) << std::endl;
  auto reply = co_await node.call("entity/greeter", node.node(), {}, use_awaitable);
  std::cout << (reply ? bus::as_text(*reply) : reply.error().to_string()) << std::endl;
  // Nothing of ours is under way, so its result says nothing new.
  if (!bound) (void)co_await node.close(std::chrono::seconds(1), use_awaitable);
}

int main(int argc, char** argv) try {
  boost::asio::io_context loop;
  bus::Bus node(loop, {.node = argc > 1 ? argv[1] : "hello"});
  boost::asio::co_spawn(loop, talk(node), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  loop.run();
} catch (const std::exception& problem) {  // name_taken, an invalid node name, ...
  std::cerr << "hello: " << problem.what() << std::endl;
  return 1;
}
