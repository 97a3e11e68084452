// How busy nodes hold the login queue: figures by hand, and a world of nodes that answer late, are
// silent or lie, in which no more may enter than the model allows.
#include "nodes/login/core/node_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <limits>
#include <set>

#include "nodes/login/core/places.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Time kLong = 60s;  // after which smoothing has forgotten what was before

LoadOptions for_space() {
  LoadOptions options;
  options.roles = {"space"};
  return options;
}
NodeBusy busy(std::string name, double ms_per_s, Time age = 0s) {
  return {std::move(name), ms_per_s, age};
}

TEST(NodeLoadsTest, ARateThatTheLoadLowers) {
  RoleLoad role("space", for_space(), 0s);
  Time now = 0s;
  const auto share_at = [&](double load) {
    now += kLong;
    role.report({busy("a.space-1", load)}, now);
    return role.share(now);
  };
  EXPECT_EQ(share_at(0), 1);
  EXPECT_NEAR(share_at(kLoadFull), 1, 0.001);
  EXPECT_NEAR(share_at((kLoadFull + kLoadNone) / 2), 0.5, 0.001);
  EXPECT_EQ(share_at(1'000), 0);
  // Once closed, it opens at kLoadFull.
  EXPECT_EQ(share_at((kLoadFull + kLoadNone) / 2), 0);
  EXPECT_EQ(share_at(kLoadFull + 1), 0);
  EXPECT_NEAR(share_at(kLoadFull - 1), 1, 0.001);
  EXPECT_NEAR(share_at((kLoadFull + kLoadNone) / 2), 0.5, 0.001);
}

TEST(NodeLoadsTest, ABurstCountsBeforeReportsShowIt) {
  RoleLoad role("space", for_space(), 0s);
  role.report({busy("a.space-1", 500), busy("a.space-2", 100)}, 0s);
  EXPECT_EQ(role.view(0s).load, 300U);
  for (int i = 0; i < 40; ++i) role.entered(1s);
  EXPECT_EQ(role.view(1s).load, 300 + 40 * kLoadWeight / 2);
  EXPECT_EQ(role.view(1s).pending, 40);
  role.left();
  EXPECT_EQ(role.view(1s).pending, 39);
  // Reports that cannot show them yet change nothing.
  role.report({busy("a.space-1", 500), busy("a.space-2", 100)}, 5s);
  EXPECT_EQ(role.view(5s).pending, 39);
  // Once they can, those who are let in fade as what they cost comes into the figures.
  const double shown = 39.0 * kLoadWeight / 2;
  for (Time now = 13s; now < 60s; now += 2s) {
    role.report({busy("a.space-1", 500 + shown), busy("a.space-2", 100 + shown)}, now);
    EXPECT_NEAR(role.view(now).load, 300 + shown, 2);
  }
  EXPECT_LT(role.view(60s).pending, 0.1);
}

TEST(NodeLoadsTest, ReportsAreSmoothed) {
  RoleLoad role("space", for_space(), 0s);
  role.report({busy("a.space-1", 100)}, 0s);
  role.report({busy("a.space-1", 1'000)}, 1s);  // one turn that was long
  EXPECT_EQ(role.share(1s), 1);
  role.report({busy("a.space-1", 1'000)}, 1s);  // the same again
  EXPECT_EQ(role.share(1s), 1);
  Time now = 1s;
  for (; role.share(now) > 0 && now < kLong; now += 1s)
    role.report({busy("a.space-1", 1'000)}, now);
  EXPECT_GT(now, 5s);
  EXPECT_LT(now, 15s);
}

TEST(NodeLoadsTest, WhoIsSilentIsFullAndThenForgotten) {
  RoleLoad role("space", for_space(), 0s);
  const auto ages = [&](Time one, Time other, Time now) {
    role.report({busy("a.space-1", 0, one), busy("a.space-2", 0, other)}, now);
    return role.view(now);
  };
  EXPECT_EQ(ages(0s, 0s, 200s).silent, 0U);
  EXPECT_EQ(ages(0s, kLoadStale + 2ms, 201s + kLoadStale).load, kLoadNone / 2);
  EXPECT_EQ(role.view(201s + kLoadStale).silent, 1U);
  EXPECT_EQ(ages(0s, kLoadForget + 1s, 201s + kLoadForget).nodes, 1U);
  EXPECT_EQ(role.view(201s + kLoadForget).load, 0U);
  // Nothing is heard any more: closed, and later a small share.
  const Time last = 201s + kLoadForget;
  EXPECT_EQ(role.share(last + kLoadStale), 1);
  EXPECT_EQ(role.next(last + kLoadStale), last + kLoadStale + 1ms);
  EXPECT_EQ(role.share(last + kLoadStale + 1ms), 0);
  EXPECT_EQ(role.share(last + kLoadForget), 0);
  EXPECT_EQ(role.next(last + kLoadStale + 1ms), last + kLoadForget + 1ms);
  EXPECT_NEAR(role.share(last + kLoadForget + 1ms), 1.0 / kLoadBlindShare, 1e-9);
  EXPECT_EQ(role.view(last + kLong + kLoadForget).state, RoleState::blind);
  // The first report counts at once.
  role.report({busy("a.space-1", 10)}, last + kLong + kLoadForget);
  EXPECT_EQ(role.share(last + kLong + kLoadForget), 1);
}

TEST(NodeLoadsTest, ARoleWithoutNodesOrReportsIsClosed) {
  RoleLoad role("space", for_space(), 0s);
  EXPECT_EQ(role.view(1s).state, RoleState::unknown);
  EXPECT_EQ(role.share(1s), 0);
  role.report({}, 2s);
  EXPECT_EQ(role.view(2s).state, RoleState::missing);
  EXPECT_EQ(role.share(2s), 0);
  role.report({{"a.space-1", 0, {}}}, 3s);  // it has not answered yet
  EXPECT_EQ(role.share(3s), 0);
  role.report({busy("a.space-1", 0)}, 4s);
  EXPECT_EQ(role.share(4s), 1);
}

TEST(NodeLoadsTest, OneThatLiesMovesItsOwnShareAlone) {
  for (const double lie : {1e300, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    RoleLoad role("space", for_space(), 0s);
    role.report({busy("a.space-1", lie), busy("a.space-2", 200)}, 0s);
    EXPECT_EQ(role.view(0s).load, (kLoadNone + 200) / 2) << lie;
    EXPECT_EQ(role.share(0s), 1) << lie;
  }
  // Three that say to be idle do not hide that the fourth is full from those who look.
  RoleLoad role("space", for_space(), 0s);
  role.report({busy("a.space-1", 0, -5s), busy("a.space-2", 1'000)}, 0s);
  EXPECT_EQ(role.view(0s).load, kLoadNone / 2);
}

TEST(NodeLoadsTest, AreBounded) {
  RoleLoad role("space", for_space(), 0s);
  std::vector<NodeBusy> nodes;
  for (std::uint64_t i = 0; i < kLoadNodes + 5; ++i) nodes.push_back(busy(std::to_string(i), 1));
  role.report(nodes, 0s);
  EXPECT_EQ(role.view(0s).nodes, kLoadNodes);
  // Nobody is forgotten, however long there is no report.
  for (Time now = 0s; now < 300s; now += 1s) role.entered(now);
  EXPECT_EQ(role.view(300s).pending, 300);
}

TEST(NodeLoadsTest, TheFullestRoleCounts) {
  LoadOptions options = for_space();
  options.roles.emplace_back("accounts");
  NodeLoads loads(options);
  loads.report("space", {busy("a.space-1", 0)}, 0s);
  EXPECT_EQ(loads.share(0s), 0);  // accounts are unknown
  loads.report("accounts", {busy("a.accounts-1", 800)}, 0s);
  loads.report("other", {busy("a.other-1", 1'000)}, 0s);
  EXPECT_NEAR(loads.share(0s), 0.5, 0.001);
  EXPECT_EQ(NodeLoads({}).share(0s), 1);  // without roles loads do not count
}

TEST(PlacesTest, SaysWhatHoldsTheQueue) {
  PlaceOptions options;
  options.load = for_space();
  Places places(options);
  const auto why_at = [&](Time now) { return why(places.view(now), options.load); };
  EXPECT_THAT(why_at(1s), HasSubstr("none has reported"));
  places.measured({10, 10}, 1s);
  EXPECT_THAT(why_at(1s), HasSubstr("10 sessions and 0 on their way, of 10"));
  places.measured({10, 20}, 1s);
  EXPECT_THAT(why_at(1s), HasSubstr("role space: no report"));
  places.nodes("space", {}, 1s);
  EXPECT_THAT(why_at(1s), HasSubstr("no ready node"));
  places.nodes("space", {busy("a.space-1", 950)}, 2s);
  EXPECT_THAT(why_at(2s), HasSubstr("full, 900 of 900 ms per second; it opens at 700"));
  places.nodes("space", {busy("a.space-1", 0)}, 2s + kLong);
  places.measured({10, 20}, 2s + kLong);
  EXPECT_EQ(why_at(2s + kLong), "");
  EXPECT_STREQ(name_of(places.view(2s + kLong).hold), "rate");
  EXPECT_STREQ(name_of(places.view(3s + kLong).hold), "nothing");
}

// --- a world of nodes ----------------------------------------------------------------------------

/// Nodes whose true load is known: each player costs `cost` on one of them, some seconds after it
/// was let in. The oracle counts, and knows nothing of smoothing.
struct Town {
  struct Player {
    Time at{0};  // when its cost shows
    std::size_t node = 0;
  };
  double shown(std::size_t node, Time at) const {
    double load = base[node];
    for (const Player& each : players) load += each.node == node && each.at <= at ? cost : 0;
    return load;
  }
  double total(std::size_t node) const { return shown(node, Time::max()); }
  void enter(Time now, Time until_shown) {
    std::size_t least = 0;
    for (std::size_t i = 1; i < base.size(); ++i) {
      if (total(i) < total(least)) least = i;
    }
    players.push_back({now + until_shown, least});
  }
  double mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < base.size(); ++i) sum += total(i);
    return sum / static_cast<double>(base.size());
  }
  std::vector<NodeBusy> report(Time now, Time age) const {
    std::vector<NodeBusy> nodes;
    for (std::size_t i = 0; i < base.size(); ++i) {
      nodes.push_back(busy("n" + std::to_string(i), shown(i, now - age), age));
    }
    return nodes;
  }

  std::vector<double> base;
  double cost = 0;
  std::vector<Player> players{};
};

/// At most so many in any window, and one second's worth more.
void check_windows(const std::vector<Time>& entries, double per_second) {
  for (const Time window : {Time(100), Time(1'000), Time(10'000)}) {
    const double most = per_second * (static_cast<double>(window.count()) / 1'000 + 1) + 1;
    std::size_t first = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      while (entries[i] - entries[first] > window) ++first;
      RC_ASSERT(static_cast<double>(i - first + 1) <= most);
    }
  }
}

RC_GTEST_PROP(NodeLoadsProperty, NoMoreEnterThanTheModelAllows, ()) {
  PlaceOptions options;
  options.load = for_space();
  options.per_second = *rc::gen::inRange<std::uint32_t>(1, 300);
  Places places(options);
  Town town;
  const std::size_t nodes = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t i = 0; i < nodes; ++i) town.base.push_back(*rc::gen::inRange(0, 600));
  town.cost = *rc::gen::inRange(1, static_cast<int>(kLoadWeight) + 1);
  Time now = 1'000s;
  const Time age = Time(*rc::gen::inRange(0, 2'000));
  places.nodes("space", town.report(now, age), now);
  std::vector<Time> entries;
  for (int step = 0; step < 40; ++step) {
    const int silence = *rc::gen::weightedElement<int>({{12, 1}, {2, 4}, {1, 30}});
    const Time next = now + Time(*rc::gen::inRange(1, 3'000)) * silence;
    for (; now < next; now += 200ms) {
      places.measured({0, 1'000'000}, now);
      while (places.take(now)) {
        town.enter(now, Time(*rc::gen::inRange<std::int64_t>(0, Time(kMeasureLag).count())));
        entries.push_back(now);
        RC_ASSERT(town.mean() <= kLoadNone + kLoadWeight);
      }
    }
    places.nodes("space", town.report(now, age), now);
  }
  check_windows(entries, options.per_second);
  // All leave: the queue moves again, at its whole rate.
  town.players.clear();
  for (double& base : town.base) base = 0;
  const Time until = now + kLoadForget;
  int entered = 0;
  for (; now < until; now += 2s) {
    places.nodes("space", town.report(now, 0s), now);
    places.measured({0, 1'000'000}, now);
    while (places.take(now)) ++entered;
  }
  RC_ASSERT(entered > 0);
}

RC_GTEST_PROP(NodeLoadsProperty, WhoLiesOrIsSilentClosesNothingForEver, ()) {
  PlaceOptions options;
  options.load = for_space();
  Places places(options);
  Time now = 1'000s;
  const auto others = *rc::gen::inRange<std::size_t>(0, 4);  // honest ones
  const bool lies = *rc::gen::arbitrary<bool>();
  const double said = *rc::gen::element(0.0, 1'000.0, -1.0, 1e18);
  const auto report = [&] {
    std::vector<NodeBusy> nodes{busy("liar", said, lies ? 0s : now - 1'000s)};
    for (std::size_t i = 0; i < others; ++i) nodes.push_back(busy(std::to_string(i), 100));
    places.nodes("space", nodes, now);
  };
  std::vector<Time> entries;
  for (; now < 1'000s + kLoadForget + 30s; now += 2s) {
    report();
    places.measured({0, 1'000'000}, now);
    while (places.take(now)) entries.push_back(now);
  }
  check_windows(entries, options.per_second);
  // The only node of a role is believed if it says to be full: nobody could live elsewhere.
  const bool says_full = lies && (said < 0 || said >= kLoadNone);
  if (others > 0 || !says_full) {
    RC_ASSERT(!entries.empty());
    RC_ASSERT(now - entries.back() < 30s);
  }
}

}  // namespace
}  // namespace starbus::nodes::login
