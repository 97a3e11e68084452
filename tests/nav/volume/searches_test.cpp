// Ways through volumes beside Dijkstra over voxels, and straight lines beside marching.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "nav/volume/block_search.hpp"
#include "nav/volume/line.hpp"
#include "tests/nav/volume/reference.hpp"

namespace starbus::nav::volume::test {
namespace {

PathRequest request_of(const VolumeGround& ground, Voxel from, Voxel to, AgentId agent,
                       Smoothing smoothing = Smoothing::none) {
  return {
      .from = ground.place(from), .to = ground.place(to), .agent = agent, .smoothing = smoothing};
}

// A voxel that the agent can enter; nullopt if there is none.
std::optional<Voxel> any_free(const VolumeGround& ground, AgentId id) {
  const auto place = ground.random_point(id, *rc::gen::arbitrary<std::uint64_t>());
  return place ? ground.voxel(*place) : std::nullopt;
}

// What a way of moves costs; kNoWay if it is none.
std::uint64_t cost_of(const Dense& world, const std::vector<std::uint8_t>& costs,
                      const std::vector<Voxel>& way) {
  std::uint64_t cost = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (costs[world.extent.index(way[i])] == 0) return kNoWay;
    if (i == 0) continue;
    if (distance(way[i - 1], way[i]) != 1) return kNoWay;
    cost += costs[world.extent.index(way[i])];
  }
  return cost;
}

void agrees(const Dense& world, const Agent& agent, std::uint64_t ratio) {
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(agent);
  const auto costs = costs_of(world, agent, static_cast<double>(agent.radius));
  world.each([&](Voxel at) {
    RC_ASSERT(ground->layer(id)->tree().cost(at) == costs[world.extent.index(at)]);
  });
  const Voxel from = any_voxel(world.extent);
  auto search = ground->make_search();
  Path path;
  const auto best = all_costs(world, costs, from);
  for (int i = 0; i < 6; ++i) {
    const Voxel to = any_voxel(world.extent);
    const std::uint64_t least = best[world.extent.index(to)];
    const bool there = least != kNoWay;
    RC_ASSERT(ground->reachable(ground->place(from), ground->place(to), id) == there);
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::dijkstra}) {
      PathRequest request = request_of(*ground, from, to, id);
      request.algorithm = algorithm;
      const auto found = search->find(request, path);
      RC_ASSERT(found.has_value() == there);
      if (!there) {
        const bool start = costs[world.extent.index(from)] != 0;
        const bool goal = costs[world.extent.index(to)] != 0;
        RC_ASSERT(found.error() == (!start  ? Errc::bad_start
                                    : !goal ? Errc::bad_goal
                                            : Errc::unreachable));
        continue;
      }
      RC_ASSERT(path.complete);
      const auto way = voxels_of(*ground, path);
      RC_ASSERT(way.front() == from && way.back() == to);
      RC_ASSERT(cost_of(world, costs, way) == path.cost);
      RC_ASSERT(path.cost >= least);
      RC_ASSERT(path.cost <= ratio * least);
      if (ratio == 1) RC_ASSERT(path.cost == least);
    }
  }
}

RC_GTEST_PROP(VolumeSearches, AgreeWithDijkstraOverVoxels, ()) {
  agrees(any_world(10), flier(), 1);
}

RC_GTEST_PROP(VolumeSearches, AgreeForSwimmersAndThoseWhoAreBoth, ()) {
  const Dense world = any_world(9);
  agrees(world, swimmer(), 1);
  agrees(world, duck(1), 1);
}

RC_GTEST_PROP(VolumeSearches, AgreeForAgentsWithARadius, ()) {
  const Dense world = any_world(12);
  agrees(world, flier(*rc::gen::element(0.4F, 1.0F, 1.3F, 2.0F, 2.5F)), 1);
}

RC_GTEST_PROP(VolumeSearches, CostAtMostTheRatioOfCostsMore, ()) {
  agrees(any_world(9), duck(4), 4);
}

