#include "nodes/space/host/hosted_spaces.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "nodes/space/host/limits.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space {
namespace {

using namespace std::chrono_literals;

SpaceType plain(std::string name, std::uint32_t capacity = 3) {
  SpaceType type;
  type.name = std::move(name);
  type.capacity = capacity;
  type.max = {100, 100, 0};
  type.sight = type.cell = 30;
  type.ticks_per_second = 10;
  return type;
}

class HostedSpacesTest : public ::testing::Test {
 protected:
  Order order(std::uint64_t life, decltype(Order::what) what) {
    return {"a.1", term_, ++number_, {1, life}, std::move(what)};
  }
  void obey(std::uint64_t life, decltype(Order::what) what) {
    ASSERT_TRUE(host_.obey(order(life, std::move(what)), now_));
  }
  void create(std::uint64_t life, std::uint32_t line = 1, std::uint32_t capacity = 3) {
    obey(life, Create{{{"town", ""}, line}, plain("town", capacity), ""});
  }
  void run(std::uint64_t life, std::uint32_t line = 1) {
    create(life, line);
    host_.started({1, life}, {});
    (void)host_.take_work();
    (void)host_.take_replies();
  }
  void reserve(std::uint64_t life, std::initializer_list<std::uint64_t> tickets) {
    Reserve all{{}, 30s};
    for (const std::uint64_t ticket : tickets) all.tickets.push_back({term_, ticket});
    obey(life, all);
  }
  Reply reply() {
    auto replies = host_.take_replies();
    EXPECT_EQ(replies.size(), 1U);
    return replies.empty() ? Reply{} : replies.front();
  }
  template <class What>
  What work() {
    auto all = host_.take_work();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? What{} : std::get<What>(all.front());
  }

