// Baked files: what is written is read as it was; what is damaged is named.
#include "nav/formats/baked.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/nav/generators.hpp"
#include "tests/nav/volume/reference.hpp"

namespace starbus::nav::formats::test {
namespace {

GridFile some_grid() {
  GridFile file;
  file.terrain = *grid::terrain_of("..#\n.2.\n");
  file.terrain.levels = {0, 1, 2, 3, 4, 5.5F};
  file.terrain.links = {{{0, 0}, {2, 1}, 408, true, 3}};
  file.options.origin = {1, 2, 3};
  file.options.cell_size = 0.5F;
  file.options.diagonals = grid::Diagonals::cut;
  return file;
}

RC_GTEST_PROP(Baked, GridsComeBackAsTheyWere, ()) {
  const grid::test::Case of = grid::test::any_case({.areas = true, .levels = true});
  GridFile file{of.terrain, {}};
  file.options.diagonals = of.options.diagonals;
  const auto again = read_grid(*write_grid(file));
  RC_ASSERT(again);
  RC_ASSERT(again->terrain.areas == of.terrain.areas);
  RC_ASSERT(again->terrain.levels == of.terrain.levels);
  RC_ASSERT(again->terrain.width == of.terrain.width);
  RC_ASSERT(again->options.diagonals == file.options.diagonals);
}

TEST(Baked, GridsKeepTheirOptionsAndLinks) {
  const GridFile file = some_grid();
  const auto again = *read_grid(*write_grid(file));
  EXPECT_EQ(again.options.origin, file.options.origin);
  EXPECT_EQ(again.options.cell_size, 0.5F);
  EXPECT_EQ(again.options.diagonals, grid::Diagonals::cut);
  EXPECT_EQ(again.terrain.links, file.terrain.links);
}

RC_GTEST_PROP(Baked, VolumesComeBackAsTheyWere, ()) {
  const auto world = volume::test::any_world(9);
  VolumeFile file{world.columns(), {}};
  file.options.origin = {-1, 5, 0.25F};
  file.options.voxel_size = 0.25F;
  const std::string bytes = *write_volume(file);
  const auto again = read_volume(bytes);
  RC_ASSERT(again);
  RC_ASSERT(again->columns == file.columns);
  RC_ASSERT(again->options.origin == file.options.origin);
  RC_ASSERT(again->options.voxel_size == file.options.voxel_size);
  RC_ASSERT(*write_volume(*again) == bytes);
}

// Each byte of a file, changed: never read as something else.
TEST(Baked, EveryDamagedByteIsFound) {
  const std::string grid = *write_grid(some_grid());
  const std::string volume =
      *write_volume({*volume::Columns::create({5, 4, 3}), volume::VolumeOptions{}});
  for (const std::string& whole : {grid, volume}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ 0x41);
      EXPECT_EQ(read_baked(bytes).error(), Errc::corrupt) << i;
      EXPECT_EQ(read_baked(whole.substr(0, i)).error(), Errc::corrupt) << i;
    }
    EXPECT_EQ(read_baked(whole + "x").error(), Errc::corrupt);
  }
  EXPECT_EQ(read_grid(volume).error().detail, "kind: another one than was asked for");
}

TEST(Baked, SaysWhatIsWrongWithABody) {
  const std::string whole = *write_grid(some_grid());
  const std::string body(read_baked(whole)->body);
  const auto refused = [&](std::size_t at, char byte) {
    std::string changed = body;
    changed[at] = byte;
    return read_grid(*write_baked(kGridKind, 1, changed)).error().detail;
  };
  EXPECT_EQ(refused(14, 0), "");
  EXPECT_EQ(refused(15, '\xff'), "grid: origin or cell_size") << "negative";
  EXPECT_EQ(refused(16, 4), "grid: not as many bytes as its size says");
  EXPECT_EQ(refused(24, 4), "grid: options");
  EXPECT_EQ(refused(28, 64), "kMaxArea");
  EXPECT_EQ(read_grid(*write_baked(kGridKind, 2, body)).error().detail,
            "version: written by a newer starbus");
  const std::string volume =
      *write_volume({*volume::Columns::create({4, 4, 4}), volume::VolumeOptions{}});
  const std::string leaves(read_baked(volume)->body);
  const auto refused_volume = [&](std::size_t at, char byte) {
    std::string changed = leaves;
    changed[at] = byte;
    return read_volume(*write_baked(kVolumeKind, 1, changed)).error().detail;
  };
  EXPECT_EQ(refused_volume(28, 2), "volume: not as many bytes as its leaves");
  EXPECT_EQ(refused_volume(32, 1), "volume: leaves: no tiling");
  EXPECT_EQ(refused_volume(33, 64), "volume: leaves: no tiling");
  EXPECT_EQ(refused_volume(16, 0), "volume: extent: no voxels");
  EXPECT_EQ(refused_volume(18, 1), "kMaxVoxelSide");
}

TEST(Baked, RefusesFilesBeyondKMaxBakedBytes) {
  const std::string large(kMaxBakedBytes + 1, '\0');
  EXPECT_EQ(read_baked(large).error().detail, "kMaxBakedBytes");
  EXPECT_EQ(write_baked(1, 1, std::string_view(large).substr(16)).error().detail, "kMaxBakedBytes");
  EXPECT_TRUE(write_baked(1, 1, std::string_view(large).substr(17)));
}

}  // namespace
}  // namespace starbus::nav::formats::test
