// A process that sends numbers to the channels of players, wherever these are.
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>

#include "bench/travel/game.hpp"
#include "bench/travel/roles.hpp"
#include "bus/client/bus.hpp"

namespace starbus::bench::travel {
namespace {

namespace rpc = entity::rpc;
using boost::asio::awaitable;
using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class Words {
 public:
  Words(boost::asio::io_context& loop, const WordsOptions& options)
      : options_(options),
        bus_(loop, {.node = options.node, .endpoint = options.endpoint}),
        timer_(loop),
        input_(loop, ::dup(STDIN_FILENO)),
        sent_(options.players) {}

  awaitable<void> run() {
    if (auto up = co_await bus_.connect(use_awaitable); !up) throw bus::BadResult(up.error());
    if (auto up = co_await endpoint_.ready(use_awaitable); !up) throw bus::BadResult(up.error());
    std::cout << "ready" << std::endl;
    const auto every = std::chrono::milliseconds(options_.every_ms);
    // Not all at once: each turn has its part.
    const std::size_t turns = std::max<std::size_t>(1, every / kTurn);
    bool ends = false;
    input_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [&](const auto&) { ends = true; });
    auto due = std::chrono::steady_clock::now();
    for (std::size_t turn = 0; !ends; ++turn) {
      for (std::size_t i = turn % turns; i < sent_.size(); i += turns) say(i);
      due += every / turns;
      timer_.expires_at(due);
      co_await timer_.async_wait(use_awaitable);
    }
    if (auto end = co_await bus_.flush(20s, use_awaitable); !end) throw bus::BadResult(end.error());
    std::cout << nlohmann::json{{"sent", sent_}} << std::endl;
  }

 private:
  static constexpr std::chrono::milliseconds kTurn{5};

  void say(std::size_t which) {
    const auto sent = rpc::send<&cluster_test::Pilot::hear>(endpoint_, player_of(which + 1), {},
                                                            options_.sender, sent_[which] + 1);
    if (sent) ++sent_[which];
  }

  const WordsOptions options_;
  bus::Bus bus_;
  rpc::Endpoint endpoint_{bus_};
  boost::asio::steady_timer timer_;
  boost::asio::posix::stream_descriptor input_;
  std::vector<std::uint64_t> sent_;
};

}  // namespace

int run_words(const WordsOptions& options) {
  boost::asio::io_context loop;
  Words words(loop, options);
  int code = 0;
  boost::asio::co_spawn(loop, words.run(), [&](std::exception_ptr error) {
    loop.stop();
    try {
      if (error) std::rethrow_exception(error);
    } catch (const std::exception& what) {
      std::cout << nlohmann::json{{"error", what.what()}} << std::endl;
      code = 1;
    }
  });
  loop.run();
  return code;
}

}  // namespace starbus::bench::travel