  Time now_ = 1h;
  std::uint64_t term_ = 5;
  std::uint64_t number_ = 0;
  HostedSpaces host_{{"town"}, {"big"}};
};

TEST_F(HostedSpacesTest, ASpaceStartsTakesPlayersInAndEnds) {
  create(1);
  EXPECT_EQ(work<HostedSpaces::Start>().life, (Life{1, 1}));
  EXPECT_TRUE(host_.take_replies().empty());
  reserve(1, {1});
  EXPECT_EQ(reply().result.error(), Errc::unknown_space);  // it still starts
  host_.started({1, 1}, {});
  EXPECT_TRUE(reply().result);
  reserve(1, {2, 3});
  EXPECT_EQ(reply().seats, (Seats{0, 2}));
  EXPECT_EQ(host_.arrive({term_, 1}, now_).error(), Errc::unknown_ticket);
  EXPECT_EQ(*host_.arrive({term_, 2}, now_), (Life{1, 1}));
  EXPECT_EQ(host_.arrive({term_, 2}, now_).error(), Errc::unknown_ticket);
  obey(1, Close{false});
  EXPECT_EQ(reply().result.error(), Errc::occupied);
  obey(1, Release{{{term_, 2}, {term_, 3}}});
  host_.leave({1, 1});
  obey(1, Close{false});
  EXPECT_EQ(work<HostedSpaces::End>().life, (Life{1, 1}));
  EXPECT_TRUE(host_.take_replies().empty());  // it has not ended yet
  reserve(1, {4});
  EXPECT_EQ(reply().result.error(), Errc::ends);
  host_.ended({1, 1});
  const Reply closed = reply();
  EXPECT_TRUE(closed.result);
  EXPECT_EQ(closed.to, Reply::To::close);
  EXPECT_EQ(host_.size(), 0U);
  obey(1, Close{true});
  EXPECT_TRUE(reply().result);  // it has gone already
}

TEST_F(HostedSpacesTest, SeatsNeverExceedTheCapacityAndTeamsGetAllOrNone) {
  run(1);
  reserve(1, {1, 2});
  EXPECT_TRUE(reply().result);
  reserve(1, {3, 4});
  const Reply refused = reply();
  EXPECT_EQ(refused.result.error(), Errc::full);
  EXPECT_EQ(refused.seats, (Seats{0, 2}));
  EXPECT_EQ(host_.arrive({term_, 3}, now_).error(), Errc::unknown_ticket);
  reserve(1, {5});
  EXPECT_TRUE(reply().result);
}

TEST_F(HostedSpacesTest, HeldSeatsExpire) {
  run(1);
  reserve(1, {1, 2, 3});
  (void)host_.take_replies();
  now_ += 30s - 1ms;
  host_.due(now_);
  EXPECT_TRUE(host_.arrive({term_, 1}, now_));
  now_ += 1ms;
  EXPECT_EQ(host_.arrive({term_, 2}, now_).error(), Errc::unknown_ticket);
  host_.due(now_);
  EXPECT_EQ(host_.announcement(0, now_).spaces[0].seats, (Seats{1, 0}));
}

TEST_F(HostedSpacesTest, ACountdownGivesUpHeldSeatsAndEndsWithoutTheService) {
  run(1);
  reserve(1, {1, 2});
  (void)host_.arrive({term_, 1}, now_);
  (void)host_.take_replies();
  obey(1, Countdown{10s});
  EXPECT_EQ(work<HostedSpaces::Warn>().after, 10s);
  EXPECT_EQ(host_.arrive({term_, 2}, now_).error(), Errc::unknown_ticket);
  reserve(1, {3});
  EXPECT_EQ(reply().result.error(), Errc::ends);
  EXPECT_EQ(host_.end_by_itself({1, 1}, 1s, now_).error(), Errc::ends);
  EXPECT_EQ(host_.announcement(0, now_).spaces[0].ends_in, 10s);
  now_ += 10s;
  host_.due(now_);
  EXPECT_EQ(work<HostedSpaces::End>().life, (Life{1, 1}));
  host_.ended({1, 1});
  EXPECT_TRUE(host_.take_replies().empty());
  EXPECT_TRUE(host_.announcement(0, now_).spaces.empty());
}

TEST_F(HostedSpacesTest, AnEarlierServiceIsNotObeyed) {
  run(1);
  Order stale = order(2, Create{{{"town", ""}, 2}, {}, ""});
  term_ = 6;
  obey(0, Hello{});
  EXPECT_TRUE(host_.take_announce());
  EXPECT_FALSE(host_.take_announce());
  EXPECT_EQ(host_.obey(stale, now_).error(), Errc::stale_service);
  EXPECT_EQ(host_.size(), 1U);
  EXPECT_EQ(host_.announcement(12, now_).term, 6U);
  EXPECT_EQ(host_.announcement(12, now_).seen, number_);
}

TEST_F(HostedSpacesTest, RepeatedOrdersAreAnsweredAgainAndDoNothingTwice) {
  create(1);
  create(1);
  EXPECT_EQ(work<HostedSpaces::Start>().life, (Life{1, 1}));
  host_.started({1, 1}, {});
  EXPECT_EQ(reply().number, number_);
  create(1);
  EXPECT_TRUE(reply().result);
  obey(1, Close{true});
  obey(1, Close{true});
  EXPECT_EQ(work<HostedSpaces::End>().life, (Life{1, 1}));
  host_.ended({1, 1});
  EXPECT_EQ(reply().number, number_);
}

TEST_F(HostedSpacesTest, WhatCannotBeHereIsRefused) {
  run(1);
  create(2, 1);
  EXPECT_EQ(reply().result.error(), Errc::already_there);
  obey(3, Create{{{"arena", ""}, 1}, plain("arena"), ""});
  EXPECT_EQ(reply().result.error(), Errc::unknown_type);
  create(4, 2);
  (void)host_.take_work();
  host_.started({1, 4}, Error(Errc::start_failed, "no map"));
  EXPECT_EQ(reply().result.error(), Errc::start_failed);
  EXPECT_EQ(host_.size(), 1U);
  host_.drain();
  create(5, 3);
  EXPECT_EQ(reply().result.error(), Errc::ends);
  reserve(1, {1});
  EXPECT_EQ(reply().result.error(), Errc::ends);
  EXPECT_TRUE(host_.announcement(0, now_).draining);
}

TEST_F(HostedSpacesTest, OneThatStillStartsEndsWhenItIsForced) {
  create(1);
  (void)host_.take_work();
  obey(1, Close{false});
  EXPECT_EQ(reply().result.error(), Errc::occupied);
  obey(1, Close{true});
  EXPECT_EQ(work<HostedSpaces::End>().life, (Life{1, 1}));
  host_.started({1, 1}, {});  // too late
  EXPECT_TRUE(host_.take_replies().empty());
  host_.ended({1, 1});
  EXPECT_EQ(reply().to, Reply::To::close);
}

TEST_F(HostedSpacesTest, AbsurdTypesAreRefusedBeforeAnythingIsMade) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto refused = [&](const char* what, const std::function<void(Create&)>& spoil) {
    Create create{{{"town", ""}, 1}, plain("town"), ""};
    spoil(create);
    obey(7, create);
    const Reply said = reply();
    EXPECT_TRUE(said.result.error() == Errc::bad_request || said.result.error() == Errc::bad_name)
        << what << ": " << said.result.error().to_string();
    EXPECT_EQ(said.to, Reply::To::create) << what;
    EXPECT_TRUE(host_.take_work().empty()) << what;
    EXPECT_EQ(host_.size(), 0U) << what;
  };
  refused("no tick", [](Create& c) { c.type.ticks_per_second = 0; });
  refused("many ticks", [](Create& c) { c.type.ticks_per_second = kMaxTicksPerSecond + 1; });
  refused("no room", [](Create& c) { c.type.capacity = 0; });
  refused("much room", [](Create& c) { c.type.capacity = kMaxCapacity + 1; });
  refused("no corner", [&](Create& c) { c.type.max[0] = nan; });
  refused("no height", [&](Create& c) { c.type.min[2] = nan; });
  refused("no area", [](Create& c) { c.type.max = c.type.min; });
  refused("beyond the world", [](Create& c) { c.type.max[1] = 1e30F; });
  refused("too many cells", [](Create& c) {
    c.type.min = {-1e6F, -1e6F, 0};
    c.type.max = {1e6F, 1e6F, 0};
    c.type.cell = 1;
  });
  refused("a cell without size", [](Create& c) { c.type.cell = 0; });
  refused("a cell of no size", [&](Create& c) { c.type.cell = nan; });
  refused("endless sight", [](Create& c) { c.type.sight = 1e9F; });
  refused("line 0", [](Create& c) { c.name.line = 0; });
  refused("a far line", [](Create& c) { c.name.line = kMaxLines + 1; });
  refused("a key of another form", [](Create& c) { c.name.place.key = "../x"; });
  refused("a type of another form", [](Create& c) { c.type.name = c.name.place.type = "Town!"; });
  refused("the name of another type", [](Create& c) { c.name.place.type = "arena"; });
  refused("a large setup", [](Create& c) { c.setup.assign(kMaxSetup + 1, 'x'); });
  refused("many labels", [](Create& c) { c.type.labels.resize(kMaxSpaceLabels + 1); });
}

