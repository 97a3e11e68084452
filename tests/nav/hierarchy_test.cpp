/// Hierarchical searches and the clusters that they go over.
#include <gtest/gtest.h>

#include "nav/grid/cell_search.hpp"
#include "nav/grid/clusters/clusters.hpp"
#include "nav/grid/grid_ground.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::grid::test {
namespace {

bool same(const Level& a, const Level& b) {
  if (a.count() != b.count() || a.entrances() != b.entrances()) return false;
  for (std::uint32_t i = 0; i < a.count(); ++i) {
    const Level::Square& one = a.at(i);
    const Level::Square& other = b.at(i);
    if (one.first != other.first || one.costs != other.costs || one.shift != other.shift) {
      return false;
    }
    for (std::size_t k = 0; k < one.entrances.size(); ++k) {
      const Entrance& x = one.entrances[k];
      const Entrance& y = other.entrances[k];
      if (x.cell != y.cell || x.across != y.across || x.out != y.out || x.other != y.other) {
        return false;
      }
    }
  }
  return true;
}

struct LongWay {
  std::uint64_t cost = kNoWay;
  std::uint64_t least = kNoWay;
};

LongWay find(CellSearch& search, const Case& of, const Layer& layer, Cell from, Cell to) {
  LongWay way;
  EXPECT_TRUE(search.begin(layer, {from, to, Algorithm::hierarchical}));
  EXPECT_TRUE(*search.advance(~0u));
  std::vector<Cell> path;
  EXPECT_TRUE(search.path(path));
  EXPECT_TRUE(search.complete());
  EXPECT_EQ(path.front(), from);
  EXPECT_EQ(path.back(), to);
  way.cost = search.cost();
  EXPECT_EQ(path_cost(of, path), way.cost);
  EXPECT_TRUE(search.begin(layer, {from, to, Algorithm::automatic}));
  EXPECT_TRUE(*search.advance(~0u));
  way.least = search.cost();
  return way;
}

TEST(Hierarchy, FindsAWayWhereverThereIsOne) {
  Chance chance(51);
  CellSearch search;
  int far = 0;
  for (int round = 0; round < 80; ++round) {
    Case of;
    const std::uint32_t width = 40 + chance.below(300);
    of.terrain = random_terrain(chance, width, 140, 5 + chance.below(42));
    of.options.diagonals = static_cast<Diagonals>(round % 4);
    if (round % 3 == 1) {
      for (std::uint32_t i = 0; i < width * 30; ++i) {
        of.terrain.areas[chance.below(width * 140)] = static_cast<Area>(2 + chance.below(2));
      }
      of.options.agent.costs[2] = 4;
      of.options.agent.costs[3] = kMaxAreaCost;
    }
    if (round % 5 == 2) {
      for (std::uint32_t i = 0; i < width * 140; ++i) {
        of.terrain.levels.push_back(static_cast<float>(chance.below(5)) * 0.5F);
      }
    }
    Layer layer(of.terrain, of.options);
    ASSERT_TRUE(layer.prepare_clusters(~0u));
    for (int i = 0; i < 12; ++i) {
      const Cell from = random_place(chance, layer);
      const Cell to = random_place(chance, layer);
      if (!layer.connected(from, to)) {
        ASSERT_EQ(search.begin(layer, {from, to, Algorithm::hierarchical}).error(),
                  Errc::unreachable);
        continue;
      }
      far += std::abs(from.x - to.x) > 96;
      const LongWay way = find(search, of, layer, from, to);
      ASSERT_GE(way.cost, way.least);
      ASSERT_FALSE(HasFailure()) << round;
    }
  }
  EXPECT_GT(far, 100) << "it is not only near ways that were looked for";
}

// The bar: at most 6 % longer than the least.
TEST(Hierarchy, WaysAreAtMostSixPercentLonger) {
  Chance chance(52);
  CellSearch search;
  double sum = 0;
  int ways = 0;
  for (const std::uint32_t room : {0u, 8u, 32u, 64u}) {
    Case of;
    of.terrain = room == 0 ? random_terrain(chance, 900, 700, 20) : rooms(chance, 900, 700, room);
    Layer layer(of.terrain, of.options);
    ASSERT_TRUE(layer.prepare_clusters(~0u));
    for (int i = 0; i < 30; ++i) {
      const Cell from = random_place(chance, layer);
      const Cell to = random_place(chance, layer);
      if (!layer.connected(from, to)) continue;
      const LongWay way = find(search, of, layer, from, to);
      const double longer = static_cast<double>(way.cost) / static_cast<double>(way.least);
      EXPECT_LE(longer, 1.06) << room << " from " << from.x << "," << from.y << " to " << to.x
                              << "," << to.y;
      sum += longer;
      ++ways;
    }
  }
  EXPECT_GT(ways, 60);
  EXPECT_LE(sum / ways, 1.04);
}

TEST(Hierarchy, IsAfterChangesAsOneMadeAnew) {
  Chance chance(53);
  for (int round = 0; round < 4; ++round) {
    Case of;
    of.terrain = rooms(chance, 300, 280, 20);
    of.options.diagonals = static_cast<Diagonals>(round);
    Layer layer(of.terrain, of.options);
    ASSERT_TRUE(layer.prepare_clusters(~0u));
    for (int step = 0; step < 8; ++step) {
      const Cell low = random_cell(chance, of.terrain);
      const CellBox box{low.x, low.y, std::min(low.x + 1 + chance.below(4), 300u),
                        std::min(low.y + 1 + chance.below(4), 280u)};
      const auto area = static_cast<Area>(chance.below(3));
      for (std::uint32_t y = box.y0; y < box.y1; ++y) {
        for (std::uint32_t x = box.x0; x < box.x1; ++x) of.terrain.areas[y * 300 + x] = area;
      }
      layer.refresh(box);
      // In pieces, and with a change amidst them at times.
      if (step % 3 != 0) (void)layer.prepare_clusters(1 + chance.below(12));
      if (step % 3 == 2) continue;
      while (!layer.prepare_clusters(3)) {
      }
      Layer anew(of.terrain, of.options);
      ASSERT_TRUE(anew.prepare_clusters(~0u));
      ASSERT_TRUE(same(layer.clusters()->level(), anew.clusters()->level())) << step;
      ASSERT_TRUE(same(layer.clusters()->regions().level(), anew.clusters()->regions().level()));
    }
  }
}

TEST(Hierarchy, ADoorCostsAFewClustersWhateverTheMap) {
  Chance chance(54);
  for (const std::uint32_t side : {300u, 600u}) {
    Case of;
    of.terrain = rooms(chance, side, side, 30);
    Layer layer(of.terrain, of.options);
    ASSERT_TRUE(layer.prepare_clusters(~0u));
    for (int i = 0; i < 20; ++i) {
      const Cell door = random_cell(chance, of.terrain);
      Area& area = of.terrain.areas[std::size_t{door.y} * side + door.x];
      area = area == kWall ? kPlain : kWall;
      layer.refresh({door.x, door.y, door.x + 1u, door.y + 1u});
      ASSERT_EQ(layer.clusters(), nullptr);
      std::uint32_t pieces = 0;
      while (!layer.prepare_clusters(1)) ++pieces;
      EXPECT_LE(pieces, 50u) << "12 borders, 12 clusters, 4 regions and their neighbours";
      EXPECT_NE(layer.clusters(), nullptr);
    }
  }
}

TEST(Hierarchy, SlicesGiveWhatOneSearchGives) {
  Chance chance(55);
  Case of;
  of.terrain = random_terrain(chance, 900, 300, 22);
  Layer layer(of.terrain, of.options);
  ASSERT_TRUE(layer.prepare_clusters(~0u));
  CellSearch whole;
  CellSearch sliced;
  for (int i = 0; i < 20; ++i) {
    const Cell from = random_place(chance, layer);
    const Cell to = random_place(chance, layer);
    if (!layer.connected(from, to)) continue;
    ASSERT_TRUE(whole.begin(layer, {from, to, Algorithm::hierarchical}));
    ASSERT_TRUE(*whole.advance(~0u));
    ASSERT_TRUE(sliced.begin(layer, {from, to, Algorithm::hierarchical}));
    std::vector<Cell> part;
    std::vector<Cell> path;
    for (bool ended = false; !ended;) {
      const std::uint32_t before = sliced.expanded();
      const auto advanced = sliced.advance(50);
      ASSERT_TRUE(advanced);
      ASSERT_LE(sliced.expanded() - before, 50u);
      ended = *advanced;
      ASSERT_TRUE(sliced.path(part));
      ASSERT_EQ(part.front(), from) << "what has been worked out begins at the start";
    }
    ASSERT_TRUE(whole.path(path));
    EXPECT_EQ(part, path);
    EXPECT_EQ(whole.cost(), sliced.cost());
    EXPECT_EQ(whole.expanded(), sliced.expanded());
  }
}

TEST(Hierarchy, AnswersExactlyWhileItIsOutOfDate) {
  Chance chance(56);
  auto ground = *GridGround::create(rooms(chance, 200, 200), {});
  const AgentId agent = *ground->add_agent({});
  auto search = ground->make_search();
  const Layer& layer = *ground->layer(agent);
  Path path;
  PathRequest request{.from = ground->place({0, 0}),
                      .to = ground->place({0, 0}),
                      .agent = agent,
                      .algorithm = Algorithm::hierarchical};
  while (!layer.connected({0, 0}, *ground->cell(request.to)) || request.to.point.x < 150) {
    request.to = ground->place(random_place(chance, layer));
  }
  ASSERT_TRUE(search->find(request, path));
  const std::uint64_t least = path.cost;
  EXPECT_FALSE(*ground->prepare(agent, Algorithm::hierarchical, 5));
  ASSERT_TRUE(search->find(request, path));
  EXPECT_EQ(path.cost, least);
  ASSERT_TRUE(*ground->prepare(agent, Algorithm::hierarchical));
  ASSERT_TRUE(search->find(request, path));
  EXPECT_GE(path.cost, least);
  // A search that was begun notices a change, as any other does.
  ASSERT_TRUE(search->begin(request));
  ASSERT_FALSE(*search->advance(1));
  ASSERT_TRUE(ground->set_area({{9, 9, 0}, {10, 10, 0}}, 2));
  EXPECT_EQ(search->advance(1).error(), Errc::changed);
}

}  // namespace
}  // namespace starbus::nav::grid::test
