/// Files of baked meshes: what was written is read, and anything else is an error.
#include <gtest/gtest.h>

#include <cmath>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "nav/mesh/voxels.hpp"
#include "tests/nav/mesh/world.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::mesh::test {
namespace {

using grid::test::Chance;

// With a checksum that is right, so that what stands behind it is looked at.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 4);
  append_little(bytes, crc32c(0, bytes), 4);
  return bytes;
}

// Asks a ground whatever can be asked: nothing may be amiss.
void use(const Baked& baked) {
  auto ground = MeshGround::create(baked, {}).value();
  const AgentId agent = *ground->add_agent({});
  const auto search = ground->make_search();
  Path path;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto from = ground->random_point(agent, seed);
    if (!from) break;
    const Place to = *ground->random_point(agent, seed + 100);
    const PathRequest request{.from = *from, .to = to, .agent = agent, .partial = true};
    ASSERT_TRUE(search->find(request, path));
    ASSERT_EQ(path.complete, ground->reachable(*from, to, agent));
    ASSERT_TRUE(ground->raycast(*from, to.point, agent));
    ASSERT_TRUE(ground->move_along_surface(*from, to.point, agent));
    ASSERT_TRUE(ground->nearest(to.point, {1, 1, 1}, agent));
  }
  if (!baked.layout.options.dynamic) return;
  const Box all = ground->bounds();
  // Voxels of others may be too much for a tile; then nothing has changed.
  const std::uint64_t version = ground->version();
  const auto added = ground->add_obstacle({{all.low, all.high}, 2});
  ASSERT_TRUE(added || ground->version() == version);
}

class MeshFiles : public testing::Test {
 protected:
  static Baked small() {
    World world;
    world.floor(0, 0, 12, 6, 0).ramp_x(12, 0, 16, 6, 0, 2).block(4, 2, 5, 4, 0, 2);
    return bake(world);
  }
  const Baked baked_ = small();
  const std::string bytes_ = encode(baked_);
};

TEST_F(MeshFiles, AreReadAsTheyWereWritten) {
  const auto read = decode(bytes_);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, baked_);
  EXPECT_EQ(encode(*read), bytes_);
  use(*read);
}

TEST_F(MeshFiles, ThatAreCutOffOrChangedAreCorrupt) {
  for (std::size_t size = 0; size < bytes_.size(); size += 1 + bytes_.size() / 500) {
    EXPECT_EQ(decode(bytes_.substr(0, size)).error(), Errc::corrupt) << size;
  }
  EXPECT_EQ(decode(bytes_ + "x").error(), Errc::corrupt);
  Chance chance(1);
  for (int i = 0; i < 1'000; ++i) {
    std::string changed = bytes_;
    changed[chance.below(static_cast<std::uint32_t>(changed.size()))] ^=
        static_cast<char>(1 + chance.below(255));
    EXPECT_EQ(decode(changed).error(), Errc::corrupt) << "the checksum";
  }
}