TEST_F(HostedSpacesTest, AbsurdOrdersForASpaceAreRefused) {
  run(1);
  const auto reserved = [&](const Reserve& reserve) {
    obey(1, reserve);
    return reply().result.error();
  };
  EXPECT_EQ(reserved({std::vector<Ticket>(1'000'000), 30s}), Errc::bad_request);
  EXPECT_EQ(reserved({{}, 30s}), Errc::bad_request);
  EXPECT_EQ(reserved({{{5, 1}, {5, 1}}, 30s}), Errc::bad_request);
  EXPECT_EQ(reserved({{{5, 1}}, -1ms}), Errc::bad_request);
  EXPECT_EQ(reserved({{{5, 1}}, std::chrono::milliseconds::max()}), Errc::bad_request);
  EXPECT_EQ(reserved({{{5, 1}}, 30s}), Errc::ok);
  EXPECT_EQ(reserved({{{5, 1}}, 30s}), Errc::bad_request) << "a seat is held for it";
  run(2, 2);
  obey(2, Reserve{{{5, 1}}, 30s});
  EXPECT_EQ(reply().result.error(), Errc::bad_request) << "in another space";
  const auto told = [&](decltype(Order::what) what) {
    return host_.obey(order(1, std::move(what)), now_).error();
  };
  EXPECT_EQ(told(Countdown{-1ms}), Errc::bad_request);
  EXPECT_EQ(told(Countdown{std::chrono::milliseconds::max()}), Errc::bad_request);
  EXPECT_EQ(told(Release{std::vector<Ticket>(1'000'000)}), Errc::bad_request);
  EXPECT_EQ(host_.end_by_itself({1, 1}, -1ms, now_).error(), Errc::bad_request);
  EXPECT_EQ(host_.end_by_itself({1, 1}, 61min, now_).error(), Errc::bad_request);
  EXPECT_TRUE(host_.take_work().empty());
  EXPECT_EQ(host_.announcement(0, now_).spaces[0].seats, (Seats{0, 1}));
}

