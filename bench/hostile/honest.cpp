#include "bench/hostile/honest.hpp"

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>
#include <istream>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/harness/clock.hpp"
#include "bus/client/bus.hpp"

namespace starbus::bench::hostile {
namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using namespace std::chrono_literals;

constexpr auto kDeadline = 10s;

std::string name_of(int process, int number) {
  return kPrefix + std::to_string(process) + "." + std::to_string(number);
}

class Honest {
 public:
  Honest(boost::asio::io_context& loop, const HonestOptions& options)
      : options_(options),
        next_((options.index + 1) % options.of),
        bus_(loop,
             {.node = "honest-" + std::to_string(options.index), .endpoint = options.endpoint}),
        timer_(loop),
        input_(loop, ::dup(STDIN_FILENO)) {
    bus_.on_lease_lost([this] { ++leases_lost_; });
  }

  awaitable<void> run() {
    if (auto up = co_await bus_.connect(use_awaitable); !up) throw bus::BadResult(up.error());
    for (int n = 0; n < options_.names; ++n) {
      const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
      const bus::Handlers handlers{.on_call = echo};
      auto bound = co_await bus_.bind(name_of(options_.index, n), handlers, use_awaitable);
      if (!bound) throw bus::BadResult(bound.error());
    }
    watch_ = bus_.watch(kPrefix, [this](const bus::WatchUpdate& update) {
      for (const bus::WatchRow& row : update.changes) removed_ += row.present ? 0 : 1;
    });
    while (co_await missing() != 0) {
      timer_.expires_after(50ms);
      co_await timer_.async_wait(use_awaitable);
    }
    std::cout << "ready" << std::endl;
    start_ = now_ns();
    call_when_due();
    co_await obey();
  }

 private:
  awaitable<void> obey() {
    boost::asio::streambuf lines;
    for (;;) {
      co_await boost::asio::async_read_until(input_, lines, '\n', use_awaitable);
      std::istream text(&lines);
      std::string line;
      std::getline(text, line);
      if (line == "mark") {
        std::cout << nlohmann::json{{"us", std::exchange(took_, {})},
                                    {"failed", std::exchange(failed_, 0)}}
                  << std::endl;
        continue;
      }
      if (line == "end") co_return;
      const std::uint64_t removed = removed_;
      const std::uint64_t missed = co_await missing();
      std::cout << nlohmann::json{{"lost_names", missed + removed},
                                  {"lost_sessions", bus_.counters().connects - 1 + leases_lost_}}
                << std::endl;
    }
  }

  // How many names of the next process do not answer.
  awaitable<std::uint64_t> missing() {
    std::uint64_t count = 0;
    for (int n = 0; n < options_.names; ++n) {
      const auto reply =
          co_await bus_.call(name_of(next_, n), "", {.deadline = kDeadline}, use_awaitable);
      if (!reply) ++count;
    }
    co_return count;
  }

  // Open loop: what is late is sent at once, and its time counts from when it was due.
  void call_when_due() {
    const double gap = static_cast<double>(kSecond) / options_.rate;
    const std::int64_t now = now_ns();
    for (;;) {
      const std::int64_t due = start_ + static_cast<std::int64_t>(static_cast<double>(sent_) * gap);
      if (due > now) {
        timer_.expires_after(std::chrono::nanoseconds(due - now));
        timer_.async_wait([this](const auto& error) {
          if (!error) call_when_due();
        });
        return;
      }
      const int number = static_cast<int>(sent_++ % static_cast<std::uint64_t>(options_.names));
      bus_.call(name_of(next_, number), "hello", {.deadline = kDeadline},
                [this, due](const bus::Result<bus::Bytes>& reply) {
                  took_.push_back((now_ns() - due) / 1000);
                  if (!reply) ++failed_;
                });
    }
  }

  const HonestOptions options_;
  const int next_;
  bus::Bus bus_;
  bus::Result<bus::WatchHandle> watch_ = Error{bus::Errc::closed, ""};
  boost::asio::steady_timer timer_;
  boost::asio::posix::stream_descriptor input_;
  std::int64_t start_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t removed_ = 0;
  std::uint64_t leases_lost_ = 0;
  std::vector<std::int64_t> took_;  // microseconds
};

}  // namespace

int run_honest(const HonestOptions& options) {
  use_precise_timers();
  boost::asio::io_context loop;
  Honest honest(loop, options);
  boost::asio::co_spawn(loop, honest.run(), [&](std::exception_ptr error) {
    loop.stop();
    if (error) std::rethrow_exception(error);
  });
  loop.run();
  return 0;
}

}  // namespace starbus::bench::hostile
