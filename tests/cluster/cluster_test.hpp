// What the tests of this folder share: a coroutine per test, and numbered streams that notice when
// a message is lost, doubled or out of order.
#pragma once

#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/bus/client/loop_fixture.hpp"
#include "tests/cluster/cluster_harness.hpp"

namespace starbus::cluster_test {

using boost::asio::use_awaitable;
using bus::Bus;
using bus::Errc;
using bus::Lane;
using bus::Message;
using bus::Name;
using bus::Task;
using namespace std::chrono_literals;

class ClusterTest : public bus::LoopTest {
 protected:
  /// Runs beside the test's own coroutine, which must wait for its end by `until`.
  template <class Coroutine>
  void spawn(Coroutine coroutine) {
    boost::asio::co_spawn(loop, std::move(coroutine), [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    });
  }
  boost::asio::awaitable<void> pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(loop, time);
    co_await timer.async_wait(use_awaitable);
  }
};

/// A numbered message: which stream, and its number there.
struct Numbered {
  std::uint32_t stream = 0;
  std::uint32_t number = 0;
};

/// What came of several numbered streams. Anything but the next number is an error.
class Ledger {
 public:
  explicit Ledger(std::size_t streams) : next_(streams) {}

  bus::Handlers handlers() {
    return {.on_message = [this](Message& message) { take(message.body()); }};
  }
  void take(bus::ByteView body) {
    Numbered numbered;
    if (body.size() < sizeof numbered) {
      ADD_FAILURE() << "a message of " << body.size() << " bytes";
      return;
    }
    std::memcpy(&numbered, body.data(), sizeof numbered);
    ++total_;
    if (numbered.stream >= next_.size() || numbered.number != next_[numbered.stream]) {
      if (++wrong_ > 5) return;
      ADD_FAILURE() << "stream " << numbered.stream << ": " << numbered.number << " instead of "
                    << (numbered.stream < next_.size() ? next_[numbered.stream] : 0);
      return;
    }
    ++next_[numbered.stream];
  }
  std::uint64_t total() const { return total_; }
  std::uint64_t wrong() const { return wrong_; }
  /// How many of a stream came, in order.
  std::uint32_t of(std::size_t stream) const { return next_[stream]; }

 private:
  std::vector<std::uint32_t> next_;
  std::uint64_t total_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Sends numbers 0..count-1 as fast as the window lets it; `sent` counts along.
inline Task send_numbers(Bus& bus, std::string to, Lane lane, std::uint32_t stream,
                         std::uint32_t count, std::uint64_t& sent, std::size_t size = 16) {
  const Name name = Name::of(to).value();
  bus::Bytes body(std::max(size, sizeof(Numbered)));
  const bus::SendOptions options{.lane = lane};
  for (std::uint32_t number = 0; number < count;) {
    const Numbered numbered{stream, number};
    std::memcpy(body.data(), &numbered, sizeof numbered);
    const auto taken = bus.send(name, body, options);
    if (taken) {
      ++number;
      ++sent;
      continue;
    }
    if (taken.error() != Errc::would_block) {
      ADD_FAILURE() << "send: " << taken.error().to_string();
      co_return;
    }
    CO_OK(co_await bus.room(to, lane, use_awaitable));
  }
}

}  // namespace starbus::cluster_test
