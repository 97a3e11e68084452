#include "daemon/loop_lag.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <thread>

#include "daemon/metrics.hpp"
#include "daemon/rate_limited.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(LoopLag, MeasuresAHandlerThatTookTooLong) {
  const test::LogCapture log;
  boost::asio::io_context loop;
  RateLimited limited;
  Metrics metrics;
  {
    const LoopLag lag(loop, limited);
    lag.add_to(metrics);
    EXPECT_EQ(lag.worst(), LoopLag::Duration::zero());
    std::this_thread::sleep_for(LoopLag::kPeriod + LoopLag::kWarn);  // the loop hangs
    loop.run_one();
    EXPECT_GE(lag.last(), LoopLag::kWarn);
    EXPECT_GE(lag.worst(), lag.last());
    EXPECT_THAT(log.text(), HasSubstr("the event loop was late by 1"));
    EXPECT_THAT(metrics.text(), HasSubstr("starbus_loop_lag_seconds 1."));
    loop.run_one();
    EXPECT_LT(lag.last(), LoopLag::kWarn);
    EXPECT_GE(lag.worst(), LoopLag::kWarn) << "a peak stays visible";
  }
  loop.run();  // ends: the probe has left the loop
  EXPECT_THAT(metrics.text(), HasSubstr("starbus_loop_lag_worst_seconds 1."));
}

}  // namespace
}  // namespace starbus::daemon
