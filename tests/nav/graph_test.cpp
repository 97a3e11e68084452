/// Graphs: parts, strong parts and reach beside a plain closure of the edges.
#include <gtest/gtest.h>

#include "nav/graph/reach.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::graph {
namespace {

using grid::test::Chance;
using Table = std::vector<std::vector<bool>>;

Graph graph_of(std::uint32_t nodes, const std::vector<Edge>& edges) {
  return *Graph::create(nodes, edges);
}

// Warshall: by which nodes which are reached.
Table closure(std::uint32_t nodes, const std::vector<Edge>& edges) {
  Table table(nodes, std::vector<bool>(nodes));
  for (std::uint32_t i = 0; i < nodes; ++i) table[i][i] = true;
  for (const Edge& edge : edges) table[edge.from][edge.to] = true;
  for (std::uint32_t by = 0; by < nodes; ++by) {
    for (std::uint32_t from = 0; from < nodes; ++from) {
      if (!table[from][by]) continue;
      for (std::uint32_t to = 0; to < nodes; ++to) {
        if (table[by][to]) table[from][to] = true;
      }
    }
  }
  return table;
}

// S6: a -> b -> c -> a, and c -> d.
TEST(Graph, FindsTheStrongPartsOfARingWithAnEnd) {
  const Graph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}});
  const Parts parts = strong_parts(graph);
  EXPECT_EQ(parts.count, 2u);
  EXPECT_EQ(parts.of, (std::vector<std::uint32_t>{1, 1, 1, 0})) << "edges lead to lower numbers";
  const Reach reach = *Reach::create(graph);
  EXPECT_TRUE(reach.reaches(0, 3));
  EXPECT_FALSE(reach.reaches(3, 0));
  EXPECT_EQ(joined_parts(graph).count, 1u);
}

TEST(Graph, AgreesWithAPlainClosureOnRandomGraphs) {
  Chance chance(5);
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t nodes = 1 + chance.below(90);
    std::vector<Edge> edges(chance.below(nodes * 2 + 1));
    for (Edge& edge : edges) edge = {chance.below(nodes), chance.below(nodes)};
    const Graph graph = graph_of(nodes, edges);
    const Table table = closure(nodes, edges);
    std::vector<Edge> both = edges;
    for (const Edge& edge : edges) both.push_back({edge.to, edge.from});
    const Table joined = closure(nodes, both);
    const Parts strong = strong_parts(graph);
    const Parts parts = joined_parts(graph);
    const Reach reach = *Reach::create(graph);
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = 0; b < nodes; ++b) {
        ASSERT_EQ(strong.of[a] == strong.of[b], table[a][b] && table[b][a]);
        ASSERT_EQ(parts.of[a] == parts.of[b], joined[a][b]);
        ASSERT_EQ(reach.reaches(a, b), table[a][b]);
      }
    }
    for (const Edge& edge : edges) ASSERT_GE(strong.of[edge.from], strong.of[edge.to]);
  }
}

// Deeper than any stack of calls.
TEST(Graph, FindsPartsOfAChainOfAMillionNodes) {
  constexpr std::uint32_t kNodes = 1'000'000;
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i + 1 < kNodes; ++i) edges.push_back({i, i + 1});
  EXPECT_EQ(strong_parts(graph_of(kNodes, edges)).count, kNodes);
  edges.push_back({kNodes - 1, 0});
  EXPECT_EQ(strong_parts(graph_of(kNodes, edges)).count, 1u);
  EXPECT_EQ(joined_parts(graph_of(kNodes, edges)).count, 1u);
}

TEST(Graph, RefusesEdgesToNodesThatThereAreNot) {
  const Edge edge{0, 2};
  EXPECT_EQ(Graph::create(2, {&edge, 1}).error(), Errc::bad_option);
  EXPECT_EQ(graph_of(0, {}).nodes(), 0u);
}

TEST(GraphLimits, RefusesMoreThanKMaxGraphNodes) {
  EXPECT_TRUE(Graph::create(kMaxGraphNodes, {}));
  const auto refused = Graph::create(kMaxGraphNodes + 1, {});
  EXPECT_EQ(refused.error(), Errc::too_large);
  EXPECT_EQ(refused.error().detail, "kMaxGraphNodes");
}

TEST(GraphLimits, RefusesMoreThanKMaxGraphEdges) {
  std::vector<Edge> edges(kMaxGraphEdges);
  EXPECT_TRUE(Graph::create(1, edges));
  edges.push_back({});
  const auto refused = Graph::create(1, edges);
  EXPECT_EQ(refused.error(), Errc::too_large);
  EXPECT_EQ(refused.error().detail, "kMaxGraphEdges");
}

TEST(GraphLimits, RefusesMoreThanKMaxReachParts) {
  EXPECT_TRUE(Reach::create(graph_of(kMaxReachParts, {})));
  const auto refused = Reach::create(graph_of(kMaxReachParts + 1, {}));
  EXPECT_EQ(refused.error(), Errc::too_large);
  EXPECT_EQ(refused.error().detail, "kMaxReachParts");
}

}  // namespace
}  // namespace starbus::nav::graph
