#include "bench/moves/role.hpp"

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/harness/clock.hpp"
#include "bus/client/bus.hpp"

namespace starbus::bench {
namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr const char* kChannel = "bench/wanderer";
constexpr std::size_t kBytes = 64;

// What travels with the channel.
struct Wanderer {
  std::uint64_t expected = 0;
  std::uint64_t wrong = 0;
  std::int64_t heard_ns = 0;
};

class Place {
 public:
  Place(boost::asio::io_context& loop, const MoveRole& role)
      : role_(role),
        bus_(loop, {.node = role.node, .endpoint = role.endpoint}),
        timer_(loop),
        input_(loop, ::dup(STDIN_FILENO)) {
    bus_.on_arrival("bench/", {.arrived = [this](bus::Arrival& arrival) {
                      std::memcpy(&wanderer_, arrival.state.data(), sizeof wanderer_);
                      arrived_ = true;
                      stay();
                      return handlers();
                    }});
  }

  awaitable<void> run() {
    if (auto up = co_await bus_.connect(use_awaitable); !up) throw bus::BadResult(up.error());
    if (role_.begins) {
      bus::Handlers own = handlers();
      auto bound = co_await bus_.bind(kChannel, own, use_awaitable);
      if (!bound) throw bus::BadResult(bound.error());
      stay();
    }
    std::cout << "ready" << std::endl;
    co_await input_.async_wait(boost::asio::posix::stream_descriptor::wait_read, use_awaitable);
    moving_ = false;
    boost::asio::steady_timer last(bus_.loop(), 200ms);  // the move under way
    co_await last.async_wait(use_awaitable);
    std::cout << nlohmann::json{{"silences", silences_},
                                {"handled", handled_},
                                {"wrong", here_ ? wanderer_.wrong : 0}}
              << std::endl;
  }

 private:
  bus::Handlers handlers() {
    here_ = true;
    return {.on_message = [this](bus::Message& message) { take(message); }};
  }

  void stay() {
    timer_.expires_after(std::chrono::milliseconds(role_.stay_ms));
    timer_.async_wait([this](const auto& error) {
      if (!error && moving_) go();
    });
  }

  void go() {
    bus_.move(
        kChannel, role_.other,
        [this] {
          const auto bytes = std::as_bytes(std::span(&wanderer_, 1));
          return bus::Bytes(bytes.begin(), bytes.end());
        },
        [this](const bus::Result<>& end) {
          if (end) {
            here_ = false;
          } else {
            std::cerr << "move: " << end.error().to_string() << std::endl;
            stay();
          }
        });
  }

  void take(const bus::Message& message) {
    std::uint64_t number = 0;
    std::memcpy(&number, message.body().data(), sizeof number);
    const std::int64_t now = now_ns();
    if (std::exchange(arrived_, false) && wanderer_.heard_ns != 0) {
      silences_.push_back(static_cast<double>(now - wanderer_.heard_ns) / 1000);
    }
    wanderer_.heard_ns = now;
    if (number != wanderer_.expected) ++wanderer_.wrong;
    wanderer_.expected = number + 1;
    ++handled_;
  }

  const MoveRole role_;
  bus::Bus bus_;
  boost::asio::steady_timer timer_;
  boost::asio::posix::stream_descriptor input_;
  Wanderer wanderer_;
  bool arrived_ = false;
  bool here_ = false;
  bool moving_ = true;
  std::uint64_t handled_ = 0;
  std::vector<double> silences_;  // microseconds
};

awaitable<void> send_all(boost::asio::io_context& loop, const MoveRole& role) {
  bus::Bus bus(loop, {.node = role.node, .endpoint = role.endpoint});
  if (auto up = co_await bus.connect(use_awaitable); !up) throw bus::BadResult(up.error());
  const bus::Name to = bus::Name::of(kChannel).value();
  bus::Bytes body(kBytes);
  boost::asio::steady_timer timer(loop);
  const std::int64_t start = now_ns();
  const auto total = static_cast<std::uint64_t>(role.rate * role.seconds);
  for (std::uint64_t number = 0; number < total;) {
    const double due = static_cast<double>(now_ns() - start) / kSecond * role.rate;
    while (number < total && static_cast<double>(number) <= due) {
      std::memcpy(body.data(), &number, sizeof number);
      if (!bus.send(to, body)) break;
      ++number;
    }
    timer.expires_after(50us);
    co_await timer.async_wait(use_awaitable);
  }
  if (auto end = co_await bus.flush(10s, use_awaitable); !end) throw bus::BadResult(end.error());
  std::cout << nlohmann::json{{"sent", total}} << std::endl;
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

}  // namespace

int run_place(const MoveRole& role) {
  boost::asio::io_context loop;
  Place place(loop, role);
  return run_loop(loop, place.run());
}

int run_sender(const MoveRole& role) {
  use_precise_timers();
  boost::asio::io_context loop;
  return run_loop(loop, send_all(loop, role));
}

}  // namespace starbus::bench
