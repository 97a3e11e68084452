/// Ids one by one: who waits for them, in which order, and what their callbacks may do.
#include "nodes/manager/id_source.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "nodes/manager/limits.hpp"
#include "nodes/manager/manager_service.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/manager/fake_allocator.hpp"
#include "tests/spin.hpp"

namespace starbus::nodes::manager {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using Id = bus::Result<std::uint64_t>;
using namespace std::chrono_literals;

class IdSourceTest : public bus::LoopTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    const auto connected = co_await bus.connect(use_awaitable);
    if (!connected) co_return false;
    const bus::Handlers handlers = allocator.handlers();
    const auto bound = co_await bus.bind(std::string(kManagerChannel), handlers, use_awaitable);
    co_return bound.has_value();
  }
  testing::Cluster cluster{loop, {.hosts = {"a"}}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  entity::rpc::Endpoint endpoint{bus};
  MainLoop main{loop};
  test::FakeAllocator allocator{kIdBlock};
  std::unique_ptr<IdSource> ids = std::make_unique<IdSource>(endpoint, main.timers(), "entities");
};

/// As deep as it would be if each were called within the one before, the stack would not hold it.
TEST_F(IdSourceTest, WhoAsksAgainWithinItsCallbackIsCalledBehindIt) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    constexpr std::uint64_t kIds = 300'000;
    std::uint64_t latest = 0;
    int depth = 0;
    int deepest = 0;
    IdSource::Done again;
    again = [&](const Id& id) {
      deepest = std::max(deepest, ++depth);
      EXPECT_EQ(id.value(), ++latest);
      if (latest < kIds) ids->wait_next(5s, again);
      --depth;
    };
    ids->wait_next(5s, again);
    EXPECT_TRUE(co_await until([&] { return latest == kIds; }));
    EXPECT_EQ(deepest, 1);
    // Also if there is one at hand at once; and others have their turns meanwhile.
    latest = 0;
    int turns = 0;
    std::function<void()> turn = [&] {
      if (latest == kIds) return;
      ++turns;
      boost::asio::post(loop, turn);
    };
    again = [&, first = kIds](const Id& id) {
      deepest = std::max(deepest, ++depth);
      EXPECT_EQ(id.value(), first + ++latest);
      if (latest < kIds) ids->wait_next(5s, again);
      --depth;
    };
    turn();
    ids->wait_next(5s, again);
    EXPECT_TRUE(co_await until([&] { return latest == kIds; }));
    EXPECT_EQ(deepest, 1);
    EXPECT_GE(turns, static_cast<int>(kIds / kIdPass) / 2);
  });
}

/// However few they are.
TEST(WhyNoId, SaysTheOneThingThatIsWrongAndItsCure) {
  bus::Error late(bus::Errc::deadline);
  EXPECT_EQ(why_no_id(late), "deadline");
  const bus::Error denied(bus::Errc::denied, "role 'guest' may not send to manager/cluster");
  late.detail = denied.to_string();
  late.cause = denied.code;
  EXPECT_EQ(why_no_id(late), denied.to_string() + "; give this role send to manager/");
  const bus::Error absent(bus::Errc::no_owner, "manager/cluster");
  late.detail = absent.to_string();
  late.cause = absent.code;
  EXPECT_EQ(why_no_id(late), "no starbus-manager is up; start one (" + absent.to_string() + ")");
}

TEST_F(IdSourceTest, WithoutAManagerTheReasonIsTheBusOwn) {
  run([this]() -> Task {
    CO_OK(co_await bus.connect(use_awaitable));
    std::optional<bus::Error> end;
    ids->wait_next(500ms, [&](const Id& id) { end = id ? bus::Error() : id.error(); });
    EXPECT_TRUE(co_await until([&] { return end.has_value(); }));
    EXPECT_EQ(end->code, bus::Errc::deadline);
    EXPECT_EQ(end->cause, Code(bus::Errc::no_owner));
    EXPECT_EQ(end->detail.find("deadline"), std::string::npos) << end->detail;
  });
}

TEST_F(IdSourceTest, SlowCallbacksLetOthersRun) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    std::vector<std::string> seen;
    for (int i = 0; i < 3; ++i) {
      ids->wait_next(5s, [&](const Id& id) {
        EXPECT_TRUE(id);
        if (seen.empty()) boost::asio::post(loop, [&] { seen.emplace_back("posted"); });
        seen.emplace_back("id");
        starbus::test::spin(kIdPassTime + 1ms);
      });
    }
    EXPECT_TRUE(co_await until([&] { return seen.size() == 4; }));
    EXPECT_EQ(seen, (std::vector<std::string>{"id", "posted", "id", "id"}));
  });
}

TEST_F(IdSourceTest, WhoeverIsRefusedIsToldInALaterTurn) {
  run([this]() -> Task {
    allocator.refuse = true;
    EXPECT_TRUE(co_await begin());
    std::size_t late = 0;
    for (std::size_t i = 0; i < kMaxIdWaiters; ++i) {
      ids->wait_next(200ms, [&](const Id& id) { late += id.error() == bus::Errc::deadline; });
    }
    int refused = 0;
    IdSource::Done again = [&](const Id& id) {
      EXPECT_EQ(id.error(), bus::Errc::would_block);
      if (++refused < 3) ids->wait_next(5s, again);
    };
    ids->wait_next(5s, again);
    EXPECT_EQ(refused, 0) << "not within the call";
    EXPECT_TRUE(co_await until([&] { return refused == 3; }));
    EXPECT_TRUE(co_await until([&] { return late == kMaxIdWaiters; }));
    EXPECT_EQ(ids->next().error(), bus::Errc::would_block);
  });
}

TEST_F(IdSourceTest, ACallbackMayEndItsSource) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    int called = 0;
    for (int i = 0; i < 3; ++i) {
      ids->wait_next(5s, [&](const Id&) {
        ++called;
        ids.reset();
      });
    }
    EXPECT_TRUE(co_await until([&] { return called != 0; }));
    boost::asio::steady_timer timer(loop, 20ms);
    co_await timer.async_wait(use_awaitable);
    EXPECT_EQ(called, 1) << "who waits is not told";
  });
}

TEST_F(IdSourceTest, ItAsksForMoreBeforeItHasNone) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    ids->refill();
    EXPECT_TRUE(co_await until([&] { return ids->at_hand() == kIdBlock; }));
    EXPECT_EQ(ids->next().value(), 1U);
    for (std::uint64_t i = 2; ids->at_hand() >= kIdsLow; ++i) {
      if (ids->next().value() != i) co_return ADD_FAILURE() << i;
    }
    EXPECT_TRUE(co_await until([&] { return allocator.asked == 2; }));
    EXPECT_TRUE(co_await until([&] { return ids->at_hand() > kIdBlock; }));
  });
}

}  // namespace
}  // namespace starbus::nodes::manager