// How much more they cost where costs differ is measured, and a bound that fails if it grows.
TEST(VolumeSearches, CostLittleMoreWhereCostsDiffer) {
  Chance chance(21);
  std::uint64_t cost = 0;
  std::uint64_t least = 0;
  double worst = 1;
  for (int i = 0; i < 8; ++i) {
    Dense world = random_world(chance, {32, 32, 20}, 10, 8);
    for (int k = 0; k < 12; ++k) {
      const Voxel low = random_voxel(chance, world.extent);
      world.fill({low.x, low.y, low.z, low.x + 10u, low.y + 10u, low.z + 7u}, kWater);
    }
    const Agent agent = duck(4);
    const auto ground = ground_of(world);
    const AgentId id = *ground->add_agent(agent);
    const auto costs = costs_of(world, agent, 0);
    auto search = ground->make_search();
    Path path;
    const Voxel from = random_voxel(chance, world.extent);
    if (costs[world.extent.index(from)] == 0) continue;
    const auto best = all_costs(world, costs, from);
    for (int k = 0; k < 40; ++k) {
      const Voxel to = random_voxel(chance, world.extent);
      if (to == from || best[world.extent.index(to)] == kNoWay) continue;
      ASSERT_TRUE(search->find(request_of(*ground, from, to, id), path));
      cost += path.cost;
      least += best[world.extent.index(to)];
      worst = std::max(worst, static_cast<double>(path.cost) /
                                  static_cast<double>(best[world.extent.index(to)]));
    }
  }
  ASSERT_GT(least, 5'000u);
  RecordProperty("mean", std::to_string(static_cast<double>(cost) / static_cast<double>(least)));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(static_cast<double>(cost), 1.01 * static_cast<double>(least));
  EXPECT_LE(worst, 1.25);
}

// A way through faces is at most as many times longer than one over all 26 neighbours as moves
// through faces are longer than a diagonal: the square root of 3. Straight lines in between make
// most of that good.
TEST(VolumeSearches, SmoothedWaysAreLittleLongerThanShortestOnes) {
  Chance chance(22);
  double length = 0;
  double least = 0;
  double worst = 1;
  for (const std::uint32_t blocked : {5u, 15u, 30u}) {
    for (int i = 0; i < 3; ++i) {
      const Dense world = random_world(chance, {32, 32, 20}, blocked, 8);
      const auto ground = ground_of(world);
      const AgentId id = *ground->add_agent(flier());
      const auto costs = costs_of(world, flier(), 0);
      auto search = ground->make_search();
      Path path;
      const Voxel from = random_voxel(chance, world.extent);
      if (costs[world.extent.index(from)] == 0) continue;
      const auto best = all_lengths(world, costs, from);
      for (int k = 0; k < 40; ++k) {
        const Voxel to = random_voxel(chance, world.extent);
        const double shortest = best[world.extent.index(to)];
        if (to == from || !std::isfinite(shortest)) continue;
        if (!search->find(request_of(*ground, from, to, id, Smoothing::line_of_sight), path)) {
          continue;
        }
        length += length_of(path);
        least += shortest;
        worst = std::max(worst, length_of(path) / shortest);
      }
    }
  }
  ASSERT_GT(least, 4'000);
  RecordProperty("mean", std::to_string(length / least));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(length, 1.1 * least);
  EXPECT_LE(worst, std::sqrt(3));
}

TEST(VolumeSearches, AWeightBoundsTheCost) {
  Chance chance(23);
  const Dense world = random_world(chance, {48, 48, 32}, 30, 6);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  auto search = ground->make_search();
  Path least;
  Path path;
  std::uint64_t fewer = 0;
  std::uint64_t more = 0;
  for (int i = 0; i < 200; ++i) {
    const Voxel from = random_voxel(chance, world.extent);
    const Voxel to = random_voxel(chance, world.extent);
    PathRequest request = request_of(*ground, from, to, id);
    request.algorithm = Algorithm::a_star;
    if (!search->find(request, least)) continue;
    request.weight = 150;
    ASSERT_TRUE(search->find(request, path));
    EXPECT_LE(path.cost, least.cost * 3 / 2);
    fewer += path.expanded;
    more += least.expanded;
  }
  EXPECT_LT(fewer, more);
}

TEST(VolumeSearches, AnswerUnreachableWithoutASearch) {
  Dense world({40, 40, 40});
  world.fill({20, 0, 0, 21, 40, 40}, kWall);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  auto search = ground->make_search();
  EXPECT_EQ(search->begin(request_of(*ground, {0, 0, 0}, {39, 39, 39}, id)).error(),
            Errc::unreachable);
  EXPECT_EQ(search->advance(1).error(), Errc::not_ready) << "none was begun";
}

// In the air one box is one step, however large: the goal is found at once.
TEST(VolumeSearches, CrossAnEmptyVolumeInAFewSteps) {
  const auto ground = ground_of(Dense({128, 128, 128}));
  const AgentId id = *ground->add_agent(flier());
  auto search = ground->make_search();
  Path path;
  ASSERT_TRUE(search->find(
      request_of(*ground, {0, 0, 0}, {127, 127, 127}, id, Smoothing::line_of_sight), path));
  EXPECT_EQ(path.cost, 127u * 3);
  EXPECT_EQ(path.points.size(), 2u);
  EXPECT_LE(path.expanded, 8u);
}

RC_GTEST_PROP(VolumeSearches, LeadToTheNearestVoxelThatCanBeReached, ()) {
  const Dense world = any_world(9);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto costs = costs_of(world, flier(), 0);
  const Voxel from = any_voxel(world.extent);
  const Voxel to = any_voxel(world.extent);
  RC_PRE(costs[world.extent.index(from)] != 0);
  const auto best = all_costs(world, costs, from);
  std::optional<Voxel> nearest;
  std::uint64_t least = kNoWay;
  world.each([&](Voxel at) {
    if (best[world.extent.index(at)] == kNoWay) return;
    const auto square = [](int d) { return static_cast<std::uint64_t>(d * d); };
    const std::uint64_t gap = square(at.x - to.x) + square(at.y - to.y) + square(at.z - to.z);
    if (gap >= least) return;
    least = gap;
    nearest = at;
  });
  PathRequest request = request_of(*ground, from, to, id);
  request.partial = true;
  Path path;
  auto search = ground->make_search();
  RC_ASSERT(search->find(request, path));
  RC_ASSERT(path.complete == (*nearest == to));
  RC_ASSERT(voxels_of(*ground, path).back() == *nearest);
  RC_ASSERT(path.cost == best[world.extent.index(*nearest)]);
}

RC_GTEST_PROP(VolumeSearches, InSlicesGiveWhatOneSearchGives, ()) {
  const Dense world = any_world(10);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto from = any_free(*ground, id);
  const auto to = any_free(*ground, id);
  RC_PRE(from && to);
  const PathRequest request = request_of(*ground, *from, *to, id);
  auto whole = ground->make_search();
  auto sliced = ground->make_search();
  Path expected;
  const auto found = whole->find(request, expected);
  const auto begun = sliced->begin(request);
  RC_ASSERT(begun.has_value() == found.has_value());
  if (!found) return;
  Path path;
  std::uint32_t before = 0;
  for (bool ended = false; !ended;) {
    const auto budget = *rc::gen::inRange<std::uint32_t>(1, 4);
    ended = *sliced->advance(budget);
    RC_ASSERT(sliced->path(path));
    RC_ASSERT(path.expanded <= before + budget);
    RC_ASSERT(path.complete == ended);
    before = path.expanded;
  }
  RC_ASSERT(path.points == expected.points);
  RC_ASSERT(path.cost == expected.cost);
  RC_ASSERT(path.expanded == expected.expanded);
}

RC_GTEST_PROP(VolumeSearches, TakeLinksAsDijkstraTakesThem, ()) {
  const Dense world = any_world(8);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto costs = costs_of(world, flier(), 0);
  std::vector<VoxelLink> links;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
    const VoxelLink link{any_voxel(world.extent), any_voxel(world.extent),
                         *rc::gen::inRange<std::uint32_t>(1, 20), *rc::gen::arbitrary<bool>(),
                         kAir};
    if (link.from == link.to) continue;
    links.push_back(link);
    RC_ASSERT(ground->add_link(
        {ground->place(link.from), ground->place(link.to), link.cost, link.both_ways, link.area}));
  }
  const Voxel from = any_voxel(world.extent);
  const auto best = all_costs(world, costs, from, links);
  auto search = ground->make_search();
  Path path;
  for (int i = 0; i < 6; ++i) {
    const Voxel to = any_voxel(world.extent);
    const std::uint64_t least = best[world.extent.index(to)];
    RC_ASSERT(ground->reachable(ground->place(from), ground->place(to), id) == (least != kNoWay));
    const auto found = search->find(request_of(*ground, from, to, id), path);
    RC_ASSERT(found.has_value() == (least != kNoWay));
    if (!found) continue;
    RC_ASSERT(path.cost == least);
    std::uint64_t cost = 0;
    auto link = path.links.begin();
    for (std::uint32_t k = 0; k + 1 < path.points.size(); ++k) {
      const Voxel a = voxel_of(ground->frame().fine(path.points[k]));
      const Voxel b = voxel_of(ground->frame().fine(path.points[k + 1]));
      if (link != path.links.end() && link->point == k) {
        const VoxelLink& of = links[link->link.index()];
        RC_ASSERT((of.from == a && of.to == b) || (of.both_ways && of.from == b && of.to == a));
        cost += of.cost;
        ++link;
        continue;
      }
      RC_ASSERT(distance(a, b) <= 1);
      cost += distance(a, b);
    }
    RC_ASSERT(link == path.links.end());
    RC_ASSERT(cost == path.cost);
  }
}

// The search as its header describes it, with lists that are walked from end to end: what is
// expanded, in which order.
struct PlainLabel {
  std::uint64_t cost;
  Block cube;
  Voxel at;
  bool useless = false;
  bool expanded = false;
  bool goal = false;
};

std::vector<Voxel> plain_search(const SparseOctree& tree, Voxel from, Voxel to) {
  std::vector<PlainLabel> labels;
  std::vector<Voxel> order;
  const auto reach = [&](std::uint64_t cost, const Block& cube, Voxel at) {
    for (PlainLabel& other : labels) {
      if (other.cube.low != cube.low || other.useless || other.goal) continue;
      if (other.cost + distance(other.at, at) * cube.value <= cost) return;
    }
    for (PlainLabel& other : labels) {
      if (other.cube.low != cube.low || other.goal) continue;
      if (cost + distance(other.at, at) * cube.value <= other.cost) other.useless = true;
    }
    labels.push_back({cost, cube, at});
  };
  reach(0, tree.at(from), from);
  for (;;) {
    std::size_t next = labels.size();
    const auto rank = [&](std::size_t i) {
      const std::uint64_t left = distance(labels[i].at, to);
      return std::tuple(labels[i].cost + left, left, ~i);
    };
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].useless || labels[i].expanded) continue;
      if (next == labels.size() || rank(i) < rank(next)) next = i;
    }
    if (labels[next].goal) return order;
    labels[next].expanded = true;
    const PlainLabel label = labels[next];
    order.push_back(label.at);
    if (label.cube.box().contains(to)) {
      const std::uint64_t cost = label.cost + distance(label.at, to) * label.cube.value;
      bool better = true;
      for (PlainLabel& other : labels) {
        if (!other.goal || other.useless) continue;
        better = cost < other.cost;
        if (better) other.useless = true;
      }
      if (better) {
        labels.push_back({cost, label.cube, to});
        labels.back().goal = true;
      }
    }
    for (Face face = 0; face < kFaces; ++face) {
      tree.each_neighbour(label.cube, face, [&](const Block& beyond, Voxel, std::uint8_t) {
        if (beyond.value == 0) return;
        const Voxel at = beyond.box().gate(label.at);
        reach(label.cost + (distance(label.at, at) - 1) * label.cube.value + beyond.value, beyond,
              at);
      });
    }
  }
}

