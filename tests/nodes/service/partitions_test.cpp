/// Calls by key: to whoever has the partition, or will have it in time, and to nobody else.
#include "nodes/service/partitions.hpp"

#include <boost/asio/post.hpp>

#include "tests/nodes/service/support.hpp"

namespace starbus::nodes::service::test {
namespace {

class PartitionsTest : public HostTestBase {
 protected:
  /// What an answer resumes runs within the endpoint, which may not end there.
  auto leave_the_endpoint() { return boost::asio::post(loop, use_awaitable); }
  boost::asio::awaitable<void> place_all(Place& at, std::uint32_t partitions) {
    for (std::uint32_t i = 1; i <= partitions; ++i) {
      const InstanceId id{"rank", i, partitions};
      EXPECT_TRUE(at.place(id));
      const bool serves = co_await until([&] { return at.state(id) == InstanceState::serving; });
      EXPECT_TRUE(serves);
    }
  }
};

TEST_F(PartitionsTest, AKeyAlwaysReachesItsPartition) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto caller = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await caller->bus.connect(use_awaitable));
    Partitions ranks(caller->endpoint, "rank", 4);
    co_await place_all(*a, 4);
    for (int i = 0; i < 40; ++i) {
      const std::string key = "player/" + std::to_string(i);
      const auto added = co_await ranks.call<&Counter::add>(key, {}, key, 1);
      CO_OK(added);
    }
    a->host.withdraw_all([](const bus::Result<>&) {});
    CO_TRUE(co_await until([&] { return script.objects == 0; }));
    std::int64_t sum = 0;
    for (const auto& [name, total] : script.disk) {
      EXPECT_GT(total, 0) << name;
      sum += total;
    }
    EXPECT_EQ(sum, 40);
  });
}

TEST_F(PartitionsTest, ACallWaitsWhileItsPartitionIsBeingPlaced) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto b = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    const auto caller = place("b", "z");
    CO_OK(co_await caller->bus.connect(use_awaitable));
    Partitions ranks(caller->endpoint, "rank", 1);
    const KeyCallOptions brief{.deadline = 200ms};
    const auto early = co_await ranks.call<&Counter::add>("k", brief, "k", 1);
    EXPECT_FALSE(early);
    EXPECT_EQ(early.error(), Errc::not_placed);

    const InstanceId id{"rank", 1, 1};
    CO_OK(a->place(id));
    const auto waited = co_await ranks.call<&Counter::add>("k", {}, "k", 1);
    EXPECT_TRUE(waited && *waited == 1);

    // It goes to the other host while calls come all the time: each is counted once, but for those
    // on their way to it in that moment, of which nobody knows.
    constexpr int kCalls = 300;
    int answered = 0;
    int unknown = 0;
    boost::asio::steady_timer pace(loop);
    for (int i = 0; i < kCalls; ++i) {
      ranks.call<&Counter::add>("k", {.deadline = 10s}, "k",
                                1)([&](const Answer<std::int64_t, Error>& answer) {
        ++answered;
        if (answer) return;
        EXPECT_EQ(answer.error(), bus::Errc::owner_lost) << answer.error().to_string();
        ++unknown;
      });
      if (i == 50) {
        CO_OK(a->withdraw(id));
        CO_OK(b->place(id));
      }
      pace.expires_after(1ms);
      co_await pace.async_wait(use_awaitable);
    }
    CO_TRUE(co_await until([&] { return answered == kCalls; }));
    EXPECT_LE(unknown, 20) << "some milliseconds of calls: until the caller sees it";
    const auto total = co_await ranks.call<&Counter::add>("k", {}, "k", 0);
    CO_OK(total);
    EXPECT_LE(*total, 1 + kCalls);
    EXPECT_GE(*total, 1 + kCalls - unknown);
    EXPECT_EQ(script.most_at_once, 1);
    EXPECT_EQ(ranks.placed(), 1u);
    EXPECT_EQ(ranks.waiting(), 0u);
  });
}

TEST_F(PartitionsTest, WrongPartitionCountReachesNoOwner) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    co_await place_all(*a, 2);
    Partitions wrong(a->endpoint, "rank", 3);
    const auto refused = co_await wrong.call<&Counter::add>("k", {}, "k", 1);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.error(), Errc::wrong_partitions);
    EXPECT_EQ(refused.error().detail, "rank has 2 partitions, not 3");
    // And who calls a partition by hand that is not the key's is told by the partition.
    const InstanceId other{"rank", 3 - partition_of("k", 2), 2};
    const std::string channel = channel_name(other);
    const auto misled = co_await rpc::call<&Counter::add>(a->endpoint, channel, {}, "k", 1);
    EXPECT_FALSE(misled);
    EXPECT_EQ(misled.error(), rpc::Errc::refused);
    EXPECT_EQ(misled.error().error, Errc::not_mine);
    co_await leave_the_endpoint();
  });
}

TEST_F(PartitionsTest, EveryOtherEndIsTyped) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    auto ranks = std::make_unique<Partitions>(a->endpoint, "rank", 2);
    std::vector<Code> ends;
    const auto note = [&](const Answer<std::int64_t, Error>& answer) {
      ends.push_back(answer ? Errc::ok : answer.error().code);
    };
    for (std::size_t i = 0; i < kMaxWaitingCalls; ++i) {
      ranks->call<&Counter::add>("k", {.deadline = 1min}, "k", 1)(note);
    }
    CO_TRUE(co_await until([&] { return ranks->waiting() == kMaxWaitingCalls; }));
    ranks->call<&Counter::add>("k", {}, "k", 1)(note);
    CO_TRUE(co_await until([&] { return ends.size() == 1; }));
    EXPECT_EQ(ends.front(), Errc::would_block);
    ranks.reset();
    CO_TRUE(co_await until([&] { return ends.size() == 1 + kMaxWaitingCalls; }));
    EXPECT_EQ(ends.back(), Errc::closed);

    co_await place_all(*a, 1);
    Partitions one(a->endpoint, "rank", 1);
    const auto unfit = co_await one.call<&Counter::where>("k", {});
    CO_OK(unfit);
    co_await leave_the_endpoint();
  });
}

}  // namespace
}  // namespace starbus::nodes::service::test
