// starbus-nav in this process: what it bakes, it reads again; what it says of a map is so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "nav/formats/baked.hpp"
#include "nav/formats/moving_ai.hpp"
#include "tests/tools/nav/fixture.hpp"
#include "tools/nav/files.hpp"
#include "tools/nav/limits.hpp"
#include "tools/nav/trails.hpp"

namespace starbus::nav_tool::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Two rooms, of which one can be left.
constexpr std::string_view kRooms =
    "..........\n"
    ".###.####.\n"
    ".#.#.#..#.\n"
    ".###.##.#.\n"
    "..........\n";

TEST_F(NavTool, BakesAGridAndReportsItsIslands) {
  const std::string map = write("rooms.txt", kRooms);
  const Ran baked = run({"bake", map, "--out", path("rooms.nav"), "--cell", "2"});
  EXPECT_EQ(baked.code, 0) << baked.err;
  EXPECT_THAT(baked.out, HasSubstr("grid, 10 x 5 cells"));
  EXPECT_THAT(baked.out, HasSubstr("2 islands, 33 pieces; 1 cannot be reached from the largest"));
  EXPECT_THAT(baked.out, HasSubstr("1 pieces around 5, 5, 0"));
  EXPECT_THAT(baked.err, HasSubstr("starbus-nav: writes " + path("rooms.nav"))) << "progress";
  const auto file = nav::formats::read_grid(read(path("rooms.nav")));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->terrain.areas, nav::grid::terrain_of(kRooms)->areas);
  EXPECT_EQ(file->options.cell_size, 2);
  const Ran again =
      run({"bake", path("rooms.nav"), "--out", path("again.nav"), "--json", "--quiet"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(read(path("again.nav")), read(path("rooms.nav")));
  const json report = json::parse(again.out);
  EXPECT_EQ(report["islands"].size(), 2u);
  EXPECT_EQ(report["unreachable"], 1);
  EXPECT_EQ(report["islands"][0]["pieces"], 32);
}

TEST_F(NavTool, FindsWaysByAnyAlgorithm) {
  const std::string map = write("rooms.txt", kRooms);
  ASSERT_EQ(run({"bake", map, "-o", path("rooms.nav")}).code, 0);
  for (const std::string algorithm : {"automatic", "a_star", "dijkstra", "jps", "jps_plus"}) {
    const Ran found = run({"query", path("rooms.nav"), "--from", "0.5,0.5", "--to", "9.5,4.5",
                           "--algorithm", algorithm, "--json"});
    ASSERT_EQ(found.code, 0) << found.err;
    const json answer = json::parse(found.out);
    EXPECT_EQ(answer["complete"], true);
    EXPECT_NEAR(answer["cost"].get<double>(), 13, 1e-3) << algorithm;
    EXPECT_GT(answer["expanded"], 0);
    EXPECT_EQ(answer["points"].front(), json::array({0.5, 0.5, 0}));
  }
  const Ran text = run({"query", map, "--from", "0.5,0.5", "--to", "0.5,4.5"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("a way: 4 m, cost 4, "));
  EXPECT_THAT(text.out, HasSubstr("\n  0.5, 4.5, 0\n"));
}

TEST_F(NavTool, SaysWhyThereIsNoWay) {
  const std::string map = write("rooms.txt", kRooms);
  const auto ask = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"query", map, "--from", "0.5,0.5"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const Ran none = ask({"--to", "2.5,2.5"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("unreachable"));
  EXPECT_EQ(none.out, "");
  const Ran near = ask({"--to", "2.5,2.5", "--partial"});
  EXPECT_EQ(near.code, 0);
  EXPECT_THAT(near.out, HasSubstr("to the nearest place that can be reached"));
  const Ran wall = ask({"--to", "1.5,1.5"});
  EXPECT_EQ(wall.code, 1);
  EXPECT_THAT(wall.err, HasSubstr("--to: no place there; see --reach"));
  EXPECT_EQ(ask({"--to", "1.5,1.5", "--reach", "1"}).code, 0);
  const Ran wide = ask({"--to", "4.5,2.5", "--radius", "1"});
  EXPECT_EQ(wide.code, 1) << "too wide";
  EXPECT_EQ(ask({"--to", "4.5,2.5", "--areas", "2"}).code, 1) << "passes another area alone";
}

TEST_F(NavTool, NamesTheFileAndTheLineOfWhatIsWrong) {
  const auto wrong = [&](const std::string& file) {
    const Ran ran = run({"bake", file, "-o", path("never.nav"), "-q"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_FALSE(std::filesystem::exists(path("never.nav")));
    return ran.err;
  };
  EXPECT_THAT(wrong(write("a.txt", "...\n.x.\n")), HasSubstr("a.txt: line 2: unknown sign"));
  EXPECT_THAT(wrong(write("b.txt", "...\n..\n")), HasSubstr("b.txt: line 2: not as long"));
  EXPECT_THAT(wrong(write("c.map", "type octile\nheight 1\nwidth 2\nmap\n.?\n")),
              HasSubstr("c.map: line 5: unknown sign"));
  const std::string whole = *nav::formats::write_baked(nav::formats::kVolumeKind, 1, "no body");
  EXPECT_THAT(wrong(write("d.nav", whole.substr(0, 20))), HasSubstr("d.nav: length: cut off"));
  EXPECT_THAT(wrong(write("g.nav", whole)), HasSubstr("g.nav: volume: "));
  EXPECT_THAT(wrong(write("e.nav", "")),
              HasSubstr("e.nav: no kind of file that this starbus knows"));
  EXPECT_THAT(wrong(path("none.map")), HasSubstr("none.map: cannot be read: No such file"));
  std::string other = *nav::formats::write_baked(77, 1, "");
  EXPECT_THAT(wrong(write("f.nav", other)), HasSubstr("f.nav: no kind of file"));
  const std::string map = write("rooms.txt", kRooms);
  const Ran nowhere = run({"bake", map, "-o", path("no/such/folder"), "-q"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("cannot be written"));
}

TEST_F(NavTool, RefusesWrongCommandLines) {
  EXPECT_EQ(run({}).code, 2);
  EXPECT_THAT(run({"fly"}).err, HasSubstr("no command \"fly\"; commands of starbus-nav: bake"));
  const std::string map = write("rooms.txt", kRooms);
  EXPECT_EQ(run({"query", map, "--from", "1,1"}).code, 2);
  const Ran words = run({"query", map, "--from", "here", "--to", "1,1"});
  EXPECT_EQ(words.code, 2);
  EXPECT_THAT(words.err, HasSubstr("here: no place; write it as 3,4.5"));
  EXPECT_EQ(run({"query", map, "--from", "1,1", "--to", "2,2", "--algorithm", "magic"}).code, 2);
  EXPECT_EQ(run({"bake", map, "-o", path("x"), "--cell", "0"}).code, 2);
  EXPECT_THAT(run({"view", map}).err, HasSubstr("--svg or --html is required"));
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({"--version"}).code, 0);
}

TEST_F(NavTool, PlacesAreTwoOrThreeNumbers) {
  EXPECT_EQ(spot_of("1,2"), (Spot{{1, 2, 0}, false}));
  EXPECT_EQ(spot_of("1,-2.5,3e1"), (Spot{{1, -2.5F, 30}, true}));
  for (const std::string_view none :
       {"", "1", "1,", ",1", "1,2,", "1,2,3,4", "1, 2", "1,x", "nan,1", "1,inf", "1e99,1"}) {
    EXPECT_EQ(spot_of(none), std::nullopt) << none;
  }
}

// A map of MovingAI, and rows of it: lengths by hand.
TEST_F(NavTool, ComparesTheLengthsOfAScenario) {
  const std::string map = "type octile\nheight 4\nwidth 5\nmap\n.....\n.@@@.\n.WWW.\n.....\n";
  write("yard.map", map);
  const std::string rows =
      "version 1\n"
      "0\tmaps/yard.map\t5\t4\t0\t0\t4\t0\t4\n"
      "0\tmaps/yard.map\t5\t4\t0\t0\t4\t3\t7\n"
      "0\tmaps/yard.map\t5\t4\t1\t2\t3\t2\t2\n"
      "0\tmaps/yard.map\t5\t4\t0\t0\t1\t2\t0\n";
  const Ran good = run({"scenario", write("yard.map.scen", rows)});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_THAT(good.out, HasSubstr("4 rows, 0 differ"));
  for (const std::string algorithm : {"a_star", "dijkstra", "jps", "jps_plus"}) {
    EXPECT_EQ(run({"scenario", path("yard.map.scen"), "--algorithm", algorithm}).code, 0);
  }
  const Ran bad =
      run({"scenario", write("bad.scen", rows + "0 yard.map 5 4 0 0 0 3 2.5\n"), "--json"});
  EXPECT_EQ(bad.code, 1);
  const json report = json::parse(bad.out);
  EXPECT_EQ(report["rows"], 5);
  EXPECT_EQ(report["differ"], 1);
  EXPECT_EQ(report["differing"][0]["row"], 5);
  const Ran text = run({"scenario", path("bad.scen")});
  EXPECT_THAT(text.out, HasSubstr("row 5: 2.5, found 3.000000"));
  EXPECT_THAT(run({"scenario", write("c.scen", "version 1\n0 x\n")}).err,
              HasSubstr("c.scen: line 2: nine fields expected"));
  EXPECT_THAT(run({"scenario", write("d.scen", "version 1\n")}).err, HasSubstr("no rows"));
  write("small.map", "type octile\nheight 1\nwidth 1\nmap\n.\n");
  EXPECT_THAT(run({"scenario", path("yard.map.scen"), "--map", path("small.map")}).err,
              HasSubstr("small.map: not of the size"));
}

TEST_F(NavTool, DrawsTheMapTheWayAndWhatWasLookedAt) {
  const std::string map = write("rooms.txt", kRooms);
  const Ran drawn = run({"view", map, "--svg", path("a.svg"), "--from", "0.5,0.5", "--to",
                         "9.5,4.5", "--algorithm", "a_star"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const std::string svg = read(path("a.svg"));
  const Ran found = run(
      {"query", map, "--from", "0.5,0.5", "--to", "9.5,4.5", "--algorithm", "a_star", "--json"});
  const auto expanded = json::parse(found.out)["expanded"].get<std::size_t>();
  // The background, runs of walls, and a rectangle for each cell that was expanded.
  constexpr std::size_t kRuns = 2 + 4 + 3;
  EXPECT_EQ(times(svg, "<rect"), 1 + kRuns + expanded);
  EXPECT_EQ(times(svg, "<polyline"), 1u);
  const Ran page = run({"view", map, "--html", path("a.html"), "--from", "0.5,0.5", "--to",
                        "9.5,4.5", "--algorithm", "a_star"});
  ASSERT_EQ(page.code, 0) << page.err;
  const std::string html = read(path("a.html"));
  EXPECT_THAT(html, HasSubstr("<canvas"));
  EXPECT_THAT(html, Not(HasSubstr("http"))) << "it needs nothing else";
  const json data = data_of(html);
  EXPECT_GE(data["frames"].size(), expanded) << "a frame for each step";
  EXPECT_LE(data["frames"].size(), expanded + 1);
  EXPECT_EQ(data["frames"].back()["expanded"], expanded);
  std::size_t added = 0;
  for (const json& frame : data["frames"]) added += frame["added"].size();
  EXPECT_EQ(added, expanded);
  EXPECT_EQ(data["closed"].size(), kRuns);
}

TEST_F(NavTool, APageOfALongSearchHasAtMostKMaxFrames) {
  const std::string map = write("wide.txt", [] {
    std::string text;
    for (int i = 0; i < 60; ++i) text += std::string(60, '.') + "\n";
    return text;
  }());
  const Ran page = run({"view", map, "--html", path("a.html"), "--from", "0.5,0.5", "--to",
                        "59.5,59.5", "--algorithm", "dijkstra"});
  ASSERT_EQ(page.code, 0) << page.err;
  const std::string html = read(path("a.html"));
  const json data = data_of(html);
  EXPECT_LE(data["frames"].size(), kMaxFrames + 1);
  EXPECT_GT(data["frames"].size(), kMaxFrames / 2);
  EXPECT_EQ(data["frames"].back()["expanded"], 3'600);
}

TEST_F(NavTool, ShowsTrailsOfAgents) {
  const std::string map = write("rooms.txt", kRooms);
  const std::string trails =
      write("t.jsonl",
            "{\"id\": \"wolf\", \"t\": 0, \"x\": 0.5, \"y\": 0.5}\n\n"
            "{\"id\": \"</script>\", \"t\": 1, \"x\": 1, \"y\": 0, \"z\": 2}\n"
            "{\"id\": \"wolf\", \"t\": 2.5, \"x\": 4.5, \"y\": 0.5}\n");
  const Ran page =
      run({"view", map, "--html", path("t.html"), "--svg", path("t.svg"), "--trails", trails});
  ASSERT_EQ(page.code, 0) << page.err;
  const std::string html = read(path("t.html"));
  EXPECT_EQ(times(html, "</script>"), 1u) << "an id cannot end the script";
  EXPECT_THAT(html, HasSubstr("{\"id\":\"wolf\",\"points\":[[0.5,0.5,0.0],[4.5,0.5,2.5]]}"));
  EXPECT_EQ(times(read(path("t.svg")), "<polyline"), 2u);
  const auto wrong = [&](std::string_view text) { return read_trails(text).error().detail; };
  EXPECT_EQ(wrong("{}"), "line 1: \"id\": a text expected");
  EXPECT_EQ(wrong("\n[1]"), "line 2: no JSON object");
  EXPECT_EQ(wrong("{\"id\":\"a\",\"x\":1,\"y\":1}"), "line 1: \"t\": a number of seconds expected");
  EXPECT_EQ(wrong("{\"id\":\"a\",\"t\":1,\"x\":1}"),
            "line 1: \"x\", \"y\": numbers of metres expected");
  EXPECT_EQ(wrong("{\"id\":\"a\",\"t\":1,\"x\":1,\"y\":0}\n{\"id\":\"a\",\"t\":0,\"x\":1,\"y\":0}"),
            "line 2: \"t\": goes back");
  EXPECT_THAT(run({"view", map, "--svg", path("u.svg"), "--trails", write("u.jsonl", "x")}).err,
              HasSubstr("u.jsonl: line 1: no JSON object"));
}

TEST_F(NavTool, RefusesTrailsBeyondKMaxTrailPoints) {
  std::string text;
  for (std::uint32_t i = 0; i < kMaxTrailPoints; ++i)
    text += "{\"id\":\"a\",\"t\":0,\"x\":0,\"y\":0}\n";
  ASSERT_TRUE(read_trails(text));
  text += "{\"id\":\"a\",\"t\":0,\"x\":0,\"y\":0}\n";
  EXPECT_EQ(read_trails(text).error().detail, "kMaxTrailPoints");
}

TEST_F(NavTool, RefusesPicturesBeyondKMaxShapes) {
  std::string row;
  while (row.size() < 2'000) row += "#.";
  std::string text;
  for (std::uint32_t i = 0; i < kMaxShapes / 1'000; ++i) text += row + "\n";
  EXPECT_EQ(run({"view", write("fits.txt", text), "--svg", path("a.svg")}).code, 0);
  const Ran much = run({"view", write("much.txt", text + row + "\n"), "--svg", path("b.svg")});
  EXPECT_EQ(much.code, 1);
  EXPECT_THAT(much.err, HasSubstr("more than kMaxShapes"));
}

TEST_F(NavTool, RefusesFilesBeyondKMaxTextBytes) {
  const std::string file = write("large.map", "");
  std::filesystem::resize_file(file, std::uintmax_t{kMaxTextBytes} + 1);
  const Ran large = run({"bake", file, "-o", path("x"), "-q"});
  EXPECT_EQ(large.code, 1);
  EXPECT_THAT(large.err, HasSubstr("kMaxTextBytes"));
}

// -- Volumes

TEST_F(NavTool, AsksAndDrawsVolumes) {
  auto columns = *nav::volume::Columns::create({20, 10, 8});
  ASSERT_TRUE(columns.set({10, 0, 0, 11, 10, 5}, nav::kWall));
  ASSERT_TRUE(columns.set({3, 3, 1, 6, 6, 4}, nav::kWall));
  ASSERT_TRUE(columns.set({4, 4, 2, 5, 5, 3}, nav::kPlain));  // a hollow
  nav::volume::VolumeOptions options;
  options.voxel_size = 0.5F;
  const std::string file =
      write("sky.nav", *nav::formats::write_volume({std::move(columns), options}));
  const Ran baked = run({"bake", file, "-o", path("again.nav"), "-q"});
  EXPECT_EQ(baked.code, 0) << baked.err;
  EXPECT_THAT(baked.out, HasSubstr("volume, 20 x 10 x 8 voxels"));
  EXPECT_THAT(baked.out, HasSubstr("2 islands, 1524 pieces; 1 cannot be reached"));
  EXPECT_EQ(read(path("again.nav")), read(file));
  const Ran found = run({"query", file, "--from", "1,0.25,0.25", "--to", "9,0.25,0.25", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json answer = json::parse(found.out);
  EXPECT_NEAR(answer["cost"].get<double>(), (16 + 5 + 5) * 0.5, 1e-6) << "over the wall";
  const auto rectangles = [&](const std::string& z) {
    EXPECT_EQ(run({"view", file, "--svg", path("z.svg"), "--z", z}).code, 0);
    return times(read(path("z.svg")), "<rect") - 1;
  };
  EXPECT_EQ(rectangles("0.1"), 10u);
  EXPECT_EQ(rectangles("0.6"), 10u + 3);
  EXPECT_EQ(rectangles("1.1"), 10u + 4) << "around the hollow";
  EXPECT_EQ(rectangles("3"), 0u);
  const Ran page =
      run({"view", file, "--html", path("z.html"), "--from", "1,0.25,0.25", "--to", "9,0.25,0.25"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(read(path("z.html")), HasSubstr("\"expanded\":"));
}

TEST_F(NavTool, TrianglesBecomeWallsWithAirAround) {
  // A floor of 4 m x 4 m.
  const std::vector<nav::Point> floor{{0, 0, 0}, {4, 0, 0}, {4, 4, 0},
                                      {0, 0, 0}, {4, 4, 0}, {0, 4, 0}};
  ReadOptions options;
  options.voxel = 0.5F;
  options.margin = 1;
  const auto world = voxelise(floor, options);
  ASSERT_TRUE(world);
  EXPECT_EQ((*world)->ground().bounds(), (nav::Box{{-1, -1, -1}, {5.5F, 5.5F, 1.5F}}));
  nav::Ground& ground = (*world)->ground();
  const auto area = [&](nav::Point at) {
    return ground.nearest(at, {}, (*world)->agent()).has_value();
  };
  EXPECT_FALSE(area({2, 2, 0.1F}));
  EXPECT_TRUE(area({2, 2, 0.6F}));
  EXPECT_TRUE(area({2, 2, -0.1F}));
  EXPECT_EQ((*world)->islands().size(), 1u) << "around its edges";
  EXPECT_EQ(voxelise({}, options).error(), Errc::bad_option);
  options.voxel = 0.0001F;
  EXPECT_EQ(voxelise(floor, options).error().detail, "kMaxVoxelSide");
}

TEST_F(NavTool, BakesTerrainAsAVolume) {
  // The same floor; y is up in such files.
  const std::string file = write("floor.obj", "v 0 0 0\nv 4 0 0\nv 4 0 -4\nv 0 0 -4\nf 1 2 3 4\n");
  const Ran baked =
      run({"bake", file, "-o", path("floor.nav"), "-q", "--voxel", "0.5", "--margin", "1"});
  EXPECT_EQ(baked.code, 0) << baked.err;
  EXPECT_THAT(baked.out, HasSubstr("volume, 13 x 13 x 5 voxels"));
  const Ran found =
      run({"query", path("floor.nav"), "--from", "2,2,0.6", "--to", "2,2,-0.1", "--json"});
  EXPECT_EQ(found.code, 0) << "round its edge: " << found.err;
  const Ran refused = run({"bake", write("bad.obj", "v 0 0\n"), "-o", path("bad.nav"), "-q"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("bad.obj: line 1"));
}

}  // namespace
}  // namespace starbus::nav_tool::test