RC_GTEST_PROP(VolumeSearches, FollowTheTieRuleLabelByLabel, ()) {
  const Dense world = any_world(9);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto from = any_free(*ground, id);
  const auto to = any_free(*ground, id);
  RC_PRE(from && to);
  const Layer& layer = *ground->layer(id);
  BlockSearch search;
  if (!search.begin(layer, {*from, *to})) return;
  const auto order = plain_search(layer.tree(), *from, *to);
  std::vector<Voxel> before;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool ended = *search.advance(1);
    RC_ASSERT(ended == (i + 1 == order.size()));
    RC_ASSERT(search.expanded() == i + 1);
    // What is new among the cubes that were expanded.
    std::vector<Voxel> now;
    search.each_expanded([&](const Block& block) { now.push_back(block.low); });
    RC_ASSERT(now.size() == i + 1);
    std::ranges::sort(now);
    std::vector<Voxel> added;
    std::ranges::set_difference(now, before, std::back_inserter(added));
    RC_ASSERT(added.size() == 1u);
    RC_ASSERT(added[0] == layer.tree().at(order[i]).low);
    before = now;
  }
  RC_ASSERT(search.found());
}

// -- Lines

// Marches along a line in steps of a hundredth of a voxel; nothing if it comes too near to an edge
// of a voxel to tell.
std::optional<bool> marches(const Dense& world, const std::vector<std::uint8_t>& costs,
                            const FinePoint& from, const FinePoint& to) {
  constexpr int kSteps = 6'000;
  std::array<int, 3> before{};
  for (int i = 0; i <= kSteps; ++i) {
    std::array<int, 3> at{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double fine = from.at[k] + (to.at[k] - from.at[k]) * (i / double{kSteps});
      at[k] = static_cast<int>(std::floor(fine / kFine));
    }
    int crossed = 0;
    for (std::size_t k = 0; i > 0 && k < 3; ++k) crossed += std::abs(at[k] - before[k]);
    if (crossed > 1) return std::nullopt;  // an edge lies between two steps
    before = at;
    const auto one = [](int of) { return static_cast<std::uint16_t>(of); };
    const Voxel voxel{one(at[0]), one(at[1]), one(at[2])};
    if (costs[world.extent.index(voxel)] == 0) return false;
  }
  return true;
}

