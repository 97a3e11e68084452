/// A player that goes to another process: its client is in one sequence of scenes and epochs.
#include "tests/nodes/space_sight/space_support.hpp"

namespace starbus::nodes::sight {
namespace {

using namespace test;

TEST_F(SightSpaces, ScenesCountOnInAnotherProcess) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    auto there = place("y");
    there->drawn = 1'000;
    there->entities.declare<Player>();
    there->entities.declare<Wolf>();
    CO_TRUE(co_await space::node_test::SpaceTestBase::open(*there));
    const bus::Process process = gate.bus.self();
    CO_TRUE(co_await until([&] { return there->endpoint.gates().is_gate(process); }));
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    EXPECT_TRUE(co_await ready("ada", 1));
    ClientDouble& client = gate.clients[1];
    EXPECT_TRUE(ada->mover().teleport({50, 50, 0}));
    CO_TRUE(co_await until([&] { return client.corrections.size() == 1; }));
    const std::uint32_t scene = client.copy.number;
    const entity::OnlineId id = ada->online_id();
    const std::uint8_t teleports = ada->mover().state().teleports;
    std::optional<std::string> end;
    a->entities.move(*ada, "a.y", [&](const bus::Result<>& moved) {
      end = moved ? "moved" : moved.error().to_string();
    });
    CO_TRUE(co_await until([&] { return end.has_value(); }));
    EXPECT_EQ(*end, "moved");
    auto* const moved = there->entities.entities().find_as<Player>(id);
    CO_TRUE(moved != nullptr);
    // It is in no space there, and its client is told so under the next number.
    CO_TRUE(co_await until([&] { return client.copy.number == scene + 1; }));
    EXPECT_EQ(client.scene.space, "");
    EXPECT_EQ(moved->watcher().view().number(), scene + 1);
    EXPECT_EQ(square()->players(), 0U);
    EXPECT_TRUE(square()->aoi().entities().empty());
    EXPECT_EQ(moved->mover().state().teleports, teleports);
  });
}

}  // namespace
}  // namespace starbus::nodes::sight
