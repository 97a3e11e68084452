#include "entity/archive/archive.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "entity/archive/signature.hpp"

namespace starbus::entity {
namespace {

enum class Colour : std::uint8_t { red, green = 7 };

struct Empty {
  bool operator==(const Empty&) const = default;
};
struct Point {
  int x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, y);
  }
};
struct Route {
  std::string name;
  std::vector<Point> points;
  std::optional<Point> end;
  bool operator==(const Route&) const = default;
  template <class Archive>
  void save(Archive& archive) const {
    archive(name, points, end);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(name, points, end);
  }
};
struct Tree {
  int value = 0;
  std::vector<Tree> children;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, children);
  }
};
struct Picky {
  int value = 0;
  template <class Archive>
  void save(Archive& archive) const {
    archive(value);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(value);
    if (value < 0) throw std::runtime_error("negative");
  }
};

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

template <class T>
void expect_back(const T& value) {
  const auto bytes = encode(value);
  ASSERT_TRUE(bytes.has_value());
  const auto back = decode<T>(*bytes);
  ASSERT_TRUE(back.has_value()) << back.error().to_string();
  EXPECT_TRUE(*back == value);
  // Every shorter input is refused, and so is a longer one.
  for (std::size_t size = 0; size < bytes->size(); ++size) {
    EXPECT_FALSE(decode<T>(ByteView(*bytes).first(size)).has_value());
  }
  Bytes longer = *bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode<T>(longer).has_value());
}

TEST(Archive, ReadsBackItsOwnBytes) {
  expect_back(true);
  expect_back(std::int8_t{-5});
  expect_back(std::numeric_limits<std::int64_t>::min());
  expect_back(std::numeric_limits<std::uint64_t>::max());
  expect_back(1.5F);
  expect_back(-2.25);
  expect_back(Colour::green);
  expect_back(std::string("a\0b", 3));
  expect_back(std::vector<int>{1, -1, 300});
  expect_back(std::vector<bool>{true, false});
  expect_back(std::vector<Empty>(3));
  expect_back(std::deque<std::string>{"a", ""});
  expect_back(std::list<Point>{{1, 2}});
  expect_back(std::array<int, 3>{1, 2, 3});
  expect_back(std::map<std::string, std::vector<std::optional<int>>>{{"a", {1, {}, 3}}, {"b", {}}});
  expect_back(std::unordered_map<int, std::string>{{1, "x"}});
  expect_back(std::set<std::string>{"a", "b"});
  expect_back(std::unordered_set<int>{4});
  expect_back(std::variant<int, std::string, Point>(Point{1, 2}));
  expect_back(std::tuple<int, std::string, bool>(1, "x", true));
  expect_back(std::pair<int, Colour>(1, Colour::red));
  expect_back(std::chrono::milliseconds(-1500));
  expect_back(Route{"r", {{1, 2}, {3, 4}}, Point{5, 6}});
}