FinePoint any_point(const Extent& extent) {
  const auto one = [](std::uint32_t count) {
    const auto end = static_cast<std::int32_t>(count) * kFine;
    return *rc::gen::inRange<std::int32_t>(0, end);
  };
  const std::int32_t x = one(extent.x);
  const std::int32_t y = one(extent.y);
  return {{x, y, one(extent.z)}};
}

RC_GTEST_PROP(VolumeLines, AgreeWithMarchingAndBothWays, ()) {
  const Dense world = any_world(9);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto costs = costs_of(world, flier(), 0);
  const SparseOctree& tree = ground->layer(id)->tree();
  for (int i = 0; i < 10; ++i) {
    const FinePoint from = any_point(world.extent);
    const FinePoint to = any_point(world.extent);
    if (costs[world.extent.index(voxel_of(from))] == 0) continue;
    const LineEnd end = follow_line(tree, from, to);
    if (const auto free = marches(world, costs, from, to)) RC_ASSERT(*free == !end.hit);
    RC_ASSERT(costs[world.extent.index(voxel_of(end.at))] != 0);
    if (costs[world.extent.index(voxel_of(to))] == 0) continue;
    RC_ASSERT(follow_line(tree, to, from).hit == end.hit);
    if (!end.hit) RC_ASSERT(end.at == to);
  }
}

