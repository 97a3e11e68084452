/// The names under which a stall is reported, and the sum of what is measured.
#include "nodes/runtime/load/what_runs.hpp"

#include <gmock/gmock.h>

#include <boost/asio/deferred.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "entity/rpc/rpc.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/runtime/ticker.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/spin.hpp"

namespace starbus::nodes {
namespace {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using starbus::test::spin;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

class Miller : public rpc::Callable<Miller> {
 public:
  explicit Miller(std::function<void()> work) : work_(std::move(work)) {}
  void grind(rpc::Caller&) { work_(); }
  rpc::Task<> alone() {
    work_();
    co_return;
  }
  static constexpr auto kRpc = rpc::methods("test_miller", rpc::method<&Miller::grind>("grind"));

 private:
  std::function<void()> work_;
};

class WhatRunsTest : public bus::LoopTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    const auto connected = co_await bus.connect(use_awaitable);
    const auto bound = co_await endpoint.bind("service/mill", miller, use_awaitable);
    const auto opened = co_await rpc::call<&Miller::grind>(endpoint, "service/mill#1", {});
    names.clear();
    boost::asio::steady_timer timer(loop, 1ms);
    co_await timer.async_wait(use_awaitable);
    co_return connected&& bound&& opened;
  }
  void note() { names.push_back(what_runs(endpoint, main.load()).name); }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a"}}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  rpc::Endpoint endpoint{bus};
  MainLoop main{loop};
  entity::TimerOwner timers;
  std::vector<std::string> names;
  Miller miller{[this] { note(); }};
};

TEST_F(WhatRunsTest, EachKindOfWorkHasItsName) {
  run([this]() -> bus::Task {
    EXPECT_TRUE(co_await begin());
    const auto timer = [this] { note(); };
    EXPECT_TRUE(main.timers().after(timers, 1ms, timer));
    EXPECT_TRUE(co_await until([&] { return names.size() == 1; }));
    EXPECT_EQ(names[0], WorkName(typeid(timer)).text());
    names.clear();

    EXPECT_TRUE(main.post("autosave", [this] { note(); }));
    EXPECT_TRUE(co_await until([&] { return names.size() == 1; }));
    Ticker ticker(main.timers(), main.load(), 5ms);
    EXPECT_TRUE(ticker.add({.name = "walk"}, [this](const entity::Tick&) {
      if (names.size() == 1) note();
    }));
    EXPECT_TRUE(co_await until([&] { return names.size() == 2; }));
    rpc::call<&Miller::grind>(endpoint, "service/mill#1",
                              {})([this](const rpc::Reply<void>&) { note(); });
    EXPECT_TRUE(co_await until([&] { return names.size() == 4; }));
    EXPECT_TRUE(rpc::spawn(endpoint, miller, miller.alone()));
    note();
    EXPECT_THAT(names, ElementsAre("autosave", "tick walk", "test_miller.grind",
                                   "answer of test_miller.grind", "coroutine of test_miller", ""));
  });
}

/// A timer that begins a coroutine, which works: one of the two is charged with it.
TEST_F(WhatRunsTest, WhatATimerBeginsIsCountedOnce) {
  run([this]() -> bus::Task {
    EXPECT_TRUE(co_await begin());
    Miller worker{[] { spin(40ms); }};
    const std::uint64_t before = main.load().measured() + endpoint.work().measured();
    const std::uint64_t begun = rpc::ticks();
    bool done = false;
    const auto timer = [&] {
      EXPECT_TRUE(rpc::spawn(endpoint, worker, worker.alone()));
      note();
      done = true;
    };
    EXPECT_TRUE(main.timers().after(timers, 1ms, timer));
    EXPECT_TRUE(co_await until([&] { return done; }));
    const std::uint64_t passed = rpc::ticks() - begun;
    EXPECT_EQ(names.back(), WorkName(typeid(timer)).text()) << "it is shown again";
    const std::uint64_t spawned = endpoint.work().spawned().at(&worker.rpc_class()).ticks;
    EXPECT_LT(main.load().source(WorkName(typeid(timer))).ticks, spawned / 5);
    const std::uint64_t counted = main.load().measured() + endpoint.work().measured() - before;
    EXPECT_GE(counted, spawned);
    EXPECT_LE(counted, passed) << "no more than there is";
  });
}

}  // namespace
}  // namespace starbus::nodes