TEST(Archive, WritesTheBytesThatAreDocumented) {
  EXPECT_EQ(*encode(std::uint32_t{300}), bytes_of({0xac, 0x02}));
  EXPECT_EQ(*encode(-1, 1, -2), bytes_of({1, 2, 3}));
  EXPECT_EQ(*encode(std::uint8_t{200}, true), bytes_of({200, 1}));
  EXPECT_EQ(*encode(1.0F), bytes_of({0, 0, 0x80, 0x3f}));
  EXPECT_EQ(*encode(std::string("ab")), bytes_of({2, 'a', 'b'}));
  EXPECT_EQ(*encode(std::vector<Empty>(2)), bytes_of({2, 0, 0}));
  EXPECT_EQ(*encode(std::map<int, bool>{{1, true}}), bytes_of({1, 2, 1}));
  EXPECT_EQ(*encode(std::optional<int>{}), bytes_of({1}));
  EXPECT_EQ(*encode(std::optional<int>{2}), bytes_of({0, 4}));
  EXPECT_EQ(*encode(std::variant<int, bool>(true)), bytes_of({2, 1}));
  EXPECT_EQ(*encode(std::chrono::seconds(3)), bytes_of({6}));
  EXPECT_EQ(*encode(Point{1, 0}), bytes_of({2, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Archive, HasOneFormPerNumber) {
  EXPECT_EQ(decode<std::uint32_t>(bytes_of({0x81, 0x00})).error(), DataErrc::malformed);
  EXPECT_EQ(decode<std::uint16_t>(bytes_of({0x80, 0x80, 0x04})).error(), DataErrc::malformed);
  EXPECT_EQ(decode<bool>(bytes_of({2})).error(), DataErrc::malformed);
  EXPECT_EQ(
      decode<std::uint64_t>(bytes_of({255, 255, 255, 255, 255, 255, 255, 255, 255, 2})).error(),
      DataErrc::malformed);
}

TEST(Archive, RefusesACountBeforeItAllocates) {
  const Bytes four_billion = bytes_of({0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3, 4, 5});
  EXPECT_EQ(decode<std::vector<int>>(four_billion).error(), DataErrc::truncated);
  EXPECT_EQ(decode<std::vector<Point>>(four_billion).error(), DataErrc::truncated);
  EXPECT_EQ(decode<std::string>(four_billion).error(), DataErrc::truncated);
  EXPECT_EQ((decode<std::map<int, int>>(four_billion)).error(), DataErrc::truncated);
  EXPECT_EQ((decode<std::unordered_map<int, int>>(four_billion)).error(), DataErrc::truncated);
  EXPECT_EQ(decode<std::list<Point>>(four_billion).error(), DataErrc::truncated);
  EXPECT_EQ(decode<std::vector<Empty>>(four_billion).error(), DataErrc::truncated);
}

TEST(Archive, HasABudgetOfEachKind) {
  using Large = std::array<std::uint64_t, 1000>;
  const auto many = encode(std::vector<std::optional<Large>>(1000));
  ASSERT_TRUE(many.has_value());  // a byte each, 8 KB each once read
  EXPECT_EQ((decode<std::vector<std::optional<Large>>>(*many, {.memory = 1'000'000})).error(),
            DataErrc::too_large);
  const auto map = encode(std::map<int, std::optional<Large>>{{1, {}}, {2, {}}, {3, {}}});
  EXPECT_EQ((decode<std::map<int, std::optional<Large>>>(*map, {.memory = 20'000})).error(),
            DataErrc::too_large);
  const auto numbers = encode(std::vector<int>(100));
  EXPECT_EQ(decode<std::vector<int>>(*numbers, {.elements = 99}).error(), DataErrc::too_large);
  EXPECT_EQ(decode<std::vector<int>>(*numbers, {.bytes = 100}).error(), DataErrc::too_large);
  Tree tree;
  for (int i = 0; i < 10; ++i) tree = Tree{i, {tree}};
  const auto deep = encode(tree);
  ASSERT_TRUE(deep.has_value());
  EXPECT_TRUE(decode<Tree>(*deep).has_value());
  EXPECT_EQ(decode<Tree>(*deep, {.depth = 5}).error(), DataErrc::too_deep);
  for (int i = 0; i < 40; ++i) tree = Tree{i, {tree}};
  EXPECT_EQ(encode(tree).error(), DataErrc::too_deep);
}

TEST(Archive, LeavesNothingOfAFailedWrite) {
  Bytes out = bytes_of({9});
  EXPECT_FALSE(encode_to(out, 1, std::string(kArchiveBytes, 'x')).has_value());
  EXPECT_EQ(out, bytes_of({9}));
}

TEST(Archive, TurnsExceptionsOfClassesIntoValues) {
  EXPECT_EQ(decode<Picky>(*encode(Picky{-1})).error(), DataErrc::refused);
  EXPECT_TRUE(decode<Picky>(*encode(Picky{1})).has_value());
  EXPECT_EQ((decode<std::variant<int, bool>>(bytes_of({8, 1}))).error(), DataErrc::malformed);
  EXPECT_EQ((decode<std::variant<int, bool>>(bytes_of({1, 1}))).error(), DataErrc::malformed);
}

TEST(Archive, ReadsSeveralValuesExactly) {
  const auto bytes = encode(std::string("gold"), 5);
  const auto values = decode_all<std::string, int>(*bytes);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(*values, std::make_tuple(std::string("gold"), 5));
  EXPECT_EQ(decode<std::string>(*bytes).error(), DataErrc::trailing);
  EXPECT_EQ((decode_all<std::string, int, int>(*bytes)).error(), DataErrc::truncated);
}

TEST(Archive, AnyBytesAreReadOrRefused) {
  using All = std::tuple<std::vector<Route>, std::map<std::string, std::variant<int, Point>>,
                         std::unordered_map<int, std::optional<std::string>>, Tree>;
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& raw) {
    const ByteView bytes = std::as_bytes(std::span(raw));
    const auto read = decode<All>(bytes);
    if (!read) return;
    RC_ASSERT(encode(*read)->size() <= bytes.size());
  }));
}

TEST(Signature, NamesTheStructureOfAType) {
  EXPECT_EQ(signature_of<int>(), "i32");
  EXPECT_EQ(signature_of<std::string>(), "str");
  EXPECT_EQ(signature_of<Point>(), "{i32,f64}");
  EXPECT_EQ(signature_of<std::vector<Point>>(), "{[{i32,f64}]}");
  EXPECT_EQ(signature_of<Tree>(), "{i32,{[^]}}");
  EXPECT_NE((signature_of<std::map<int, bool>>()), (signature_of<std::map<int, int>>()));
  EXPECT_NE((signature_of<std::variant<int, bool>>()), (signature_of<std::variant<bool, int>>()));
  EXPECT_NE(signature_of<std::optional<int>>(), signature_of<std::optional<bool>>());
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);  // the published test vector
}

}  // namespace
}  // namespace starbus::entity