TEST(VolumeLines, PassAnEdgeOnlyIfAllAroundItIsFree) {
  Dense world({4, 4, 4});
  world.fill({2, 1, 1, 3, 2, 2}, kWall);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  // From the middle of one voxel to that of the one across the edge, or the corner.
  const auto ray = [&](Voxel from, Voxel to) {
    return *ground->raycast(ground->place(from), ground->place(to).point, id);
  };
  EXPECT_TRUE(ray({1, 1, 1}, {2, 2, 1}).hit) << "beside it";
  EXPECT_TRUE(ray({1, 1, 1}, {2, 2, 2}).hit);
  EXPECT_FALSE(ray({0, 0, 0}, {1, 1, 1}).hit);
  const Ray face = ray({0, 1, 1}, {3, 1, 1});
  EXPECT_TRUE(face.hit);
  EXPECT_EQ(face.normal, (Point{-1, 0, 0}));
  EXPECT_FLOAT_EQ(face.end.point.x, 2 - 1.0F / 512);
}

RC_GTEST_PROP(VolumeLines, SmoothedWaysStayFreeAndGetNoLonger, ()) {
  const Dense world = any_world(10);
  const auto ground = ground_of(world);
  const Agent agent = *rc::gen::arbitrary<bool>() ? flier() : duck(3);
  const AgentId id = *ground->add_agent(agent);
  const SparseOctree& tree = ground->layer(id)->tree();
  auto search = ground->make_search();
  Path plain;
  Path path;
  const auto from = any_free(*ground, id);
  const auto to = any_free(*ground, id);
  RC_PRE(from && to);
  if (!search->find(request_of(*ground, *from, *to, id), plain)) return;
  for (const Smoothing smoothing : {Smoothing::corners, Smoothing::line_of_sight}) {
    RC_ASSERT(search->find(request_of(*ground, *from, *to, id, smoothing), path));
    RC_ASSERT(path.points.front() == plain.points.front());
    RC_ASSERT(path.points.back() == plain.points.back());
    RC_ASSERT(path.cost == plain.cost);
    RC_ASSERT(length_of(path) <= length_of(plain) + 1e-3);
    for (std::size_t i = 1; i < path.points.size(); ++i) {
      const FinePoint a = ground->frame().fine(path.points[i - 1]);
      RC_ASSERT(!follow_line(tree, a, ground->frame().fine(path.points[i])).hit);
    }
  }
}

}  // namespace
}  // namespace starbus::nav::volume::test