TEST_F(MeshFiles, OfHostileHandsAreRefusedOrCanBeUsed) {
  Chance chance(2);
  int refused = 0;
  int used = 0;
  for (int i = 0; i < 1'500; ++i) {
    std::string changed = bytes_;
    for (std::uint32_t many = 1 + chance.below(3); many > 0; --many) {
      const std::size_t where = 12 + chance.below(static_cast<std::uint32_t>(changed.size()) - 16);
      switch (chance.below(3)) {
        case 0:
          changed[where] ^= static_cast<char>(1 << chance.below(8));
          break;
        case 1:
          changed[where] = static_cast<char>(chance.below(256));
          break;
        default:
          changed[where] = static_cast<char>(chance.below(2) == 0 ? 0xff : 0);
      }
    }
    const auto read = decode(sealed(changed));
    if (!read) {
      ++refused;
      const Error& error = read.error();
      EXPECT_TRUE(error == Errc::corrupt || error == Errc::bad_option ||
                  error == Errc::bad_position || error == Errc::too_large ||
                  error == Errc::too_many);
      continue;
    }
    ++used;
    use(*read);
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(used, 100);
}

// Each thing that Detour would have taken on trust.
TEST_F(MeshFiles, ChecksWhateverDetourTrusts) {
  const auto refuses = [&](auto&& change) {
    Baked baked = baked_;
    change(baked.tiles[0].mesh);
    return check(baked).error() == Errc::corrupt;
  };
  ASSERT_GT(baked_.tiles[0].mesh.count(), 1u);
  EXPECT_TRUE(refuses([](TileMesh& of) { of.polygons[0] = 60'000; })) << "a corner";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.polygons[2] = kNone; })) << "two corners";
  EXPECT_TRUE(refuses([](TileMesh& of) { std::swap(of.polygons[0], of.polygons[1]); })) << "turned";
  EXPECT_TRUE(refuses([](TileMesh& of) {
    for (std::size_t i = kCorners; i < 2 * kCorners; ++i) {
      if (of.polygons[i] < of.count()) of.polygons[i] = 99;
    }
  })) << "a neighbour";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.polygons[kCorners] = kBorder | 9; })) << "a border";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.areas[0] = kWall; }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.areas[0] = 64; }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.areas.push_back(1); }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.corners[0] = 99; })) << "beyond the tile";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.corners[1] = 9'999; })) << "above it";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.corners.pop_back(); }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.details[0] = 1'000'000; }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.details[1] = 2; })) << "fewer points than corners";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.details[3] = 0; })) << "no triangle";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.details[2] = 0xffff'ffff; }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.triangles[0] = 254; }));
  EXPECT_TRUE(refuses([](TileMesh& of) {
    for (std::size_t i = 3; i < of.triangles.size(); i += 4) of.triangles[i] = 0;
  })) << "no edge is one of the polygon";
  EXPECT_TRUE(refuses([](TileMesh& of) { of.points[1] = NAN; }));
  EXPECT_TRUE(refuses([](TileMesh& of) { of.points[1] = 1e30F; }));
  Baked baked = baked_;
  baked.tiles[0].voxels.pop_back();
  EXPECT_EQ(check(baked).error(), Errc::corrupt);
  baked = baked_;
  baked.tiles.pop_back();
  EXPECT_EQ(check(baked).error(), Errc::corrupt);
  baked = baked_;
  baked.layout.columns = 1'000;
  EXPECT_EQ(check(baked).error(), Errc::corrupt);
}

TEST_F(MeshFiles, VoxelsArePackedAndChecked) {
  Voxels voxels;
  voxels.counts = {2, 0, 1, 1};
  voxels.floors = {5, 40, 7, 7};
  voxels.rooms = {20, 255, 255, 255};
  voxels.areas = {1, 2, 0, 63};
  const auto read = unpack(pack(voxels), 2);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, voxels);
  EXPECT_EQ(unpack(pack(voxels), 3).error(), Errc::corrupt);
  EXPECT_EQ(unpack(pack(voxels) + "x", 2).error(), Errc::corrupt);
  const auto refuses = [&](auto&& change) {
    Voxels of = voxels;
    change(of);
    return unpack(pack(of), 2).error() == Errc::corrupt;
  };
  EXPECT_TRUE(refuses([](Voxels& of) { of.floors[1] = 10; })) << "within another one";
  EXPECT_TRUE(refuses([](Voxels& of) { of.floors[1] = 9'000; }));
  EXPECT_TRUE(refuses([](Voxels& of) { of.rooms[0] = 0; }));
  EXPECT_TRUE(refuses([](Voxels& of) { of.areas[3] = 64; }));
  EXPECT_TRUE(refuses([](Voxels& of) { of.counts[0] = 3; }));
}

}  // namespace
}  // namespace starbus::nav::mesh::test
