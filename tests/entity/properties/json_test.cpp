/// Classes as JSON: the form is that of cereal's own archives, which headers do not include.
#include <gtest/gtest.h>

#include <cereal/archives/json.hpp>
#include <sstream>

#include "entity/properties/json/inspect.hpp"
#include "entity/properties/json/json_value.hpp"

namespace starbus::entity::test {
namespace {

enum class Mood : std::uint8_t { calm = 1, angry = 2 };

struct Place {
  double x = 0;
  float y = 0;
  bool operator==(const Place&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::make_nvp("x", x), cereal::make_nvp("y", y));
  }
};

/// Saved as one number, without a node of its own.
struct Level {
  int number = 0;
  bool operator==(const Level&) const = default;
};
template <class Archive>
int save_minimal(const Archive&, const Level& level) {
  return level.number;
}
template <class Archive>
void load_minimal(const Archive&, Level& level, const int& number) {
  level.number = number;
}

struct Everything {
  bool flag = true;
  std::int8_t small = -5;
  std::uint64_t large = 1ULL << 63;
  std::string text = "a\"b";
  Mood mood = Mood::angry;
  Level level{7};
  Place home{1.5, 2.5F};
  std::vector<Place> route{{1, 2}, {3, 4}};
  std::vector<bool> bits{true, false};
  std::array<int, 3> three{1, 2, 3};
  std::map<std::string, int> prices{{"sword", 5}};
  std::optional<int> some = 4;
  std::optional<int> none;
  std::tuple<int, std::string> both{1, "b"};
  std::variant<int, std::string> either = "c";
  std::chrono::milliseconds time{250};
  bool operator==(const Everything&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(flag, small, large, text, mood, level, home, route, bits, three);
    archive(CEREAL_NVP(prices), CEREAL_NVP(some), none, both, either, time);
  }
};

template <class T>
nlohmann::json by_cereal(const T& value) {
  std::ostringstream text;
  {
    cereal::JSONOutputArchive archive(text);
    archive(cereal::make_nvp("value", value));
  }
  return nlohmann::json::parse(text.str()).at("value");
}

template <class T>
nlohmann::json written(const T& value) {
  nlohmann::json json;
  write_json(JsonWriter(json), value);
  return json;
}

TEST(JsonArchive, EqualsCerealsOwnJson) {
  EXPECT_EQ(written(Everything()).dump(), by_cereal(Everything()).dump());
  EXPECT_EQ(written(Place{1, 2}).dump(), by_cereal(Place{1, 2}).dump());
  const std::vector<std::map<int, std::string>> nested{{{1, "a"}}, {}};
  EXPECT_EQ(written(nested).dump(), by_cereal(nested).dump());
  EXPECT_EQ(written(std::vector<Place>()).dump(), "[]");
}

TEST(JsonArchive, ReadsBackItsOwnJson) {
  Everything changed;
  changed.small = 100;
  changed.large = 3;
  changed.route.clear();
  changed.prices = {{"a", 1}, {"b", 2}};
  changed.some.reset();
  changed.either = 9;
  const nlohmann::json json = written(changed);
  Everything read;
  ASSERT_TRUE(read_json(JsonReader(json), read));
  EXPECT_EQ(read, changed);
}

TEST(JsonArchive, RefusesOtherTypesRangesAndMissingMembers) {
  const auto reads = [](const nlohmann::json& json) {
    Place place;
    return read_json(JsonReader(json), place);
  };
  EXPECT_TRUE(reads({{"x", 1}, {"y", 2.5}, {"z", "ignored"}}));
  EXPECT_FALSE(reads({{"x", 1}}));
  EXPECT_FALSE(reads({{"x", "1"}, {"y", 2}}));
  EXPECT_FALSE(reads(5));
  EXPECT_FALSE(reads(nullptr));
  std::tuple<std::uint8_t> byte;
  EXPECT_TRUE(read_json(JsonReader(written(std::tuple<int>(255))), byte));
  EXPECT_FALSE(read_json(JsonReader(written(std::tuple<int>(256))), byte));
  EXPECT_FALSE(read_json(JsonReader(written(std::tuple<int>(-1))), byte));
  std::array<std::set<int>, 1> sets;
  EXPECT_FALSE(read_json(JsonReader(nlohmann::json{{"value0", {{"a", 1}}}}), sets));
}

TEST(JsonValue, PlainValuesAreThemselves) {
  EXPECT_EQ(written(Mood::angry).dump(), "2");
  EXPECT_EQ(written(std::vector<std::string>{"a"}).dump(), "[\"a\"]");
  std::int8_t small = 0;
  EXPECT_FALSE(read_json(JsonReader(nlohmann::json(128)), small));
  EXPECT_TRUE(read_json(JsonReader(nlohmann::json(-128)), small));
  std::uint64_t large = 0;
  EXPECT_FALSE(read_json(JsonReader(nlohmann::json(-1)), large));
  EXPECT_TRUE(read_json(JsonReader(nlohmann::json(~0ULL)), large));
  std::int64_t wide = 0;
  EXPECT_FALSE(read_json(JsonReader(nlohmann::json(~0ULL)), wide));
  EXPECT_FALSE(read_json(JsonReader(nlohmann::json(1.5)), wide));
}

}  // namespace
}  // namespace starbus::entity::test
