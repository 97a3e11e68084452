/// Pictures of recordings show what the world had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/aoi/worlds.hpp"
#include "tools/aoi-view/cli.hpp"
#include "tools/aoi-view/frames.hpp"

namespace starbus::aoi::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `count` entities that see each other, then one that walks away, an update for each metre.
std::string recording_of(Backend backend, int count, int steps) {
  World world = make(backend);
  Recorder recorder(world.options());
  world.record_to(&recorder);
  EntityId last;
  for (int i = 0; i < count; ++i) {
    last = add(world, 100 + static_cast<float>(i % 7), 200);
    (void)see(world, last, 30);
  }
  for (int i = 0; i <= steps; ++i) {
    (void)world.update();
    (void)world.move(last, {100 + static_cast<float>(i), 200, 0});
  }
  return recorder.take();
}

aoi_view::Film film_of(const std::string& recording, const aoi_view::Selection& selection = {}) {
  auto film = aoi_view::read_film(recording, selection);
  EXPECT_TRUE(film);
  return film ? *film : aoi_view::Film{};
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(AoiView, FrameHasWhatTheWorldHad) {
  const auto film = film_of(recording_of(Backend::grid, 3, 40));
  ASSERT_EQ(film.frames.size(), 41u);
  EXPECT_EQ(film.frames[0].dots.size(), 3u);
  EXPECT_EQ(film.frames[0].enters, 6u);
  EXPECT_EQ(film.frames[0].pairs, 6u);
  EXPECT_EQ(film.frames[0].rings.size(), 3u);
  EXPECT_EQ(film.frames.back().pairs, 2u) << "one has gone";
  const auto one = film_of(recording_of(Backend::grid, 3, 40), {5, 7, 2});
  ASSERT_EQ(one.frames.size(), 3u);
  EXPECT_EQ(one.frames[0].update, 5u);
  EXPECT_EQ(one.frames[0].lines.size(), 2u) << "only what one of them sees";
}

TEST(AoiView, PictureHasDotsRingsLinesAndCells) {
  const auto draw = [](Backend backend) {
    const auto film = film_of(recording_of(backend, 3, 100));
    std::ostringstream out;
    aoi_view::write_svg(out, film, film.frames.back());
    return out.str();
  };
  const std::string picture = draw(Backend::grid);
  EXPECT_EQ(count_of(picture, "<title>") - 1, 3u) << "dots";
  EXPECT_EQ(count_of(picture, "<circle"), 6u) << "and rings";
  EXPECT_THAT(picture, HasSubstr("update 101: 2 of 2 pairs"));
  // Two pairs; the picture is some 110 m wide and 10 m high, cells are a little more than 30 m.
  EXPECT_GE(count_of(picture, "<line"), 2u + 3u);
  EXPECT_LE(count_of(picture, "<line"), 2u + 5u);
  EXPECT_EQ(count_of(draw(Backend::brute_force), "<line"), 2u) << "it has no cells";
}

TEST(AoiView, ReportsWhatItLeavesOut) {
  const auto crowd = film_of(recording_of(Backend::grid, 150, 0));
  ASSERT_EQ(crowd.frames.size(), 1u);
  EXPECT_EQ(crowd.frames[0].pairs, 150u * 149u);
  EXPECT_EQ(crowd.frames[0].lines.size(), aoi_view::kMaxLines);
  EXPECT_FALSE(crowd.cut);
  const auto run = film_of(recording_of(Backend::grid, 2, aoi_view::kMaxFrames));
  EXPECT_EQ(run.frames.size(), aoi_view::kMaxFrames);
  EXPECT_TRUE(run.cut);
}

TEST(AoiView, PageHasAllFramesAndTheirNumbers) {
  std::ostringstream out;
  aoi_view::write_html(out, film_of(recording_of(Backend::hashed_grid, 3, 10)));
  EXPECT_EQ(count_of(out.str(), "{\"update\":"), 11u);
  EXPECT_THAT(out.str(), HasSubstr("\"pairs\":6"));
  EXPECT_THAT(out.str(), HasSubstr("cells = [["));
  EXPECT_THAT(out.str(), Not(HasSubstr("cells = [[],")));
}

struct Ran {
  int code = 0;
  std::string err;
};

Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = aoi_view::run_aoi_view(arguments, out, err);
  return {code, err.str()};
}

TEST(AoiView, CommandLineRefusesWhatDoesNotExist) {
  const std::filesystem::path folder(::testing::TempDir());
  const std::string recording = folder / "aoi_view_test.recording";
  const std::string picture = folder / "aoi_view_test.svg";
  const std::string page = folder / "aoi_view_test.html";
  std::ofstream(recording, std::ios::binary) << recording_of(Backend::grid, 3, 40);

  EXPECT_EQ(run({recording, "-o", picture, "--update", "41", "--entity", "2"}).code, 0);
  EXPECT_EQ(run({recording, "-o", page, "--entity", "2"}).code, 0);
  for (const std::string update : {"0", "42"}) {
    const Ran ran = run({recording, "-o", picture, "--update", update});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("no update " + update));
  }
  for (const std::string& output : {picture, page}) {
    const Ran ran = run({recording, "-o", output, "--entity", "77"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("no entity with index 77"));
  }
  const Ran nowhere = run({recording});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("aoi-view: --out"));
  EXPECT_THAT(nowhere.err, HasSubstr("-> aoi-view --help"));
  EXPECT_EQ(run({"/nowhere", "-o", picture}).code, 1);
  for (const std::string& file : {recording, picture, page}) std::filesystem::remove(file);
}

TEST(AoiView, RefusesMalformedRecordings) {
  EXPECT_EQ(aoi_view::read_film("no recording", {}).error(), Errc::corrupt);
}

}  // namespace
}  // namespace starbus::aoi::test
