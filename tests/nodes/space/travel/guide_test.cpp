/// The examples of docs/guide/spaces.md on travels: they compile, they are the text of the guide,
/// and they do what the guide says.
#include <fstream>
#include <sstream>

#include "nodes/space/node/space_app.hpp"
#include "tests/nodes/space/travel/support.hpp"
#include "tests/places.hpp"

namespace travel_example {

namespace entity = starbus::entity;
namespace rpc = starbus::entity::rpc;
namespace space = starbus::nodes::space;

// The lines of a guide are its own.
// clang-format off
// guide: begin
class Hero final : public entity::EntityOf<Hero, entity::Entity, entity::Components<space::Traveller>>,
                   public space::TravelHooks {
 public:
  void to_town(rpc::Caller&) {                       // called by its client
    space::Wish wish;
    wish.place.type = "town";
    world().get<space::Travels>().travel(*this, wish, [](const space::Result<space::Travelled>&) {});
  }
  static constexpr auto kRpc = rpc::methods<&Hero::to_town>(rpc::own_client);
 private:
  void on_travel_ended(const space::Result<space::Travelled>& end) override {
    if (!end) excuse_ = end.error().to_string();     // wherever it is by then
  }
  std::string excuse_;
};
// guide: end
// guide: begin
class Lobbies final : public space::SpaceApp {
  std::vector<space::Wish> where_to(const entity::Entity& player, const space::Leaving& from) override {
    auto ways = SpaceApp::where_to(player, from);
    ways.push_back({.place = {"lobby", ""}});        // if nothing else has a seat
    return ways;
  }
};
// guide: end
// clang-format on

}  // namespace travel_example

namespace starbus::nodes::space::travel_test {
namespace {

TEST(TravelGuide, TheExamplesAreThoseThatCompile) {
  const auto text_of = [](const std::string& path) {
    std::ifstream file(source_file(path));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string source = text_of("tests/nodes/space/travel/guide_test.cpp");
  const std::string guide = text_of("docs/guide/spaces.md");
  const std::string begin = "// guide: begin\n";
  int examples = 0;
  for (auto at = source.find(begin); at != std::string::npos; at = source.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    const std::string example = source.substr(from, source.find("// guide: end\n", from) - from);
    if (!example.starts_with("class")) continue;  // this text itself
    EXPECT_THAT(guide, ::testing::HasSubstr("```cpp\n" + example + "```\n"));
    ++examples;
  }
  EXPECT_EQ(examples, 2);
}

class TravelGuideTest : public TravelTestBase {};

TEST_F(TravelGuideTest, AHeroGoesToTown) {
  run([this]() -> Task {
    x = land("a", "x");
    x->entities.declare<travel_example::Hero>();
    CO_TRUE(co_await serve(types(field_type("town"))) && co_await open(*x));
    auto& hero = *x->entities.entities().create<travel_example::Hero>().value();
    rpc::Caller nobody;
    hero.to_town(nobody);
    CO_TRUE(co_await until([&] { return x->players("town") == 1; }));
    EXPECT_TRUE(x->space("town")->has(hero));
  });
}

TEST(TravelWays, ByDefaultAnotherLineAndThenTheNextPlace) {
  SpaceType type = field_type("team");
  const SpaceName name{{"team", "k1"}, 2};
  boost::asio::io_context loop;
  starbus::testing::Cluster cluster(loop, {.hosts = {"a"}});
  Diary diary;
  Land land(loop, cluster.node("a", "x"), diary);
  const auto& one = *land.entities.entities().create<Player>().value();
  const aoi::Position at{1, 2, 3};
  auto ways = default_ways(one, {name, type, at, true});
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].place, name.place);
  EXPECT_EQ(ways[0].line, 0u);
  EXPECT_EQ(ways[0].at, at);
  type.next = "town";
  ways = default_ways(one, {name, type, at, true});
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[1].place, (PlaceId{"town", ""}));
  EXPECT_FALSE(ways[1].at) << "its entrance";
  ways = default_ways(one, {name, type, {}, false});
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].place.type, "town");
}

}  // namespace
}  // namespace starbus::nodes::space::travel_test
