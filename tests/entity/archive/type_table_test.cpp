// Descriptions of types, for the schema of a program.
#include "entity/archive/type_table.hpp"

#include <gtest/gtest.h>

#include "entity/archive/signature.hpp"
#include "entity/objects/ref.hpp"

namespace starbus::entity::type_table_test {

enum class Color : std::uint8_t { red = 1 };
struct Point {
  std::int32_t x = 0;
  double y = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), y);
  }
};
struct Tree {
  std::vector<Tree> below;
  std::map<std::string, Color> colors;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(below), CEREAL_NVP(colors));
  }
};
struct Empty {};
/// Writes itself.
struct Packed {
  template <class Archive>
  void save(Archive& archive) const {
    archive(cereal::make_size_tag(cereal::size_type{2}), cereal::binary_data("ab", 2));
  }
  template <class Archive>
  void load(Archive&) {}
};
class Monster;

template <class T>
std::string shown() {
  TypeTable types;
  return type_of<T>(types);
}

TEST(TypeTableTest, EachFormOfAValueHasADescription) {
  EXPECT_EQ(shown<bool>(), R"("bool")");
  EXPECT_EQ(shown<std::int64_t>(), R"("i64")");
  EXPECT_EQ(shown<float>(), R"("f32")");
  EXPECT_EQ(shown<std::string>(), R"("string")");
  EXPECT_EQ(shown<std::vector<std::byte>>(), R"("bytes")");
  const std::string color = R"({"enum":"starbus::entity::type_table_test::Color","of":"u8"})";
  EXPECT_EQ(shown<Color>(), color);
  EXPECT_EQ(shown<std::vector<Color>>(), R"({"list":)" + color + "}");
  EXPECT_EQ(shown<std::vector<bool>>(), R"({"list":"bool"})");
  EXPECT_EQ(shown<std::deque<std::string>>(), R"({"list":"string"})");
  EXPECT_EQ(shown<std::list<std::set<std::uint16_t>>>(), R"({"list":{"set":"u16"}})");
  EXPECT_EQ((shown<std::map<std::string, std::vector<std::string>>>()),
            R"({"map":["string",{"list":"string"}]})");
  EXPECT_EQ((shown<std::unordered_map<std::int8_t, Color>>()), R"({"map":["i8",)" + color + "]}");
  EXPECT_EQ((shown<std::array<std::string, 3>>()), R"({"array":"string","size":3})");
  EXPECT_EQ((shown<std::array<std::uint8_t, 16>>()), R"({"array":"u8","size":16})");
  EXPECT_EQ(shown<std::optional<Color>>(), R"({"optional":)" + color + "}");
  EXPECT_EQ((shown<std::variant<std::monostate, std::int32_t, std::string>>()),
            R"({"variant":[{"struct":"std::monostate"},"i32","string"]})");
  EXPECT_EQ((shown<std::tuple<std::int32_t, std::string>>()), R"({"tuple":["i32","string"]})");
  EXPECT_EQ((shown<std::pair<Color, std::optional<bool>>>()),
            R"({"tuple":[)" + color + R"(,{"optional":"bool"}]})");
  EXPECT_EQ(shown<std::chrono::milliseconds>(), R"({"duration":"i64","period":[1,1000]})");
  EXPECT_EQ(shown<Ref<Monster>>(), R"({"ref":"starbus::entity::type_table_test::Monster"})");
  EXPECT_EQ(shown<std::vector<Ref<Monster>>>(),
            R"({"list":{"ref":"starbus::entity::type_table_test::Monster"}})");
}

TEST(TypeTableTest, StructsAreDescribedOnceByNameAlsoWithinThemselves) {
  const std::string here = "starbus::entity::type_table_test::";
  TypeTable types;
  EXPECT_EQ(type_of<Point>(types), R"({"struct":")" + here + R"(Point"})");
  EXPECT_EQ(type_of<std::vector<Tree>>(types), R"({"list":{"struct":")" + here + R"(Tree"}})");
  EXPECT_EQ(type_of<Empty>(types), R"({"struct":")" + here + R"(Empty"})");
  EXPECT_EQ(type_of<Packed>(types), R"({"struct":")" + here + R"(Packed"})");
  EXPECT_EQ(types.structs().size(), 4U);
  EXPECT_EQ(types.structs().at(here + "Point"), R"([{"name":"x","type":"i32"},{"type":"f64"}])");
  EXPECT_EQ(types.structs().at(here + "Tree"),
            R"([{"name":"below","type":{"list":{"struct":")" + here +
                R"(Tree"}}},{"name":"colors","type":{"map":["string",{"enum":")" + here +
                R"(Color","of":"u8"}]}}])");
  EXPECT_EQ(types.structs().at(here + "Empty"), "[]");
  EXPECT_EQ(types.structs().at(here + "Packed"),
            R"([{"type":{"opaque":"size"}},{"type":{"opaque":"raw"}}])");
}

/// What travels is told apart by it, so it is the same for ever.
TEST(TypeTableTest, SignaturesAreAsTheyWere) {
  EXPECT_EQ(signature_of<Tree>(), "{{[^]},{[{n,bytes},u8]}}");
  EXPECT_EQ((signature_of<std::optional<std::pair<Color, Point>>>()), "{?,{u8,{i32,f64}}}");
  EXPECT_EQ((signature_of<std::variant<bool, Ref<Monster>>>()), "{|,b,{{n,bytes}}}");
}

}  // namespace starbus::entity::type_table_test
