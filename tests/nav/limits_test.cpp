/// Reaches each limit of ways: what is beyond is refused, with the limit's name.
#include "nav/limits.hpp"

#include <gtest/gtest.h>

#include "nav/formats/moving_ai.hpp"
#include "nav/grid/cell_search.hpp"
#include "nav/grid/flow_field.hpp"
#include "nav/grid/grid_ground.hpp"

namespace starbus::nav::grid::test {
namespace {

template <class Value>
bool exceeds(const Result<Value>& result, std::string_view limit, Errc code = Errc::too_large) {
  return result.error() == code && result.error().detail == limit;
}

Box a_cell(std::uint32_t x) {
  const auto at = static_cast<float>(x);
  return {{at, 0, 0}, {at + 1, 1, 0}};
}

TEST(GridLimits, RefusesSidesBeyondKMaxSide) {
  EXPECT_TRUE(check(plain(kMaxSide, 1)));
  EXPECT_TRUE(exceeds(check(plain(kMaxSide + 1, 1)), "kMaxSide"));
  EXPECT_TRUE(exceeds(check(plain(1, kMaxSide + 1)), "kMaxSide"));
  // The longest jump that there is.
  const Terrain terrain = plain(kMaxSide, 1);
  Layer layer(terrain, {});
  ASSERT_TRUE(layer.prepare());
  CellSearch search;
  ASSERT_TRUE(search.begin(layer, {{0, 0}, {kMaxSide - 1, 0}, Algorithm::jps_plus}));
  ASSERT_TRUE(*search.advance(~0u));
  EXPECT_EQ(search.cost(), std::uint64_t{kStraight} * (kMaxSide - 1));
}

TEST(GridLimits, RefusesMoreThanKMaxCells) {
  EXPECT_TRUE(check(plain(4'096, kMaxCells / 4'096)));
  EXPECT_TRUE(exceeds(check(plain(4'096, kMaxCells / 4'096 + 1)), "kMaxCells"));
  EXPECT_TRUE(exceeds(GridGround::create(plain(4'097, 4'096), {}), "kMaxCells"));
}

TEST(GridLimits, RefusesAreasBeyondKMaxArea) {
  EXPECT_TRUE(check(plain(2, 2, kMaxArea)));
  EXPECT_TRUE(exceeds(check(plain(2, 2, kMaxArea + 1)), "kMaxArea"));
  auto ground = *GridGround::create(plain(2, 2), {});
  EXPECT_TRUE(ground->set_area(a_cell(0), kMaxArea));
  EXPECT_TRUE(exceeds(ground->set_area(a_cell(0), kMaxArea + 1), "kMaxArea"));
  EXPECT_TRUE(exceeds(ground->add_obstacle({a_cell(0), kMaxArea + 1}), "kMaxArea"));
}

TEST(GridLimits, RefusesCostsBeyondKMaxAreaCost) {
  auto ground = *GridGround::create(plain(2, 2), {});
  Agent agent;
  agent.costs[9] = kMaxAreaCost;
  EXPECT_TRUE(ground->add_agent(agent));
  agent.costs[9] = kMaxAreaCost + 1;
  EXPECT_TRUE(exceeds(ground->add_agent(agent), "kMaxAreaCost"));
  agent.costs[9] = 0;
  EXPECT_EQ(ground->add_agent(agent).error(), Errc::bad_option);
}

// One winding path over ground as dear as can be.
TEST(GridLimits, EndsPathsBeyondKMaxPathCost) {
  Terrain terrain = plain(512, 512, 2);
  terrain.areas[0] = kPlain;  // so that costs differ
  for (std::uint32_t y = 1; y < 512; y += 2) {
    for (std::uint32_t x = 0; x < 512; ++x) {
      if (x != (y % 4 == 1 ? 511u : 0u)) terrain.areas[y * 512 + x] = kWall;
    }
  }
  Layer::Options options;
  options.agent.costs[2] = kMaxAreaCost;
  const Layer layer(terrain, options);
  CellSearch search;
  for (const Algorithm algorithm :
       {Algorithm::a_star, Algorithm::dijkstra, Algorithm::breadth_first}) {
    ASSERT_TRUE(search.begin(layer, {{0, 0}, {0, 510}, algorithm}));
    EXPECT_EQ(search.advance(~0u).error(), Errc::too_far);
    ASSERT_TRUE(search.begin(layer, {{0, 0}, {0, 300}, algorithm}));
    ASSERT_TRUE(search.advance(~0u));
    EXPECT_LE(search.cost(), kMaxPathCost);
    EXPECT_GT(search.cost(), kMaxPathCost / 2);
  }
  FlowField field;
  ASSERT_TRUE(field.build(layer, {0, 510}));
  EXPECT_FALSE(field.cost({0, 0}));
  EXPECT_TRUE(field.cost({0, 300}));
  EXPECT_TRUE(exceeds(field.build(layer, {}, 1), "", Errc::bad_goal));
  const FlowField::Goal goal{{0, 0}, kMaxPathCost + 1};
  EXPECT_TRUE(exceeds(field.build(layer, {&goal, 1}), "kMaxPathCost"));
}

TEST(GridLimits, RefusesMoreThanKMaxLinks) {
  auto ground = *GridGround::create(plain(2, 1), {});
  ASSERT_TRUE(ground->add_agent({}));
  const Link link{.from = ground->place({0, 0}), .to = ground->place({1, 0}), .cost = 408};
  LinkId last;
  for (std::uint32_t i = 0; i < kMaxLinks; ++i) last = *ground->add_link(link);
  EXPECT_TRUE(exceeds(ground->add_link(link), "kMaxLinks", Errc::too_many));
  ASSERT_TRUE(ground->remove_link(last));
  EXPECT_EQ(ground->remove_link(last).error(), Errc::unknown_link);
  EXPECT_TRUE(ground->add_link(link));
  Terrain terrain = plain(2, 1);
  terrain.links.assign(kMaxLinks + 1, {{0, 0}, {1, 0}, 408});
  EXPECT_TRUE(exceeds(check(terrain), "kMaxLinks", Errc::too_many));
}

TEST(GridLimits, RefusesLinksDearerThanKMaxLinkCost) {
  auto ground = *GridGround::create(plain(2, 1), {});
  Link link{.from = ground->place({0, 0}), .to = ground->place({1, 0}), .cost = kMaxLinkCost};
  EXPECT_TRUE(ground->add_link(link));
  link.cost = kMaxLinkCost + 1;
  EXPECT_TRUE(exceeds(ground->add_link(link), "kMaxLinkCost"));
}

TEST(GridLimits, RefusesMoreThanKMaxAgents) {
  auto ground = *GridGround::create(plain(2, 2), {});
  Agent agent;
  for (std::uint32_t i = 0; i < kMaxAgents; ++i) {
    agent.climb = static_cast<float>(i);
    EXPECT_TRUE(ground->add_agent(agent));
  }
  EXPECT_TRUE(ground->add_agent(agent)) << "known already";
  agent.climb = -0.0F + 0.5F;
  EXPECT_TRUE(exceeds(ground->add_agent(agent), "kMaxAgents", Errc::too_many));
}

TEST(GridLimits, RefusesAgentsWiderThanKMaxAgentCells) {
  auto ground = *GridGround::create(plain(40, 40), {});
  Agent agent;
  agent.radius = kMaxAgentCells + 0.5F;
  const AgentId id = *ground->add_agent(agent);
  EXPECT_TRUE(ground->layer(id)->passable({kMaxAgentCells, kMaxAgentCells}));
  EXPECT_FALSE(ground->layer(id)->passable({kMaxAgentCells - 1, kMaxAgentCells}));
  agent.radius = kMaxAgentCells + 0.75F;
  EXPECT_TRUE(exceeds(ground->add_agent(agent), "kMaxAgentCells"));
}

TEST(GridLimits, RefusesMoreThanKMaxObstacles) {
  auto ground = *GridGround::create(plain(kMaxObstacles + 1, 1), {});
  ObstacleId last;
  for (std::uint32_t i = 0; i < kMaxObstacles; ++i) last = *ground->add_obstacle({a_cell(i)});
  EXPECT_TRUE(
      exceeds(ground->add_obstacle({a_cell(kMaxObstacles)}), "kMaxObstacles", Errc::too_many));
  ASSERT_TRUE(ground->remove_obstacle(last));
  EXPECT_TRUE(ground->add_obstacle({a_cell(kMaxObstacles)}));
}

TEST(GridLimits, RefusesWeightsBeyondKMaxWeight) {
  const Terrain terrain = plain(3, 3);
  const Layer layer(terrain, {});
  CellSearch search;
  EXPECT_TRUE(search.begin(layer, {{0, 0}, {2, 2}, Algorithm::a_star, false, kMaxWeight}));
  EXPECT_EQ(search.begin(layer, {{0, 0}, {2, 2}, Algorithm::a_star, false, kMaxWeight + 1}).error(),
            Errc::too_large);
}

TEST(GridLimits, RefusesMoreThanKMaxFieldGoals) {
  const Terrain terrain = plain(100, 100);
  const Layer layer(terrain, {});
  std::vector<FlowField::Goal> goals;
  for (std::uint32_t i = 0; i < kMaxFieldGoals; ++i) {
    goals.push_back({{static_cast<std::uint16_t>(i % 100), static_cast<std::uint16_t>(i / 100)}});
  }
  FlowField field;
  EXPECT_TRUE(field.build(layer, goals));
  goals.push_back({{0, 99}});
  EXPECT_TRUE(exceeds(field.build(layer, goals), "kMaxFieldGoals", Errc::too_many));
}

TEST(GridLimits, RefusesRadiiBeyondKMaxAround) {
  auto ground = *GridGround::create(plain(20, 20), {{}, 0.5F});
  const AgentId agent = *ground->add_agent({});
  const Place place = ground->place({3, 3});
  EXPECT_TRUE(ground->random_point_near(place, kMaxAround * 0.5F, agent, 1));
  EXPECT_TRUE(
      exceeds(ground->random_point_near(place, kMaxAround * 0.5F + 0.1F, agent, 1), "kMaxAround"));
}

TEST(GridLimits, RefusesTextsBeyondKMaxMapBytes) {
  const std::string text(std::size_t{kMaxMapBytes} + 1, '.');
  EXPECT_TRUE(exceeds(formats::read_map(text), "kMaxMapBytes"));
  EXPECT_TRUE(exceeds(formats::read_scenarios(text), "kMaxMapBytes"));
  EXPECT_EQ(formats::read_map(std::string_view(text).substr(1)).error(), Errc::corrupt);
}

TEST(GridLimits, RefusesMoreThanKMaxScenarios) {
  constexpr std::string_view kRow = "0 m 1 1 0 0 0 0 0\n";
  std::string text = "version 1\n";
  for (std::uint32_t i = 0; i < kMaxScenarios; ++i) text += kRow;
  EXPECT_EQ(formats::read_scenarios(text)->size(), kMaxScenarios);
  text += kRow;
  EXPECT_TRUE(exceeds(formats::read_scenarios(text), "kMaxScenarios", Errc::too_many));
}

}  // namespace
}  // namespace starbus::nav::grid::test
