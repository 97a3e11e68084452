// starbus-nav and navmeshes: terrain is baked, and what was baked is asked and drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nav/mesh/baked.hpp"
#include "tests/tools/nav/fixture.hpp"
#include "tools/nav/files.hpp"

namespace starbus::nav_tool::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// y is up in such files. A floor of 10 m x 10 m, a ramp of 18 degrees, a floor 2 m higher; a lake
// beside the first; and a platform, 8 m up, with a ramp of 53 degrees.
constexpr std::string_view kValley =
    "v 0 0 0\nv 10 0 0\nv 10 0 -10\nv 0 0 -10\n"
    "v 16 2 0\nv 16 2 -10\nv 26 2 0\nv 26 2 -10\n"
    "v 10 0 -20\nv 0 0 -20\nv 0 8 -26\nv 10 8 -26\nv 0 8 -36\nv 10 8 -36\n"
    "usemtl grass\nf 1 2 3 4\nf 2 5 6 3\nf 5 7 8 6\n"
    "usemtl water\nf 4 3 9 10\n"
    "usemtl grass\nf 10 9 12 11\nf 11 12 14 13\n";

class NavToolMesh : public NavTool {
 protected:
  // Bakes the valley. Quietly.
  Ran bake(std::vector<std::string> more = {}) {
    std::vector<std::string> all{"bake", write("valley.obj", kValley), "--mesh", "-q", "-o", mesh_};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  nav::mesh::BakeOptions options() const { return nav::mesh::decode(read(mesh_))->layout.options; }
  Ran query(const std::string& to, std::vector<std::string> more = {}) {
    std::vector<std::string> all{"query", mesh_, "--from", "2,5", "--to", to, "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  std::string mesh_ = path("valley.mesh");
};

TEST_F(NavToolMesh, ReportsIslandsAndLostSlopes) {
  const Ran ran = bake({"--tile", "32"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("mesh, 4 x 5 tiles, "));
  EXPECT_THAT(ran.out, HasSubstr("2 islands, "));
  EXPECT_THAT(ran.out, HasSubstr("2 triangles, 100 m2, no ground: too steep\n  53.1301 degrees"));
  const json report = json::parse(bake({"--json"}).out);
  EXPECT_EQ(report["kind"], "mesh");
  ASSERT_EQ(report["islands"].size(), 2u);
  // Without what lies within half a metre and a cell of an edge.
  EXPECT_NEAR(report["islands"][0]["area"].get<double>(), 24.5 * 8.5 + 10 * 8.5, 5);
  EXPECT_NEAR(report["islands"][1]["area"].get<double>(), 8.5 * 8.5, 5);
  EXPECT_NEAR(report["islands"][1]["at"][2].get<double>(), 8, 0.2);
  ASSERT_EQ(report["lost_slopes"].size(), 2u);
  EXPECT_NEAR(report["lost_slopes"][0]["degrees"].get<double>(), 53.13, 0.01);
  EXPECT_NEAR(report["lost_slopes"][0]["area"].get<double>(), 50, 0.01);
  const json climbed = json::parse(bake({"--json", "--slope", "60", "--climb", "1"}).out);
  EXPECT_EQ(climbed["islands"].size(), 1u);
  EXPECT_EQ(climbed["lost_slopes"].size(), 0u);
}

TEST_F(NavToolMesh, SaysHowFarALongBakeIs) {
  const Ran ran =
      run({"bake", write("valley.obj", kValley), "--mesh", "-o", mesh_, "--tile", "16"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(times(ran.err, "has baked "), 10u) << "ten lines for 63 tiles";
  EXPECT_THAT(ran.err, HasSubstr("has baked 63 of 63 tiles\n"));
}

TEST_F(NavToolMesh, TakesParametersByTheirNames) {
  ASSERT_EQ(bake().code, 0);
  EXPECT_EQ(options(), nav::mesh::BakeOptions());
  ASSERT_EQ(bake({"--radius", "0.6", "--height", "1.8", "--climb", "0.3", "--slope", "30", "--cell",
                  "0.3", "--cell-height", "0.2", "--tile", "48", "--static"})
                .code,
            0);
  nav::mesh::BakeOptions expected;
  expected.agent_radius = 0.6F;
  expected.agent_height = 1.8F;
  expected.agent_climb = 0.3F;
  expected.agent_slope = 30;
  expected.cell_size = 0.3F;
  expected.cell_height = 0.2F;
  expected.tile_cells = 48;
  expected.dynamic = false;
  EXPECT_EQ(options(), expected);
  const Ran high = bake({"--cell-height", "1"});
  EXPECT_EQ(high.code, 1);
  EXPECT_THAT(high.err, HasSubstr("valley.obj: cell_height: over a third of agent_height"));
  EXPECT_EQ(bake({"--slope", "86"}).code, 2);
  EXPECT_THAT(run({"bake", write("a.txt", "...\n"), "--mesh", "-o", path("x"), "-q"}).err,
              HasSubstr("a.txt: --mesh takes OBJ terrain alone"));
  EXPECT_EQ(run({"bake", path("valley.obj"), "--tile", "32", "-o", path("x")}).code, 2)
      << "of meshes alone";
}

TEST_F(NavToolMesh, FindsWaysOverABakedMesh) {
  ASSERT_EQ(bake({"--material", "water=3"}).code, 0);
  const Ran found = query("24,5");
  ASSERT_EQ(found.code, 0) << found.err;
  const json answer = json::parse(found.out);
  EXPECT_EQ(answer["complete"], true);
  EXPECT_NEAR(answer["length"].get<double>(), std::hypot(22, 2), 0.05);
  EXPECT_GT(answer["expanded"], 0);
  EXPECT_NEAR(answer["points"].back()[2].get<double>(), 2, 0.2) << "without a height: the floor";
  EXPECT_EQ(query("24,5,0").code, 1) << "with one: there";
  const Ran none = query("5,31");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("unreachable"));
  EXPECT_EQ(query("5,31", {"--partial"}).code, 0);
  EXPECT_EQ(query("5,15").code, 0);
  EXPECT_EQ(query("5,15", {"--areas", "1"}).code, 1) << "water is none of them";
  const Ran wide = query("24,5", {"--radius", "2"});
  EXPECT_EQ(wide.code, 1);
  EXPECT_THAT(wide.err, HasSubstr("radius: above that of the mesh"));
  const Ran same = run({"query", path("valley.obj"), "--mesh", "--material", "water=3", "--from",
                        "2,5", "--to", "24,5", "--json"});
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(json::parse(same.out)["points"], answer["points"]) << "without a file in between";
}

TEST_F(NavToolMesh, BakesTheSameFileAgain) {
  ASSERT_EQ(bake().code, 0);
  ASSERT_EQ(run({"bake", mesh_, "-o", path("again.mesh"), "-q"}).code, 0);
  EXPECT_EQ(read(path("again.mesh")), read(mesh_));
  const std::string bytes = read(mesh_);
  write("cut.mesh", bytes.substr(0, bytes.size() / 2));
  const Ran cut = run({"bake", path("cut.mesh"), "-o", path("x"), "-q"});
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.err, HasSubstr("cut.mesh: checksum"));
}

TEST_F(NavToolMesh, KnowsTheMaterialsOfAFile) {
  EXPECT_EQ(material_of("deep water=63"), (std::pair<std::string, nav::Area>{"deep water", 63}));
  for (const std::string_view none :
       {"", "water", "=3", "water=", "water=64", "water=-1", "a=3x"}) {
    EXPECT_EQ(material_of(none), std::nullopt) << none;
  }
  EXPECT_EQ(bake({"--material", "water=64"}).code, 2);
  const Ran strange = bake({"--material", "watr=3"});
  EXPECT_EQ(strange.code, 1);
  EXPECT_THAT(strange.err,
              HasSubstr("valley.obj: material watr: not in the file; it has grass, water"));
  const json dry = json::parse(bake({"--material", "water=0", "--json"}).out);
  EXPECT_NEAR(dry["islands"][0]["area"].get<double>(), 24.5 * 8.5, 5) << "it is a wall";
}

TEST_F(NavToolMesh, DrawsPolygonsTheWayAndWhatWasLookedAt) {
  ASSERT_EQ(bake({"--material", "water=3"}).code, 0);
  const std::size_t polygons = [&] {
    std::size_t count = 0;
    const auto baked = nav::mesh::decode(read(mesh_));
    for (const auto& tile : baked->tiles) count += tile.mesh.count();
    return count;
  }();
  const auto draw = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"view",   mesh_,          "--svg",   path("v.svg"),
                                 "--html", path("v.html"), "--areas", "1"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return data_of(read(path("v.html")));
  };
  const json plain = draw({});
  EXPECT_GT(plain["closed"].size(), 0u) << "water";
  EXPECT_GT(plain["open"].size(), plain["closed"].size());
  EXPECT_EQ(plain["open"].size() + plain["closed"].size(), polygons);
  EXPECT_EQ(times(read(path("v.svg")), "<polygon"), polygons);
  for (const json& shape : plain["open"]) EXPECT_GE(shape.size(), 6u) << "three corners and more";
  const json search = draw({"--from", "2,5", "--to", "24,5"});
  ASSERT_GT(search["frames"].size(), 1u);
  std::size_t added = 0;
  for (const json& frame : search["frames"]) {
    for (const json& shape : frame["added"]) {
      EXPECT_THAT(search["open"], ::testing::Contains(shape)) << "a polygon, as it is";
      ++added;
    }
  }
  EXPECT_GT(added, 1u);
  EXPECT_LE(added, plain["open"].size()) << "each once";
  EXPECT_EQ(search["frames"].back()["way"].back()[0], 24);
  EXPECT_EQ(times(read(path("v.svg")), "<polyline"), 1u);
}

}  // namespace
}  // namespace starbus::nav_tool::test