TEST_F(HostedSpacesTest, ADrainEndsEmptySpacesAtOnceAndTheOthersInTime) {
  for (const std::uint64_t life : {1U, 2U, 3U}) {
    run(life, static_cast<std::uint32_t>(life));
    reserve(life, {life * 10, life * 10 + 1});
  }
  (void)host_.arrive({term_, 10}, now_);
  (void)host_.arrive({term_, 30}, now_);
  obey(3, Countdown{10min});
  (void)host_.take_work();
  (void)host_.take_replies();
  host_.drain(3s, now_);
  const auto work = host_.take_work();
  ASSERT_EQ(work.size(), 3U);
  EXPECT_EQ(std::get<HostedSpaces::Warn>(work[0]).after, 3s);
  EXPECT_EQ(std::get<HostedSpaces::End>(work[1]).life, (Life{1, 2})) << "nobody is there";
  EXPECT_EQ(std::get<HostedSpaces::Warn>(work[2]).life, (Life{1, 3})) << "10 min are too long";
  EXPECT_EQ(host_.arrive({term_, 11}, now_).error(), Errc::unknown_ticket);
  now_ += 3s;
  host_.due(now_);
  EXPECT_EQ(host_.take_work().size(), 2U);
  create(9, 9);
  EXPECT_EQ(reply().result.error(), Errc::ends);
}

TEST_F(HostedSpacesTest, SpacesAreBounded) {
  for (std::uint32_t i = 1; i <= kMaxHosted; ++i) create(i, i);
  EXPECT_TRUE(host_.take_replies().empty());
  create(kMaxHosted + 1, kMaxHosted + 1);
  EXPECT_EQ(reply().result.error(), Errc::would_block);
}

/// From its acceptance by the node until its arrival, of which the source's death may keep it.
TEST_F(HostedSpacesTest, AClaimedSeatOutlivesADrainAndACountdownAndIsHeldAfresh) {
  for (const std::uint64_t life : {1U, 2U}) {
    run(life, static_cast<std::uint32_t>(life));
    reserve(life, {life * 10, life * 10 + 1});
  }
  (void)host_.take_replies();
  now_ += 20s;
  EXPECT_TRUE(host_.claim({term_, 10}, 30s, now_));
  EXPECT_TRUE(host_.claim({term_, 10}, 30s, now_)) << "an attempt that is repeated";
  EXPECT_TRUE(host_.claim({term_, 20}, 30s, now_));
  EXPECT_EQ(host_.claim({term_, 12}, 30s, now_).error(), Errc::unknown_ticket);
  EXPECT_EQ(host_.claimed(), 2U);
  now_ += 20s;
  EXPECT_EQ(host_.claim({term_, 11}, 30s, now_).error(), Errc::unknown_ticket) << "40 s";
  obey(1, Countdown{10min});
  EXPECT_EQ(host_.claim({term_, 10}, 30s, now_).error(), Errc::ends);
  host_.drain();
  EXPECT_EQ(host_.claim({term_, 20}, 30s, now_).error(), Errc::ends);
  host_.due(now_);
  EXPECT_EQ(host_.arrive({term_, 21}, now_).error(), Errc::unknown_ticket) << "was not claimed";
  EXPECT_TRUE(host_.arrive({term_, 10}, now_));
  now_ += 10s;
  host_.due(now_);
  EXPECT_EQ(host_.arrive({term_, 20}, now_).error(), Errc::unknown_ticket) << "30 s and no more";
  EXPECT_EQ(host_.claimed(), 0U);
}

TEST_F(HostedSpacesTest, RoomInASpaceThatWasFullIsNews) {
  run(1);
  reserve(1, {1, 2});
  obey(1, Release{{{term_, 1}}});
  EXPECT_FALSE(host_.take_room()) << "it was not full";
  reserve(1, {3, 4});
  EXPECT_TRUE(host_.arrive({term_, 2}, now_));
  EXPECT_FALSE(host_.take_room());
  host_.leave({1, 1});
  EXPECT_TRUE(host_.take_room());
  EXPECT_FALSE(host_.take_room()) << "once";
  reserve(1, {5});
  obey(1, Release{{{term_, 5}}});
  EXPECT_TRUE(host_.take_room());
  reserve(1, {6});
  now_ += 30s;
  host_.due(now_);
  EXPECT_TRUE(host_.take_room());
}

}  // namespace
}  // namespace starbus::nodes::space
