/// The example of docs/guide/spaces.md: it compiles, it is the text of the guide, and it does what
/// the guide says.
#include <fstream>
#include <sstream>

#include "nodes/space/node/space_app.hpp"
#include "tests/nodes/space/node/support.hpp"
#include "tests/places.hpp"

namespace example {

// The lines of a guide are its own.
// clang-format off
// guide: begin
namespace entity = starbus::entity;
namespace nodes = starbus::nodes;
namespace rpc = starbus::entity::rpc;
namespace space = starbus::nodes::space;

class Player final : public entity::EntityOf<Player> {};

class Arena final : public space::GameSpace, public rpc::Callable<Arena> {
 public:
  using GameSpace::GameSpace;                       // made with a SpaceInit
  bool goal(rpc::Caller&, int team) {               // called as space/arena.m42-1
    if (++goals_.at(static_cast<std::size_t>(team)) < 3) return false;
    return end_after(std::chrono::seconds(10)).has_value();            // the match is over
  }
  static constexpr auto kRpc = rpc::methods<&Arena::goal>();

 private:
  void on_start(const std::string& setup, nodes::Done done) override {
    map_ = setup;                                   // load what it needs, then
    done({});
  }
  void on_tick(const space::SpaceTick& tick) override {
    played_ += tick.passed;
    for_each_player([&](entity::Entity& player) { static_cast<void>(player); });
  }
  void on_enter(entity::Entity& entity) override {
    static_cast<void>(aoi().add_sensor(*aoi_id(entity), {.radius = type().sight}));
  }
  void on_warn(std::chrono::milliseconds after) override { ends_in_ = after; }
  void on_member_left(entity::Entity& player) override { home_again_.push_back(player.label()); }

  std::array<int, 2> goals_{};
  std::string map_;
  std::chrono::nanoseconds played_{};
  std::chrono::milliseconds ends_in_{};
  std::vector<std::string> home_again_;
};

int run(int argc, char** argv) {                    // main of a node that does nothing else
  auto app = std::make_unique<space::SpaceApp>();
  app->declare<Arena>("arena");                     // the type of the data file
  app->entity<Player>();
  return nodes::run_node({.role = "space", .version = "1.0"}, std::move(app), argc, argv);
}

// A player that has come with a ticket: the seat and the place in one step.
space::Result<> let_in(space::SpaceHost& host, Player& player, const space::Ticket& ticket) {
  return host.arrive(player, ticket, {.x = 10, .y = 20});
}
// guide: end
// clang-format on

}  // namespace example

namespace starbus::nodes::space::node_test {
namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SpaceGuide, TheExampleIsTheOneThatCompiles) {
  const std::string source = text_of_file(source_file("tests/nodes/space/node/guide_test.cpp"));
  const std::string begin = "// guide: begin\n";
  const std::size_t from = source.find(begin) + begin.size();
  const std::string example = source.substr(from, source.find("// guide: end") - from);
  EXPECT_THAT(text_of_file(source_file("docs/guide/spaces.md")),
              ::testing::HasSubstr("```cpp\n" + example + "```\n"));
  EXPECT_NE(&example::run, nullptr);
}

class SpaceGuideTest : public SpaceOrdersTest {};

TEST_F(SpaceGuideTest, TheExampleRuns) {
  run([this]() -> Task {
    const std::function<void(Place&)> declare = [](Place& at) {
      at.entities.declare<example::Player>();
      at.host.declare<example::Arena>("arena");
    };
    const bool begun = co_await begin(SpaceHostOptions(), declare);
    CO_TRUE(begun);
    SpaceType type = town_type();
    type.name = "arena";
    decltype(Order::what) what = Create{{{"arena", "m42"}, 1}, type, "harbour"};
    (void)co_await order(1, std::move(what));
    EXPECT_TRUE((co_await reply()).result);
    co_await reserve(1, 1);
    auto& player = *a->entities.entities().create<example::Player>().value();
    CO_OK(example::let_in(a->host, player, ticket(1)));
    const std::string channel = "space/arena.m42-1";
    for (int i = 0; i < 3; ++i) {
      const auto over = co_await rpc::call<&example::Arena::goal>(boss->endpoint, channel, {}, 1);
      EXPECT_TRUE(over && *over == (i == 2));
    }
    CO_TRUE(co_await until([&] {
      const auto& rows = boss->latest.spaces;
      return rows.size() == 1 && rows.front().ending;
    }));
  });
}

}  // namespace
}  // namespace starbus::nodes::space::node_test
