/// Crowds of another node, over a bus within this process.
#include "nodes/nav/remote_crowds.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <thread>

#include "nodes/nav/crowd_calls.hpp"
#include "nodes/nav/limits.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/nav/field.hpp"

namespace starbus::nodes::crowds {
namespace {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class RemoteCrowdsTest : public bus::LoopTest {
 protected:
  /// A process of its own.
  struct Process {
    Process(boost::asio::io_context& loop, const bus::Options& options)
        : bus(loop, options), main(loop) {}
    bus::Bus bus;
    rpc::Endpoint endpoint{bus};
    MainLoop main;
  };
  struct Node : Process {
    Node(boost::asio::io_context& loop, const bus::Options& options, const std::string& maps)
        : Process(loop, options), pool(tasks, {.maps = maps}) {}
    TaskChannels tasks{main, {.workers = 1}};
    CrowdPool pool;
    CrowdCalls calls{pool};
  };

  boost::asio::awaitable<bool> begin() {
    folder.write("field.txt", test::square(40));
    node = std::make_unique<Node>(loop, cluster.node("a", "crowds"), folder.path());
    space = std::make_unique<Process>(loop, cluster.node("b", "space"));
    other = std::make_unique<Process>(loop, cluster.node("b", "other"));
    const auto one = co_await node->bus.connect(use_awaitable);
    const auto two = co_await space->bus.connect(use_awaitable);
    const auto three = co_await other->bus.connect(use_awaitable);
    if (!one || !two || !three) co_return false;
    const auto bound = co_await node->endpoint.bind("service/crowds", node->calls, use_awaitable);
    co_return bound.has_value();
  }
  boost::asio::awaitable<Result<CrowdId>> create(CrowdPort& from, const CrowdSpec& spec) {
    std::optional<Result<CrowdId>> made;
    from.create(spec, [&](Result<CrowdId> crowd) { made = std::move(crowd); });
    const bool came = co_await until([&] { return made.has_value(); });
    EXPECT_TRUE(came);
    co_return *made;
  }
  boost::asio::awaitable<Result<Answer>> step(CrowdPort& from, Batch batch) {
    std::optional<Result<Answer>> answer;
    from.step(std::move(batch), [&](Result<Answer> each) { answer = std::move(each); });
    const bool came = co_await until([&] { return answer.has_value(); });
    EXPECT_TRUE(came);
    co_return *answer;
  }
  static Batch batch(CrowdId crowd, std::vector<Request> requests = {}) {
    Batch batch;
    batch.crowd = crowd;
    batch.number = 7;
    batch.passed_us = 100'000;
    batch.requests = std::move(requests);
    return batch;
  }

  test::TempFolder folder;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  std::unique_ptr<Node> node;
  std::unique_ptr<Process> space;
  std::unique_ptr<Process> other;
};

TEST_F(RemoteCrowdsTest, TheSameMessagesGoOverTheBus) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    RemoteCrowds remote(space->endpoint, "service/crowds");
    const auto crowd = co_await create(remote, test::spec());
    CO_TRUE(crowd);
    std::vector<Request> all{test::add(1, 5, 5),
                             test::add(2, 8, 5),
                             test::go(1, 3, 30, 5),
                             Chase{test::name(2), 1, test::name(1), 2, true, true},
                             Cancel{test::name(2), 2},
                             Teleport{test::name(2), 4, {20, 20, 0}},
                             Push{test::name(2), {1, 1, 0}, {}},
                             Remove{test::name(9)},
                             test::go(9, 5, 1, 1)};
    const auto answer = co_await step(remote, batch(*crowd, all));
    CO_TRUE(answer);
    EXPECT_EQ(answer->number, 7u);
    EXPECT_EQ(answer->passed_us, 100'000u);
    CO_TRUE(!answer->moved.empty());
    EXPECT_EQ(answer->moved[0].walker, test::name(1));
    EXPECT_EQ(answer->moved[0].version, 3u);
    EXPECT_GT(answer->moved[0].at.x, 5);
    CO_TRUE(answer->refused.size() == 2);
    EXPECT_EQ(answer->refused[0].why, nav::Errc::bad_option) << "it is not passive";
    EXPECT_TRUE(answer->refused[1].gone);
    EXPECT_EQ(answer->refused[1].why, Errc::unknown_walker);
    remote.destroy(*crowd);
    CO_TRUE(co_await until([&] { return node->pool.counts().crowds == 0; }));
    const auto gone = co_await step(remote, batch(*crowd));
    EXPECT_EQ(gone.error(), Errc::unknown_crowd);
  });
}

TEST_F(RemoteCrowdsTest, FailuresKeepTheirReason) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    RemoteCrowds remote(space->endpoint, "service/crowds");
    const auto none = co_await create(remote, test::spec("none.nav"));
    EXPECT_EQ(none.error(), Errc::no_map);
    EXPECT_THAT(none.error().detail, HasSubstr("none.nav: No such file"));
    RemoteCrowds nowhere(space->endpoint, "service/nowhere");
    const auto lost = co_await create(nowhere, test::spec());
    EXPECT_EQ(lost.error(), bus::Errc::no_owner);
  });
}

TEST_F(RemoteCrowdsTest, ACrowdIsThatOfTheProcessThatMadeIt) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    RemoteCrowds mine(space->endpoint, "service/crowds");
    RemoteCrowds theirs(other->endpoint, "service/crowds");
    const auto crowd = co_await create(mine, test::spec());
    CO_TRUE(crowd);
    const auto refused = co_await step(theirs, batch(*crowd));
    EXPECT_EQ(refused.error(), Errc::unknown_crowd);
    theirs.destroy(*crowd);
    const auto after = co_await create(theirs, test::spec());  // it comes after destroy
    EXPECT_TRUE(after);
    EXPECT_TRUE(node->pool.has(*crowd));
    const auto answer = co_await step(mine, batch(*crowd));
    EXPECT_TRUE(answer);
  });
}

TEST_F(RemoteCrowdsTest, EndsWithADeadlineIfNoAnswerComes) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        RemoteCrowds remote(space->endpoint, "service/crowds");
        const auto crowd = co_await create(remote, test::spec());
        CO_TRUE(crowd);
        const auto over = std::make_shared<std::atomic<bool>>(false);  // of the worker, too
        const auto held = node->tasks.submit(
            "",
            [over] {
              while (!*over) std::this_thread::sleep_for(1ms);
            },
            [](const auto&) {});
        CO_TRUE(held);
        const auto began = std::chrono::steady_clock::now();
        const auto late = co_await step(remote, batch(*crowd));
        EXPECT_EQ(late.error(), rpc::Errc::deadline);
        EXPECT_GE(std::chrono::steady_clock::now() - began, kStepDeadline);
        const auto later = co_await create(remote, test::spec());
        EXPECT_EQ(later.error(), rpc::Errc::deadline);
        EXPECT_GE(std::chrono::steady_clock::now() - began, kStepDeadline + kCreateDeadline);
        *over = true;
      },
      60s);
}

}  // namespace
}  // namespace starbus::nodes::crowds
