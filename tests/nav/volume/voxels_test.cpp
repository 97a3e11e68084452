// Columns, solids and octrees beside a dense array of voxels.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "nav/volume/linear_octree.hpp"
#include "nav/volume/solids.hpp"
#include "nav/volume/sparse_octree.hpp"
#include "tests/nav/volume/reference.hpp"

namespace starbus::nav::volume::test {
namespace {

void tile(const Columns& columns) {
  for (std::uint32_t y = 0; y < columns.extent().y; ++y) {
    for (std::uint32_t x = 0; x < columns.extent().x; ++x) {
      const auto spans = columns.column(x, y);
      RC_ASSERT(!spans.empty());
      RC_ASSERT(spans.back().end == columns.extent().z);
      for (std::size_t i = 1; i < spans.size(); ++i) {
        RC_ASSERT(spans[i - 1].end < spans[i].end);
        RC_ASSERT(spans[i - 1].area != spans[i].area);
      }
    }
  }
}

RC_GTEST_PROP(Columns, AreWhatADenseArrayIsAfterAnyChanges, ()) {
  const auto side = rc::gen::inRange<std::uint32_t>(1, 9);
  const Extent extent{*side, *side, *side};
  Dense dense(extent);
  Columns columns = *Columns::create(extent, kAir);
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    const Voxel low = any_voxel(extent);
    const VoxelBox box{low.x, low.y, low.z, low.x + *side, low.y + *side, low.z + *side};
    const auto area = *rc::gen::inRange<Area>(0, 4);
    dense.fill(box, area);
    RC_ASSERT(columns.set(box, area));
    tile(columns);
  }
  RC_ASSERT(Dense(columns) == dense);
  std::size_t spans = 0;
  for (std::uint32_t y = 0; y < extent.y; ++y) {
    for (std::uint32_t x = 0; x < extent.x; ++x) spans += columns.column(x, y).size();
  }
  RC_ASSERT(spans == columns.spans());
  RC_ASSERT(columns == dense.columns());
}

RC_GTEST_PROP(Columns, SayHowMuchIsOpenAboveAndBelow, ()) {
  const Dense world = any_world(7);
  const Columns columns = world.columns();
  world.each([&](Voxel at) {
    Gap gap{at.z, at.z};
    if (world.at(at) != kWall) {
      ++gap.high;
      const auto open = [&](std::uint32_t z) {
        return world.at({at.x, at.y, static_cast<std::uint16_t>(z)}) != kWall;
      };
      while (gap.low > 0 && open(gap.low - 1)) --gap.low;
      while (gap.high < world.extent.z && open(gap.high)) ++gap.high;
      RC_ASSERT(columns.clearance(at) == gap);
    } else {
      RC_ASSERT(columns.clearance(at) == Gap{});
      RC_ASSERT(columns.solid(at));
    }
  });
}

TEST(Columns, FindTheLowestAndTheHighestVoxel) {
  Columns columns = *Columns::create({2, 1, 4'096}, kAir);
  ASSERT_TRUE(columns.set(1, 0, 0, 1, kWall));
  ASSERT_TRUE(columns.set(1, 0, 4'095, 4'096, kWater));
  EXPECT_EQ(columns.at({1, 0, 0}), kWall);
  EXPECT_EQ(columns.at({1, 0, 1}), kAir);
  EXPECT_EQ(columns.at({1, 0, 4'094}), kAir);
  EXPECT_EQ(columns.at({1, 0, 4'095}), kWater);
  EXPECT_EQ(columns.at({2, 0, 0}), kWall) << "beyond";
}

TEST(Columns, KeepTheirMemoryInBoundsThroughChanges) {
  Columns columns = *Columns::create({64, 64, 64}, kAir);
  Chance chance(1);
  std::size_t most = 0;
  for (int i = 0; i < 4'000; ++i) {
    const Voxel low = random_voxel(chance, columns.extent());
    const VoxelBox box{low.x, low.y, low.z, low.x + 9u, low.y + 9u, low.z + 9u};
    ASSERT_TRUE(columns.set(box, static_cast<Area>(chance.below(3))));
    most = std::max(most, columns.bytes());
  }
  const std::size_t lists = 64 * 64 * 8;
  EXPECT_LT(most, lists + 4 * 2 * (4 * (std::size_t{64} * 64 * 64 + 64 * 64)));
  EXPECT_LT(columns.bytes(), lists + 4 * 10 * (columns.spans() + 64 * 64));
}

// -- Solids

// Points of a triangle, spread evenly: each lies in a solid voxel, and each solid voxel touches
// the triangle.
RC_GTEST_PROP(Solids, EveryPointOfATriangleLiesInASolidVoxel, ()) {
  const Extent extent{12, 12, 12};
  Frame frame{{-3, 2, 1}, 0.5F, extent};
  std::array<Point, 3> corners;
  const auto at =
      rc::gen::map(rc::gen::inRange(-20, 60), [](int n) { return static_cast<float>(n) * 0.21F; });
  for (Point& corner : corners) {
    corner = {*at - 3, *at + 2, *at + 1};
  }
  Columns columns = *Columns::create(extent, kAir);
  RC_ASSERT(fill_triangles(columns, frame, corners));
  std::set<Voxel> touched;
  constexpr int kSteps = 60;
  for (int a = 0; a <= kSteps; ++a) {
    for (int b = 0; a + b <= kSteps; ++b) {
      std::array<double, 3> point{};
      const std::array<double, 3> parts{a / double{kSteps}, b / double{kSteps},
                                        (kSteps - a - b) / double{kSteps}};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto corner = frame.voxels(corners[i]);
        for (std::size_t k = 0; k < 3; ++k) point[k] += corner[k] * parts[i];
      }
      bool inside = true;
      bool border = false;  // where rounding decides
      for (std::size_t k = 0; k < 3; ++k) {
        inside = inside && point[k] >= 0 && point[k] < 12;
        border = border || std::abs(point[k] - std::round(point[k])) < 1e-9;
      }
      if (!inside || border) continue;
      const auto one = [](double of) { return static_cast<std::uint16_t>(of); };
      const Voxel voxel{one(point[0]), one(point[1]), one(point[2])};
      RC_ASSERT(columns.solid(voxel));
      touched.insert(voxel);
    }
  }
  // None that is further away than a sample's step from all samples.
  const Dense dense(columns);
  dense.each([&](Voxel voxel) {
    if (dense.at(voxel) != kWall || touched.contains(voxel)) return;
    const bool near = std::ranges::any_of(touched, [&](Voxel other) {
      return std::abs(voxel.x - other.x) <= 1 && std::abs(voxel.y - other.y) <= 1 &&
             std::abs(voxel.z - other.z) <= 1;
    });
    // A sliver may pass between all samples, or lie at the border of the volume.
    const bool edge = voxel.x == 0 || voxel.y == 0 || voxel.z == 0 || voxel.x == 11 ||
                      voxel.y == 11 || voxel.z == 11;
    RC_ASSERT(near || edge || touched.empty());
  });
}

TEST(Solids, AFloorOfTrianglesIsOneVoxelThickAndWithoutHoles) {
  const Extent extent{16, 16, 16};
  Columns columns = *Columns::create(extent, kAir);
  const Frame frame{{0, 0, 0}, 1, extent};
  const std::vector<Point> floor{{0, 0, 5}, {16, 0, 5},  {16, 16, 5},
                                 {0, 0, 5}, {16, 16, 5}, {0, 16, 5}};
  ASSERT_TRUE(fill_triangles(columns, frame, floor));
  Dense expected(extent);
  expected.fill({0, 0, 5, 16, 16, 6}, kWall);
  EXPECT_EQ(Dense(columns).areas, expected.areas);
}

TEST(Solids, BoxesAndHeightsFillWhatTheyTouch) {
  const Extent extent{4, 4, 8};
  const Frame frame{{10, 10, 10}, 0.5F, extent};
  Columns columns = *Columns::create(extent, kAir);
  ASSERT_TRUE(fill_box(columns, frame, {{10.5F, 10.5F, 10.5F}, {11, 11, 11}}));
  Dense expected(extent);
  expected.fill({1, 1, 1, 2, 2, 2}, kWall);
  EXPECT_EQ(Dense(columns).areas, expected.areas);
  ASSERT_TRUE(fill_box(columns, frame, {{10.75F, 0, 0}, {10.75F, 90, 90}}, kWater));
  expected.fill({1, 0, 0, 2, 4, 8}, kWater);
  EXPECT_EQ(Dense(columns).areas, expected.areas) << "thinner than a voxel";
  std::vector<float> heights(16, 9.0F);
  heights[5] = 11.1F;  // 2.2 voxels
  heights[6] = 11;
  heights[7] = 99;
  ASSERT_TRUE(fill_heights(columns, frame, heights));
  expected.fill({1, 1, 0, 2, 2, 3}, kWall);
  expected.fill({2, 1, 0, 3, 2, 2}, kWall);
  expected.fill({3, 1, 0, 4, 2, 8}, kWall);
  EXPECT_EQ(Dense(columns).areas, expected.areas);
}

TEST(Solids, RefuseWhatIsNoWorld) {
  const Extent extent{4, 4, 4};
  const Frame frame{{}, 1, extent};
  Columns columns = *Columns::create(extent);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(fill_box(columns, frame, {{nan, 0, 0}, {1, 1, 1}}).error(), Errc::bad_position);
  EXPECT_EQ(fill_box(columns, frame, {{}, {1, 1, 1}}, kMaxArea + 1).error(), Errc::too_large);
  EXPECT_EQ(fill_triangles(columns, frame, std::vector<Point>(4)).error(), Errc::bad_option);
  EXPECT_EQ(fill_triangles(columns, frame, std::vector<Point>(3, {0, nan, 0})).error(),
            Errc::bad_position);
  EXPECT_EQ(fill_heights(columns, frame, std::vector<float>(15)).error(), Errc::bad_option);
  EXPECT_EQ(fill_heights(columns, frame, std::vector<float>(16, nan)).error(), Errc::bad_position);
  EXPECT_EQ(Columns::create({0, 1, 1}).error(), Errc::bad_option);
}

// -- The linear octree

RC_GTEST_PROP(LinearOctree, EveryVoxelLiesInExactlyOneLeaf, ()) {
  const Dense world = any_world(11);
  const auto tree = *LinearOctree::create(world.columns());
  std::vector<int> covered(world.areas.size());
  std::uint64_t volume = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Block leaf = tree.leaf(i);
    volume += std::uint64_t{1} << 3 * leaf.level;
    world.each([&](Voxel voxel) {
      if (!leaf.box().contains(voxel)) return;
      ++covered[world.extent.index(voxel)];
      RC_ASSERT(leaf.value == world.at(voxel));
    });
  }
  RC_ASSERT(volume == std::uint64_t{1} << 3 * tree.depth());
  world.each([&](Voxel voxel) {
    RC_ASSERT(covered[world.extent.index(voxel)] == 1);
    RC_ASSERT(tree.at(voxel).value == world.at(voxel));
    RC_ASSERT(tree.at(voxel).box().contains(voxel));
  });
  RC_ASSERT(Dense(*tree.columns()) == world);
}

// Two leaves are neighbours if their boxes touch along one axis and overlap along the others.
RC_GTEST_PROP(LinearOctree, NeighboursAreThoseWhoseBoxesShareAFace, ()) {
  const Dense world = any_world(6);
  const auto tree = *LinearOctree::create(world.columns());
  std::vector<Block> found;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Block leaf = tree.leaf(i);
    const VoxelBox a = leaf.box();
    for (Face face = 0; face < kFaces; ++face) {
      std::vector<std::uint32_t> expected;
      for (std::size_t k = 0; k < tree.size(); ++k) {
        const VoxelBox b = tree.leaf(k).box();
        const auto overlap = [](auto low, auto high, auto other_low, auto other_high) {
          return low < other_high && other_low < high;
        };
        const bool x = overlap(a.x0, a.x1, b.x0, b.x1);
        const bool y = overlap(a.y0, a.y1, b.y0, b.y1);
        const bool z = overlap(a.z0, a.z1, b.z0, b.z1);
        const bool touch = face == 0   ? a.x1 == b.x0 && y && z
                           : face == 1 ? a.y1 == b.y0 && x && z
                           : face == 2 ? b.x1 == a.x0 && y && z
                           : face == 3 ? b.y1 == a.y0 && x && z
                           : face == 4 ? a.z1 == b.z0 && x && y
                                       : b.z1 == a.z0 && x && y;
        if (touch) expected.push_back(static_cast<std::uint32_t>(k));
      }
      tree.neighbours(leaf, face, found);
      std::vector<std::uint32_t> numbers;
      for (const Block& one : found) numbers.push_back(one.label);
      RC_ASSERT(numbers == expected);
    }
  }
}

RC_GTEST_PROP(LinearOctree, ComesBackFromTheListOfItsLeaves, ()) {
  const Dense world = any_world(9);
  const auto tree = *LinearOctree::create(world.columns());
  std::vector<LinearOctree::Cube> cubes;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    cubes.push_back({tree.leaf(i).level, tree.leaf(i).value});
  }
  const auto again = LinearOctree::of(world.extent, cubes);
  RC_ASSERT(again);
  RC_ASSERT(Dense(*again->columns()) == world);
  cubes.pop_back();
  RC_ASSERT(LinearOctree::of(world.extent, cubes).error() == Errc::bad_option);
}

TEST(LinearOctree, RefusesListsThatAreNone) {
  const auto refused = [](const Extent& extent, std::vector<LinearOctree::Cube> cubes) {
    return LinearOctree::of(extent, cubes).error();
  };
  EXPECT_EQ(refused({2, 2, 2}, {{1, 0}}), Errc::ok);
  EXPECT_EQ(refused({2, 2, 2}, {{2, 0}}).detail, "leaves: no tiling");
  EXPECT_EQ(refused({2, 2, 2}, {{1, 0}, {1, 0}}).detail, "leaves: no tiling");
  EXPECT_EQ(refused({2, 2, 2}, {8, {0, 1}}).detail, "leaves: eight that are one");
  EXPECT_EQ(refused({2, 2, 2}, {{1, 64}}).detail, "leaves: no tiling");
  EXPECT_EQ(refused({2, 2, 1}, {{1, 1}}).detail, "leaves: beyond the extent");
  EXPECT_EQ(refused({4, 4, 4}, {{0, 1}, {1, 0}}).detail, "leaves: no tiling");
}

TEST(LinearOctree, AnEmptyVolumeIsOneLeaf) {
  const auto tree = *LinearOctree::create(*Columns::create({1'024, 1'024, 1'024}, kAir));
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree.bytes(), 8u);
}

// -- The sparse octree

ChunkValues values_of(const Dense& world, Voxel low) {
  ChunkValues values(kChunkVoxels);
  for (std::uint32_t x = 0; x < kChunkSide; ++x) {
    for (std::uint32_t y = 0; y < kChunkSide; ++y) {
      for (std::uint32_t z = 0; z < kChunkSide; ++z) {
        const Voxel at{static_cast<std::uint16_t>(low.x + x), static_cast<std::uint16_t>(low.y + y),
                       static_cast<std::uint16_t>(low.z + z)};
        if (world.extent.contains(at)) values[chunk_index(x, y, z)] = world.at(at);
      }
    }
  }
  return values;
}

SparseOctree octree_of(const Dense& world) {
  SparseOctree tree(world.extent);
  for (std::uint32_t chunk = 0; chunk < tree.chunks().count(); ++chunk) {
    if (!tree.build(chunk, values_of(world, tree.chunks().low(chunk)))) std::abort();
  }
  return tree;
}

TEST(SparseOctree, IsWhatADenseArrayIs) {
  Chance chance(7);
  for (const std::uint32_t blocked : {0u, 3u, 40u, 90u}) {
    Dense world = random_world(chance, {70, 33, 66}, blocked, 9);
    for (int i = 0; i < 300; ++i) {
      world.at(random_voxel(chance, world.extent)) = static_cast<Area>(chance.below(4));
    }
    const SparseOctree tree = octree_of(world);
    std::uint64_t free = 0;
    world.each([&](Voxel at) {
      const Block block = tree.at(at);
      ASSERT_EQ(block.value, world.at(at));
      ASSERT_TRUE(block.value == 0 || block.box().contains(at));
      free += block.value != 0 ? 1u : 0u;
    });
    std::uint64_t counted = 0;
    std::uint64_t listed = 0;
    for (std::uint32_t chunk = 0; chunk < tree.chunks().count(); ++chunk) {
      counted += tree.free_voxels(chunk);
      std::uint64_t before = 0;
      bool first = true;
      tree.each_block(chunk, [&](const Block& block) {
        listed += std::uint64_t{1} << 3 * block.level;
        EXPECT_TRUE(first || morton(block.low) > before) << "in the order of keys";
        before = morton(block.low);
        first = false;
        return true;
      });
    }
    EXPECT_EQ(counted, free);
    EXPECT_EQ(listed, free);
  }
}

// A chunk of its own: each of the 64 places of a leaf.
TEST(SparseOctree, EachVoxelOfALeafHasItsBit) {
  for (std::uint32_t bit = 0; bit < 64; ++bit) {
    Dense world({12, 24, 64}, kWall);
    const Voxel only{static_cast<std::uint16_t>(8 + bit / 16),
                     static_cast<std::uint16_t>(20 + bit / 4 % 4),
                     static_cast<std::uint16_t>(60 + bit % 4)};
    world.at(only) = 3;
    const SparseOctree tree = octree_of(world);
    EXPECT_EQ(tree.leaves(), 1u);
    EXPECT_EQ(tree.free_voxels(0), 1u);
    for (std::uint32_t other = 0; other < 64; ++other) {
      const Voxel at{static_cast<std::uint16_t>(8 + other / 16),
                     static_cast<std::uint16_t>(20 + other / 4 % 4),
                     static_cast<std::uint16_t>(60 + other % 4)};
      EXPECT_EQ(tree.at(at).value, bit == other ? 3 : 0);
    }
  }
}

TEST(SparseOctree, NeighboursAreThoseThatTouchTheFace) {
  Chance chance(8);
  Dense world = random_world(chance, {20, 70, 20}, 20, 5);
  const SparseOctree tree = octree_of(world);
  for (int i = 0; i < 40; ++i) {
    const Block block = tree.at(random_voxel(chance, world.extent));
    const VoxelBox box = block.box();
    for (Face face = 0; face < kFaces; ++face) {
      std::set<std::uint64_t> expected;
      std::set<std::uint64_t> found;
      world.each([&](Voxel at) {
        const auto beside = [&](int x, int y, int z) {
          return x >= 0 && y >= 0 && z >= 0 &&
                 box.contains({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                               static_cast<std::uint16_t>(z)});
        };
        if (!box.contains(at) &&
            beside(at.x - kFaceX[face], at.y - kFaceY[face], at.z - kFaceZ[face])) {
          expected.insert(morton(tree.at(at).low));
        }
      });
      tree.each_neighbour(block, face, [&](const Block& beyond, Voxel low, std::uint8_t) {
        EXPECT_TRUE(beyond.box().contains(low));
        found.insert(morton(beyond.low));
      });
      ASSERT_EQ(found, expected);
    }
  }
}

// 8 bytes of bits and 4 of costs a leaf; 4 leaves hang on a group of 8 words, and the groups above
// them are a third more.
TEST(SparseOctree, AFloorTakesWhatTheFormulaSays) {
  Dense world({256, 256, 32});
  world.fill({0, 0, 0, 256, 256, 1}, kWall);
  const SparseOctree tree = octree_of(world);
  EXPECT_EQ(tree.leaves(), 64u * 64);
  const double groups = 32.0 * 32 * (1 + 1 / 4.0 + 1 / 16.0 + 1 / 64.0);
  EXPECT_NEAR(static_cast<double>(tree.groups()), groups, groups * 0.1);
  const double formula = 64.0 * 64 * 12 + groups * 32;
  // Lists grow by doubling.
  EXPECT_LT(static_cast<double>(tree.bytes()), 2.2 * formula + 400'000);
}

TEST(SparseOctree, ChangesReuseWhatWasFreed) {
  Chance chance(9);
  const Dense world = random_world(chance, {64, 64, 64}, 20, 4);
  SparseOctree tree = octree_of(world);
  const auto values = values_of(world, {});
  const ChunkValues empty(kChunkVoxels, 1);
  const std::size_t leaves = tree.leaves();
  const std::size_t groups = tree.groups();
  ASSERT_TRUE(tree.build(0, empty));
  EXPECT_EQ(tree.leaves(), 0u);
  EXPECT_EQ(tree.groups(), 0u);
  ASSERT_TRUE(tree.build(0, values));
  const std::size_t bytes = tree.bytes();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(tree.build(0, empty));
    ASSERT_TRUE(tree.build(0, values));
  }
  EXPECT_EQ(tree.leaves(), leaves);
  EXPECT_EQ(tree.groups(), groups);
  EXPECT_EQ(tree.bytes(), bytes);
}

}  // namespace
}  // namespace starbus::nav::volume::test
