/// What nodes say that cannot be true, or is not theirs to say.
#include <cmath>
#include <limits>

#include "nodes/space/host/limits.hpp"
#include "nodes/space/registry/news_check.hpp"
#include "tests/nodes/space/registry/registry_fixture.hpp"

namespace starbus::nodes::space {
namespace {

constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr auto kForEver = std::chrono::milliseconds::max();

Announcement news_with(const SpaceRow& row) {
  Announcement news;
  news.spaces = {row};
  return news;
}
const SpaceRow kGoodRow{{6, 1}, {{"town", ""}, 1}, true, false, {}, 100, {40, 60}};

TEST(NewsCheck, WhatANodeMaySayPasses) {
  Announcement news = news_with(kGoodRow);
  news.busy_ms_per_s = 1e300;
  news.types = {"town"};
  news.labels = {"big"};
  EXPECT_TRUE(check_news(news));
  EXPECT_TRUE(check_news({}));
}

TEST(NewsCheck, CountsBeyondTheirLimitsAreRefused) {
  Announcement news;
  news.labels.assign(kMaxNodeLabels + 1, "x");
  EXPECT_EQ(check_news(news).error(), Errc::bad_request);
  news = {};
  news.types.assign(kMaxSpaceTypes + 1, "x");
  EXPECT_EQ(check_news(news).error(), Errc::bad_request);
  news = {};
  news.spaces.assign(kMaxHosted + 1, kGoodRow);
  EXPECT_EQ(check_news(news).error(), Errc::bad_request);
  news = {};
  news.labels = {std::string(kMaxSpaceLabel + 1, 'x')};
  EXPECT_EQ(check_news(news).error(), Errc::bad_request);
}

TEST(NewsCheck, ALoadThatIsNoNumberIsRefused) {
  Announcement news;
  for (const double load : {std::nan(""), kInfinite, -kInfinite}) {
    news.busy_ms_per_s = load;
    EXPECT_EQ(check_news(news).error(), Errc::bad_request) << load;
  }
}

TEST(NewsCheck, RowsThatCannotBeAreRefused) {
  const auto with = [](auto change) {
    SpaceRow row = kGoodRow;
    change(row);
    return check_news(news_with(row)).error().code;
  };
  EXPECT_EQ(with([](SpaceRow& row) { row.name.line = 0; }), Errc::bad_name);
  EXPECT_EQ(with([](SpaceRow& row) { row.name.line = kMost; }), Errc::bad_name);
  EXPECT_EQ(with([](SpaceRow& row) { row.name.place.type = "A"; }), Errc::bad_name);
  EXPECT_EQ(with([](SpaceRow& row) { row.name.place.key = "a.b"; }), Errc::bad_name);
  EXPECT_EQ(with([](SpaceRow& row) { row.life = {}; }), Errc::bad_request);
  EXPECT_EQ(with([](SpaceRow& row) { row.capacity = 0; }), Errc::bad_request);
  EXPECT_EQ(with([](SpaceRow& row) { row.capacity = kMost; }), Errc::bad_request);
  EXPECT_EQ(with([](SpaceRow& row) { row.seats.held = 61; }), Errc::bad_request);
  EXPECT_EQ(with([](SpaceRow& row) { row.seats = {kMost, 1}; }), Errc::bad_request);
}

class RegistryNews : public RegistryFixture {
 protected:
  void say(const std::string& node, Announcement news) {
    news.term = kTerm;
    news.types = {"town", "dungeon"};
    registry_->announced(node, news, now_);
    collect();
  }
  /// Begins without announcements: a former service may have left something.
  void wake(const std::vector<SpaceType>& types, const std::vector<std::string>& nodes) {
    SpaceTypes all;
    for (const SpaceType& type : types) all[type.name] = type;
    registry_.emplace(kTerm, all, now_);
    for (const std::string& node : nodes) registry_->node_came(node, now_);
    registry_->directory_complete(now_);
  }
  const PlaceId kTown{"town", ""};
  const SpaceRow kLeft{{kTerm - 1, 1}, {{"town", ""}, 1}, true, false, {}, 100, {40, 0}};
};

TEST_F(RegistryNews, AnnouncementsThatCannotBeTrueAreIgnored) {
  wake({town()}, {"a.1"});
  Announcement news;
  news.busy_ms_per_s = std::nan("");
  say("a.1", news);
  EXPECT_FALSE(registry_->nodes().find("a.1")->announced);
  news.busy_ms_per_s = 0;
  news.seen = 1'000'000;  // no such order was given
  say("a.1", news);
  EXPECT_FALSE(registry_->nodes().find("a.1")->announced);
  EXPECT_TRUE(registry_->rebuilding());
  news.seen = 1;
  say("a.1", news);
  EXPECT_FALSE(registry_->rebuilding());
}

TEST_F(RegistryNews, AnUnknownNodeEndsNoService) {
  wake({town()}, {"a.1"});
  Announcement news;
  news.term = kTerm + 1;
  registry_->announced("z.9", news, now_);
  EXPECT_FALSE(registry_->superseded());
  registry_->announced("a.1", news, now_);
  EXPECT_TRUE(registry_->superseded());
}

TEST_F(RegistryNews, AFewNodesThatClaimALaterServiceStopNothing) {
  wake({town()}, {"a.1", "b.1", "c.1"});
  for (const char* const node : {"a.1", "b.1", "c.1"}) say(node, {});
  Announcement news;
  news.term = kTerm + 1;
  registry_->announced("c.1", news, now_);
  EXPECT_FALSE(registry_->superseded());
  say("c.1", {});  // it has thought better of it
  registry_->announced("b.1", news, now_);
  EXPECT_FALSE(registry_->superseded());
  registry_->announced("c.1", news, now_);
  EXPECT_TRUE(registry_->superseded()) << "two of three";
}

TEST_F(RegistryNews, ALiarThatHasLeftCountsNoMore) {
  wake({town()}, {"a.1", "b.1", "c.1"});
  for (const char* const node : {"a.1", "b.1", "c.1"}) say(node, {});
  Announcement news;
  news.term = kTerm + 1;
  for (int i = 0; i < 5; ++i) {
    registry_->announced("c.1", news, now_);
    registry_->node_left("c.1", now_);
    registry_->node_came("c.1", now_);
  }
  EXPECT_FALSE(registry_->superseded());
}

TEST_F(RegistryNews, AnnouncementsBeyondTheRateAreIgnored) {
  wake({town()}, {"a.1", "b.1"});
  for (std::size_t i = 0; i < kNewsPerSecond; ++i) say("a.1", {});
  Announcement drains;
  drains.draining = true;
  say("a.1", drains);
  EXPECT_FALSE(registry_->nodes().find("a.1")->draining);
  say("b.1", drains);
  EXPECT_TRUE(registry_->nodes().find("b.1")->draining) << "another node's are heard";
  pass(1s);
  say("a.1", drains);
  EXPECT_TRUE(registry_->nodes().find("a.1")->draining);
}

TEST_F(RegistryNews, ANodeThatInventsSpacesCostsFewOrders) {
  wake({town(), dungeon()}, {"a.1"});
  Announcement invented;
  for (std::uint64_t i = 1; i <= kMaxHosted; ++i) {
    const PlaceId place{"dungeon", "k" + std::to_string(i)};
    invented.spaces.push_back({{kTerm, 1'000 + i}, {place, 1}, true, false, {}, 5, {1, 0}});
  }
  say("a.1", invented);
  EXPECT_EQ(take<Close>().size(), std::size_t{kEndsPerSecond});
  say("a.1", invented);
  EXPECT_TRUE(take<Close>().empty());
  pass(1s);
  say("a.1", invented);
  EXPECT_EQ(take<Close>().size(), std::size_t{kEndsPerSecond});
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryNews, SpacesThatANodeInventsHinderNoPlace) {
  wake({town()}, {"a.1", "b.1"});
  for (const char* const node : {"a.1", "b.1"}) say(node, {});
  const auto hero = enter(kTown);
  for (std::uint64_t i = 1; i <= kCreateTries; ++i) {
    SpaceRow starts = kLeft;
    starts.life.number = i;
    starts.name.line = 4;
    starts.ready = false;
    say("b.1", news_with(starts));
    say("b.1", {});  // and it has gone again
  }
  EXPECT_TRUE(waits(hero)) << "no creation of this service has failed";
  start(take_one<Create>());
  seat_all();
  EXPECT_TRUE(granted(hero));
}

TEST_F(RegistryNews, AReplyToNoOrderIsNoNews) {
  begin({town(2)}, {"a.1"});
  enter(kTown);
  const Order create = take_one<Create>();
  start(create);
  seat_all();
  enter(kTown);
  seat_all();
  enter(kTown);  // it waits for a further line: this one is full
  EXPECT_TRUE(take<Reserve>().empty());
  reply({"a.1", kTerm, 77'000, create.life, {}}, Reply::To::reserve);
  EXPECT_TRUE(take<Reserve>().empty()) << "who waits is looked at in the next step";
  pass(100ms);
  EXPECT_EQ(take<Reserve>().size(), 1U);
}

TEST_F(RegistryNews, NoNodeTakesTheLifeOfAnothersSpace) {
  wake({town()}, {"a.1", "b.1"});
  say("a.1", news_with(kLeft));
  SpaceRow stolen = kLeft;
  stolen.name.line = 2;
  say("b.1", news_with(stolen));
  EXPECT_EQ(take_one<Close>().node, "b.1");
  say("a.1", news_with(kLeft));
  EXPECT_TRUE(take<Close>().empty()) << "the true one goes on";
  ASSERT_EQ(registry_->lines(kTown).size(), 1U);
  EXPECT_EQ(registry_->lines(kTown)[0].node, "a.1");
}

TEST_F(RegistryNews, NoNodeTakesANameThatTheDirectoryShowsElsewhere) {
  wake({town()}, {"a.1", "b.1"});
  registry_->name_held({kTown, 1}, "a.1");
  SpaceRow stolen = kLeft;
  stolen.life.number = 2;
  say("b.1", news_with(stolen));
  EXPECT_TRUE(registry_->lines(kTown).empty());
  say("a.1", news_with(kLeft));
  EXPECT_TRUE(take<Close>().empty()) << "the true one goes on";
  ASSERT_EQ(registry_->lines(kTown).size(), 1U);
  EXPECT_EQ(registry_->lines(kTown)[0].node, "a.1");
}

TEST_F(RegistryNews, ASpaceThatIsListedTwiceIsOneAndItsNameHasOne) {
  wake({town()}, {"a.1"});
  SpaceRow other = kLeft;  // another life of the name
  other.life.number = 2;
  Announcement news;
  news.spaces = {kLeft, kLeft, other};
  say("a.1", news);
  const Order close = take_one<Close>();
  EXPECT_EQ(close.life, other.life);
  EXPECT_EQ(registry_->spaces().size(), 1U);
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 40U);
  EXPECT_EQ(registry_->nodes().find("a.1")->work.lives.size(), 1U);
  forget(close);
  say("a.1", news_with(kLeft));
  EXPECT_EQ(registry_->spaces().size(), 1U);
  registry_->node_left("a.1", now_);
  EXPECT_TRUE(registry_->spaces().empty());
}

TEST_F(RegistryNews, MoreSeatsThanASpaceHasCountAsFull) {
  begin({town(100, 1)}, {"a.1"});
  (void)enter(kTown);
  const Order create = take_one<Create>();
  start(create);
  const Order reserve = take_one<Reserve>();
  reply(reserve, Reply::To::reserve, {}, {kMost, 1});  // their sum is 0
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 100U);
  row(create.life).capacity = 5'000;
  row(create.life).seats = {5'000, 0};
  announce("a.1");
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 100U);
  EXPECT_EQ(code_of(enter(kTown)), Errc::full);
}

TEST_F(RegistryNews, AnEndThatNeverComesIsTheLongestCountdown) {
  wake({town()}, {"a.1"});
  SpaceRow endless = kLeft;
  endless.ending = true;
  endless.ends_in = kForEver;
  say("a.1", news_with(endless));
  EXPECT_EQ(registry_->lines(kTown)[0].state, "counting");
  pass(kLongestCountdown - 1s);
  EXPECT_TRUE(take<Close>().empty());
  pass(1s);
  EXPECT_EQ(registry_->lines(kTown)[0].state, "ending");
}

TEST_F(RegistryNews, ALongReasonOfANodeIsCut) {
  begin({town()}, {"a.1"});
  const auto hero = enter(kTown, 1, 0, 1s);
  const Error why(Errc::start_failed, std::string(1'000'000, 'x'));
  reply(take_one<Create>(), Reply::To::create, why);
  pass(1s);
  EXPECT_EQ(code_of(hero), Errc::create_failed);
  EXPECT_LT(answers_.at(hero).error().detail.size(), kMaxReason + 100);
}

TEST_F(RegistryNews, APatienceWithoutEndIsTheLongestOne) {
  begin({town()}, {"a.1"});
  const auto hero = enter(kTown, 1, 0, kForEver);
  const auto late = enter(kTown, 1, 0, -kForEver);
  pass(100ms);
  EXPECT_TRUE(waits(hero));
  EXPECT_FALSE(waits(late));
  pass(kLongestPatience);
  EXPECT_FALSE(waits(hero));
}

TEST_F(RegistryNews, APlaceOfAnotherScopeHasNoMinimumAndGoes) {
  SpaceType type = town();
  type.min_lines = type.precreated = 2;
  wake({type}, {"a.1"});
  SpaceRow odd = kLeft;
  odd.name.place.key = "k";  // the type has one place
  odd.seats = {};
  say("a.1", news_with(odd));
  const auto creates = take<Create>();
  EXPECT_EQ(creates.size(), 2U);
  for (const Order& order : creates) {
    EXPECT_EQ(std::get<Create>(order.what).name.place, kTown);
    start(order);
  }
  pass(kDefaultIdle);
  const Order close = take_one<Close>();
  EXPECT_EQ(close.life, odd.life);
  reply(close, Reply::To::close);
  EXPECT_TRUE(registry_->lines(odd.name.place).empty());
}

TEST_F(RegistryNews, AfterAnUncertainOrderItsNodeIsAskedUntilItSaysWhatItHandled) {
  begin({town()}, {"a.1"});
  const auto hero = enter(kTown);
  start(take_one<Create>());
  const Order lost = take_one<Reserve>();
  registry_->cancel(hero, now_);
  collect();
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 1U) << "the node may hold it";
  (void)take<Hello>();
  registry_->uncertain("a.1", lost.number);
  registry_->uncertain("z.9", lost.number);  // is ignored: it is gone
  pass(kHelloAgain);
  (void)take_one<Hello>();  // is lost as well
  announce("a.1");
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 1U);
  pass(kHelloAgain);
  const Order hello = take_one<Hello>();
  EXPECT_GT(hello.number, lost.number);
  seen_ = hello.number;
  announce("a.1");
  EXPECT_EQ(registry_->lines(kTown)[0].taken, 0U);
  pass(kHelloAgain);
  EXPECT_TRUE(take<Hello>().empty());
}

TEST_F(RegistryNews, SpacesAreListedInPartsAndCountedByState) {
  begin({dungeon()}, {"a.1"});
  for (const char* const key : {"b", "a", "c"}) (void)enter({"dungeon", key});
  start(take<Create>().front());
  const auto two = registry_->spaces_after({}, 2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(to_string(two[1].space), "dungeon.b-1");
  const auto rest = registry_->spaces_after(two[1].space, 2);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(to_string(rest[0].space), "dungeon.c-1");
  EXPECT_EQ(registry_->spaces().size(), 3U);
  const auto states = registry_->states();
  EXPECT_EQ(states[static_cast<std::size_t>(SpaceState::ready)], 1U);
  EXPECT_EQ(states[static_cast<std::size_t>(SpaceState::creating)], 2U);
}

}  // namespace
}  // namespace starbus::nodes::space
