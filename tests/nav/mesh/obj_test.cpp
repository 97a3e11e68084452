/// Terrain from Wavefront OBJ.
#include <gtest/gtest.h>

#include "nav/formats/obj.hpp"
#include "nav/mesh/limits.hpp"

namespace starbus::nav::formats::test {
namespace {

TEST(Obj, ReadsPointsFacesAndMaterials) {
  const auto terrain = read_obj(
      "# a comment\nmtllib some.mtl\no thing\n"
      "v 1 2 3\nv 4 2 3 1.0\r\nv 4 2 9\nv 1 2 9\nvt 0 0\nvn 0 1 0\n"
      "f 1 2 3\nusemtl grass\nf 1/1/1 2//1 -2/7 -1\nusemtl rock\nf 1 2 3\nusemtl grass\nf 1 2 3\n");
  ASSERT_TRUE(terrain);
  ASSERT_EQ(terrain->points.size(), 4u);
  EXPECT_EQ(terrain->points[0], (Point{1, -3, 2})) << "y is up there, z here";
  EXPECT_EQ(terrain->materials, (std::vector<std::string>{"", "grass", "rock"}));
  const std::vector<mesh::Triangle> expected = {
      {{0, 1, 2}, 0}, {{0, 1, 2}, 1}, {{0, 2, 3}, 1}, {{0, 1, 2}, 2}, {{0, 1, 2}, 1}};
  EXPECT_EQ(terrain->triangles, expected);
  EXPECT_EQ(read_obj("v 1 2 3\n", Up::z)->points[0], (Point{1, 2, 3}));
  EXPECT_TRUE(read_obj("")->triangles.empty());
}

TEST(Obj, SaysInWhichLineATextIsWrong) {
  const auto wrong = [](std::string_view text) { return read_obj(text).error(); };
  const auto in_line = [&](std::string_view text, std::string_view line) {
    const Error error = wrong(text);
    return error == Errc::corrupt && error.detail.starts_with(line);
  };
  EXPECT_TRUE(in_line("v 1 2\n", "line 1: "));
  EXPECT_TRUE(in_line("v 1 2 3\nv 1 two 3\n", "line 2: "));
  EXPECT_TRUE(in_line("v 1 2 3\n\nf 1 1\n", "line 3: "));
  EXPECT_TRUE(in_line("v 1 2 3\nf 1 1 2\n", "line 2: "));
  EXPECT_TRUE(in_line("v 1 2 3\nf 1 1 0\n", "line 2: "));
  EXPECT_TRUE(in_line("v 1 2 3\nf 1 1 -2\n", "line 2: "));
  EXPECT_TRUE(in_line("v 1 2 3\nf 1 1 1e9\n", "line 2: "));
  EXPECT_TRUE(in_line("v 1 2 3\nf 1 1 99999999999999999999\n", "line 2: "));
  std::string face = "v 1 2 3\nf";
  for (std::uint32_t i = 0; i < mesh::kMaxFaceCorners; ++i) face += " 1";
  EXPECT_EQ(read_obj(face)->triangles.size(), mesh::kMaxFaceCorners - 2);
  EXPECT_TRUE(in_line(face + " 1", "line 2: ")) << "kMaxFaceCorners";
  EXPECT_EQ(wrong("v 1 inf 3\n"), Errc::bad_position);
  EXPECT_EQ(wrong("v 1 nan 3\n"), Errc::bad_position);
  EXPECT_EQ(wrong("v 1e9 2 3\n"), Errc::bad_position);
}

}  // namespace
}  // namespace starbus::nav::formats::test
