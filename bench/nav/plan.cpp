#include "bench/nav/plan.hpp"

#include <functional>
#include <memory>
#include <stdexcept>

#include "bench/nav/cases.hpp"
#include "bench/nav/chase.hpp"
#include "bench/nav/crowds.hpp"
#include "bench/nav/meshes.hpp"
#include "bench/nav/peer.hpp"
#include "bench/nav/volumes.hpp"
#include "bench/nav/wide.hpp"

namespace starbus::bench::nav {
namespace {

using starbus::nav::Algorithm;

constexpr std::uint32_t kSide = 512;
constexpr std::uint32_t kPairs = 100;
constexpr double kOfHeap = 0.5;   // times the floor's rate
constexpr double kJumpRooms = 8;  // times as fast as A*
constexpr double kJumpRandom = 3;
constexpr double kTable = 4;           // times as fast as jump points without a table
constexpr double kUnreachable = 1000;  // ns
constexpr double kField = 8;           // ms
constexpr std::uint32_t kWideSide = 4096;
constexpr std::uint32_t kWidePairs = 400;
constexpr double kWideQuery = 3;   // ms, p99
constexpr double kWideLonger = 6;  // percent
constexpr double kWideMemory = 8;  // percent
constexpr double kPacked = 4;      // ms a step of 1,000 walkers in one place
constexpr double kSpread = 8;      // ms a step of 5,000 all over a square kilometre
constexpr double kOfDetour = 0.7;  // times DetourCrowd's step of as many
constexpr double kFlockUnit = 60;  // ns
constexpr std::uint32_t kPeerPairs = 20;
constexpr double kOfPeer = 30;        // times as fast as npm's pathfinding
constexpr double kOfCalls = 1.1;      // times Detour called directly
constexpr double kChaseTick = 1'000;  // us, p99

using Maps = std::shared_ptr<const Map>;

SuiteCase measured(const std::string& name, std::function<Metrics()> run) {
  SuiteCase one{.name = name};
  one.run = [run = std::move(run)](const std::string&, int) -> Result<Metrics> { return run(); };
  return one;
}

SuiteCase searched(const std::string& kind, const std::string& name, const Maps& map,
                   Algorithm algorithm, int rounds) {
  SuiteCase one = measured(kind + "." + name, [=]() -> Metrics {
    const Costs costs = search(*map, algorithm, rounds);
    return {{"query", costs.query}, {"rate", costs.rate}, {"expanded", costs.expanded}};
  });
  one.rows.push_back({one.name, "us/query", {one.name, "query"}});
  one.rows.push_back({one.name + ".expanded", "nodes/query", {one.name, "expanded"}});
  one.rows.push_back({one.name + ".rate", "M nodes/s", {one.name, "rate"}});
  return one;
}

// How many times as fast a case is as another one of the same ways.
void against(SuiteCase& one, const std::string& slower, double bar) {
  Row row{one.name + ".gain", "x " + slower, {slower, "query"}};
  row.divisor = Row::Figure{one.name, "query"};
  if (bar > 0) row.bar = Bar{.kind = Bar::Kind::at_least, .limit = bar};
  one.rows.push_back(row);
  one.needs.push_back(slower);
}

// A* and both kinds of jump points over the same ways. Bars of 0: none.
void add_kind(std::vector<SuiteCase>& cases, const std::string& kind, const Maps& map, int rounds,
              double jump_bar, double table_bar) {
  cases.push_back(searched(kind, "a_star", map, Algorithm::a_star, rounds));
  cases.push_back(searched(kind, "jps", map, Algorithm::jps, rounds));
  against(cases.back(), kind + ".a_star", jump_bar);
  cases.push_back(searched(kind, "jps_plus", map, Algorithm::jps_plus, rounds));
  against(cases.back(), kind + ".jps", table_bar);
}

void add_single(std::vector<SuiteCase>& cases, const std::string& name, const std::string& unit,
                double bar, std::function<double()> run) {
  cases.push_back(measured(name, [run = std::move(run)]() -> Metrics {
    return {{"value", run()}};
  }));
  Row row{name, unit, {name, "value"}};
  if (bar > 0) row.bar = Bar{.limit = bar};
  cases.back().rows.push_back(row);
}

Maps with_table(std::uint32_t room, std::uint32_t blocked) {
  auto map = std::make_shared<Map>(kSide, room, blocked, kPairs);
  map->make_table();
  return map;
}

// Hierarchical searches. The map is made when the case runs: it is large.
void add_wide(std::vector<SuiteCase>& cases, const std::string& name, std::uint32_t room,
              std::uint32_t blocked, int rounds) {
  cases.push_back(measured(name, [=]() -> Metrics {
    Map map(kWideSide, room, blocked, kWidePairs);
    const WideCosts costs = wide(map, static_cast<std::uint32_t>(rounds) * 10);
    return {{"build", costs.build},       {"memory", costs.memory}, {"median", costs.median},
            {"p99", costs.p99},           {"mean", costs.mean},     {"longest", costs.longest},
            {"expanded", costs.expanded}, {"door", costs.door}};
  }));
  const auto row = [&](const std::string& metric, const std::string& unit, double bar) {
    Row one{name + "." + metric, unit, {name, metric}};
    if (bar > 0) one.bar = Bar{.limit = bar};
    cases.back().rows.push_back(one);
  };
  row("median", "ms", 0);
  row("p99", "ms", kWideQuery);
  row("expanded", "nodes/query", 0);
  row("mean", "% longer", 0);
  row("longest", "% longer", kWideLonger);
  row("memory", "% of the grid", kWideMemory);
  row("build", "ms", 0);
  row("door", "ms", 0);
}

// A crowd, and DetourCrowd with the same errands if this program has it.
void add_crowd(std::vector<SuiteCase>& cases, const std::string& name, double bar,
               const Errands& errands, int rounds) {
  const int steps = rounds * 30;
  add_single(cases, name, "ms/step", bar, [=] { return crowd_step(errands, steps); });
  SuiteCase& ours = cases.back();
  if (!has_detour()) return;
  Row row{name + ".ratio", "x DetourCrowd", {name, "value"}};
  row.divisor = Row::Figure{name + ".detour", "value"};
  row.bar = Bar{.limit = kOfDetour};
  ours.rows.push_back(row);
  ours.needs.push_back(name + ".detour");
  add_single(cases, name + ".detour", "ms/step", 0, [=] { return detour_step(errands, steps); });
  std::swap(cases[cases.size() - 1], cases[cases.size() - 2]);  // what is needed comes first
}

// Jump points beside those of npm's pathfinding, over a few ways of a map. Without npm the row has
// no figure and says why.
void add_peer(std::vector<SuiteCase>& cases, const std::string& kind, std::uint32_t room,
              std::uint32_t blocked, int rounds) {
  const std::string name = kind + ".pathfinding";
  SuiteCase one = measured(name, [=]() -> Metrics {
    const Map map(kSide, room, blocked, kPeerPairs);
    const auto costs = pathfinding(map);
    if (!costs) throw std::runtime_error(costs.error().what);
    return {{"query", costs->query},
            {"length", costs->length},
            {"ours", search(map, Algorithm::jps, rounds * 3).query}};
  });
  Row gain{name + ".gain", "x its time", {name, "query"}};
  gain.divisor = Row::Figure{name, "ours"};
  gain.bar = Bar{.kind = Bar::Kind::at_least, .limit = kOfPeer};
  if (const auto found = find_pathfinding(); !found) {
    one.peers.clear();
    gain.note = found.error().what;
  }
  one.rows = {Row{name, "us/query", {name, "query"}},
              Row{name + ".ours", "us/query", {name, "ours"}},
              Row{name + ".length", "cells", {name, "length"}}, gain};
  cases.push_back(one);
}

// Queries of a navmesh through Ground beside the same ones called of Detour.
void add_mesh(std::vector<SuiteCase>& cases, int rounds) {
  if (!has_mesh()) return;
  const auto metrics = [](const MeshCosts& costs) -> Metrics {
    return {{"way", costs.way},
            {"nearest", costs.nearest},
            {"ray", costs.ray},
            {"length", costs.length}};
  };
  cases.push_back(measured("mesh.detour", [=] { return metrics(detour_queries(rounds)); }));
  SuiteCase ours = measured("mesh", [=] { return metrics(mesh_queries(rounds)); });
  for (const std::string query : {"way", "nearest", "ray"}) {
    cases.back().rows.push_back({"mesh.detour." + query, "us/query", {"mesh.detour", query}});
    ours.rows.push_back({"mesh." + query, "us/query", {"mesh", query}});
    Row row{"mesh." + query + ".ratio", "x Detour called directly", {"mesh", query}};
    row.divisor = Row::Figure{"mesh.detour", query};
    row.bar = Bar{.limit = kOfCalls};
    ours.rows.push_back(row);
  }
  Row length{"mesh.length.ratio", "x Detour's way", {"mesh", "length"}};
  length.divisor = Row::Figure{"mesh.detour", "length"};
  ours.rows.push_back(length);
  ours.needs.push_back("mesh.detour");
  cases.push_back(ours);
}

void add_volume(std::vector<SuiteCase>& cases, int rounds) {
  cases.push_back(measured("volume", [=]() -> Metrics {
    const VolumeCosts costs = volume(rounds);
    return {{"build", costs.build}, {"query", costs.query}, {"longest", costs.longest},
            {"ray", costs.ray},     {"door", costs.door},   {"bytes", costs.bytes}};
  }));
  const auto row = [&](const std::string& metric, const std::string& unit) {
    cases.back().rows.push_back({"volume." + metric, unit, {"volume", metric}});
  };
  row("build", "ms");
  row("query", "us");
  row("longest", "us");
  row("ray", "us");
  row("door", "us");
  row("bytes", "bytes");
}

// Monsters that chase players: a tick of the loop beside what its workers do.
void add_chase(std::vector<SuiteCase>& cases, int rounds) {
  if (!has_chase()) return;
  SuiteCase one = measured("chase", [=]() -> Metrics {
    const ChaseCosts costs = chase(500, 100, rounds * 200);
    return {{"p50", costs.tick_p50},
            {"p99", costs.tick_p99},
            {"moved", costs.moved},
            {"batch", costs.batch}};
  });
  Row tick{"chase.tick.p99", "us", {"chase", "p99"}};
  tick.bar = Bar{.limit = kChaseTick};
  one.rows.push_back(tick);
  one.rows.push_back({"chase.tick", "us", {"chase", "p50"}});
  one.rows.push_back({"chase.moved", "walkers", {"chase", "moved"}});
  one.rows.push_back({"chase.batch", "ms", {"chase", "batch"}});
  cases.push_back(one);
}

}  // namespace

std::vector<SuiteCase> make_plan(int rounds) {
  const Maps random = with_table(0, 20);
  std::vector<SuiteCase> cases;
  cases.push_back(measured("random.heap", [=]() -> Metrics {
    const Costs costs = heap(*random, rounds);
    return {{"rate", costs.rate}, {"entries", costs.expanded}};
  }));
  cases.back().rows.push_back({"random.heap.rate", "M pops/s", {"random.heap", "rate"}});
  cases.back().rows.push_back({"random.heap.entries", "entries", {"random.heap", "entries"}});
  add_kind(cases, "random", random, rounds, kJumpRandom, kTable);
  SuiteCase& a_star = cases[1];
  Row of_heap{"random.a_star.ratio", "x heap", {a_star.name, "rate"}};
  of_heap.divisor = Row::Figure{"random.heap", "rate"};
  of_heap.bar = Bar{.kind = Bar::Kind::at_least, .limit = kOfHeap};
  a_star.rows.push_back(of_heap);
  a_star.needs.push_back("random.heap");
  add_peer(cases, "random", 0, 20, rounds);
  add_kind(cases, "rooms32", with_table(32, 0), rounds, kJumpRooms, kTable);
  add_peer(cases, "rooms32", 32, 0, rounds);
  add_kind(cases, "rooms8", with_table(8, 0), rounds, 0, 0);
  add_kind(cases, "rooms64", with_table(64, 0), rounds, 0, 0);
  add_single(cases, "unreachable", "ns", kUnreachable,
             [=] { return unreachable(*random, rounds); });
  add_single(cases, "field", "ms", kField, [=] { return flow_field(*random, rounds); });
  const Maps open = std::make_shared<const Map>(kSide, 0, 0, kPairs);
  add_single(cases, "field.open", "ms", kField, [=] { return flow_field(*open, rounds); });
  add_single(cases, "door", "us", 0, [=] { return door(rounds); });
  add_crowd(cases, "crowd.packed", kPacked, packed(1'000), rounds);
  add_crowd(cases, "crowd.spread", kSpread, spread(5'000, 1'000), rounds);
  add_single(cases, "flock", "ns/unit", kFlockUnit,
             [=] { return flock_unit(10'000, rounds * 30); });
  add_mesh(cases, rounds);
  add_volume(cases, rounds);
  add_chase(cases, rounds);
  add_wide(cases, "wide.random", 0, 20, rounds);
  add_wide(cases, "wide.rooms32", 32, 0, rounds);
  return cases;
}

}  // namespace starbus::bench::nav
