/// Maps: loaded once, shared, and failures told to all.
#include "nodes/nav/map_store.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "nav/formats/baked.hpp"
#include "nodes/nav/limits.hpp"
#include "tests/nodes/nav/field.hpp"

namespace starbus::nodes::crowds {
namespace {

using ::testing::HasSubstr;
using Got = Result<std::shared_ptr<const Map>>;

class MapStoreTest : public ::testing::Test {
 protected:
  std::function<void(const Got&)> keep() {
    return [this](const Got& map) { got.push_back(map); };
  }
  /// What loading that file says.
  Error error_of(const std::string& file) {
    got.clear();
    store.get(file, kinds, keep());
    EXPECT_TRUE(loop.run_until([&] { return got.size() == 1; }));
    return got.at(0).error();
  }

  test::TempFolder folder;
  nodes::test::Loop loop;
  TaskChannels tasks{loop, {.workers = 3}};
  MapStore store{tasks, folder.path()};
  const std::vector<WalkerKind> kinds = test::spec().kinds;
  std::vector<Got> got;
};

TEST_F(MapStoreTest, LoadsOnceHoweverManyAsk) {
  folder.write("field.txt", test::square(20));
  for (int i = 0; i < 3; ++i) store.get("field.txt", kinds, keep());
  EXPECT_TRUE(got.empty());
  ASSERT_TRUE(loop.run_until([&] { return got.size() == 3; }));
  ASSERT_TRUE(got[0]) << got[0].error().to_string();
  EXPECT_EQ(*got[0], *got[1]);
  EXPECT_EQ(*got[0], *got[2]);
  store.get("field.txt", kinds, keep());
  ASSERT_EQ(got.size(), 4u) << "it is there";
  EXPECT_EQ(*got[0], *got[3]);
  EXPECT_EQ(store.loads(), 1u);
  EXPECT_EQ(store.maps(), 1u);
}

TEST_F(MapStoreTest, OtherKindsAreAnotherMap) {
  folder.write("field.txt", test::square(20));
  auto wide = kinds;
  wide[0].radius = 2;
  store.get("field.txt", kinds, keep());
  store.get("field.txt", wide, keep());
  ASSERT_TRUE(loop.run_until([&] { return got.size() == 2; }));
  EXPECT_NE(*got[0], *got[1]);
  EXPECT_EQ(store.loads(), 2u);
}

TEST_F(MapStoreTest, ForgetsWhatNobodyHas) {
  folder.write("field.txt", test::square(20));
  store.get("field.txt", kinds, keep());
  ASSERT_TRUE(loop.run_until([&] { return got.size() == 1; }));
  got.clear();
  EXPECT_EQ(store.maps(), 0u);
  store.get("field.txt", kinds, keep());
  ASSERT_TRUE(loop.run_until([&] { return got.size() == 1; }));
  EXPECT_EQ(store.loads(), 2u);
}

TEST_F(MapStoreTest, TellsAFailureToAllAndLoadsAgain) {
  for (int i = 0; i < 3; ++i) store.get("none.nav", kinds, keep());
  ASSERT_TRUE(loop.run_until([&] { return got.size() == 3; }));
  for (const Got& each : got) {
    EXPECT_EQ(each.error(), Errc::no_map);
    EXPECT_THAT(each.error().detail, HasSubstr(folder.path().string() + "/none.nav: No such file"));
  }
  EXPECT_EQ(store.loads(), 1u);
  folder.write("none.nav", "?");
  EXPECT_EQ(error_of("none.nav"), Errc::bad_map) << "it was looked at again";
}

TEST_F(MapStoreTest, NamesWhatIsWrongWithAFile) {
  folder.write("torn.txt", "...\n..\n");
  EXPECT_EQ(error_of("torn.txt"), Errc::bad_map);
  EXPECT_THAT(got[0].error().detail, HasSubstr("torn.txt"));
  std::filesystem::create_directory(folder.path().string() + "/town");
  EXPECT_EQ(error_of("town"), Errc::no_map);
  EXPECT_THAT(got[0].error().detail, HasSubstr("is a folder"));
}

TEST_F(MapStoreTest, ReadsBakedGrids) {
  nav::formats::GridFile grid;
  grid.terrain = *nav::grid::terrain_of("....\n.##.\n....\n");
  folder.write("town.nav", *nav::formats::write_grid(grid));
  store.get("town.nav", kinds, keep());
  ASSERT_TRUE(loop.run_until([&] { return got.size() == 1; }));
  ASSERT_TRUE(got[0]) << got[0].error().to_string();
  const Map& map = **got[0];
  EXPECT_TRUE(map.ground().nearest({0.5F, 0.5F, 0}, {}, map.kinds()[0]));
  EXPECT_FALSE(map.ground().nearest({1.5F, 1.5F, 0}, {}, map.kinds()[0]));
}

TEST_F(MapStoreTest, RefusesNamesThatLeaveItsFolder) {
  for (const std::string& name :
       {std::string(), std::string("/etc/passwd"), std::string("../map"), std::string("a/../../b"),
        std::string(kMaxMapName + 1, 'a'), std::string("a\0b", 3)}) {
    const auto file = store.file_of(name);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error(), Errc::bad_request);
  }
  EXPECT_EQ(store.file_of("towns/one.nav").value(), folder.path().string() + "/towns/one.nav");
}

TEST_F(MapStoreTest, RefusesFilesBeyondKMaxMapFile) {
  folder.write("huge.nav", "");
  std::filesystem::resize_file(folder.path().string() + "/huge.nav",
                               kMaxMapFile + 1);  // with a hole
  EXPECT_EQ(error_of("huge.nav"), Errc::bad_map);
  EXPECT_THAT(got[0].error().detail, HasSubstr(std::to_string(kMaxMapFile)));
}

TEST_F(MapStoreTest, RefusesMoreThanKMaxWalkerKinds) {
  folder.write("field.txt", test::square(20));
  std::vector<WalkerKind> many(kMaxWalkerKinds + 1, kinds[0]);
  store.get("field.txt", many, keep());
  store.get("field.txt", {}, keep());
  std::vector<WalkerKind> strange{{.name = "fish", .radius = 0, .closed = {64}}};
  store.get("field.txt", strange, keep());
  ASSERT_EQ(got.size(), 3u);
  for (const Got& each : got) EXPECT_EQ(each.error(), Errc::bad_request);
}

}  // namespace
}  // namespace starbus::nodes::crowds
