// Runs one coroutine as a test, on an io_context of its own, with a deadline.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <numeric>
#include <utility>

// ASSERT_TRUE returns, which a coroutine cannot. Each has a variable, without which g++ 12 lays out
// the frame of a coroutine wrongly (docs/design/gcc12.md).
#define CO_TRUE(condition)                                           \
  if (const bool co_true = static_cast<bool>(condition); !co_true) { \
    ADD_FAILURE() << #condition << " is not so";                     \
    co_return;                                                       \
  }
#define CO_OK(expression)                                                     \
  if (auto&& co_ok_result = (expression); !co_ok_result) {                    \
    ADD_FAILURE() << #expression << ": " << co_ok_result.error().to_string(); \
    co_return;                                                                \
  }

namespace starbus::bus {

using Task = boost::asio::awaitable<void>;

class LoopTest : public ::testing::Test {
 protected:
  /// Fails the test if the coroutine has not ended within `limit`. No template: what Asio makes of
  /// each type of coroutine would take longer to compile than most tests.
  void run(std::function<Task()> coroutine, std::chrono::seconds limit = std::chrono::seconds(20)) {
    bool done = false;
    boost::asio::co_spawn(loop, std::move(coroutine), [&](std::exception_ptr error) {
      done = true;
      if (error) std::rethrow_exception(error);
    });
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!done && loop.run_one_until(deadline) != 0) {
    }
    EXPECT_TRUE(done) << "the test's coroutine did not end in time";
  }

  /// Lets the loop run until `condition` holds; false if it does not within `limit`.
  boost::asio::awaitable<bool> until(std::chrono::milliseconds limit,
                                     std::function<bool()> condition) {
    boost::asio::steady_timer timer(loop);
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) co_return false;
      timer.expires_after(std::chrono::milliseconds(5));
      co_await timer.async_wait(boost::asio::use_awaitable);
    }
    co_return true;
  }
  boost::asio::awaitable<bool> until(std::function<bool()> condition) {
    return until(std::chrono::seconds(15), std::move(condition));
  }

  boost::asio::io_context loop;
};

}  // namespace starbus::bus
