/// Players in a space of a node, and their clients at a gate: who is told what, and when.
#include <numeric>

#include "tests/nodes/space_sight/space_support.hpp"

namespace starbus::nodes::sight {
namespace {

using namespace test;
using ::testing::Contains;

TEST_F(SightSpaces, PlayersSeeEachOtherWalk) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    Player* const bob = co_await player("bob");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await enter(*bob, {105, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    CO_TRUE(co_await link("bob", 2));
    ClientDouble& at_ada = gate.clients[1];
    ClientDouble& at_bob = gate.clients[2];
    EXPECT_EQ(at_ada.scene.space, "square-1");
    EXPECT_EQ(at_ada.scene.grid, (MoveGrid{100, 100, 0}));
    EXPECT_EQ(at_ada.scene.tick_ms, 50U);
    EXPECT_EQ(at_ada.scene.epoch, 1U);
    EXPECT_EQ(bus::as_text(at_ada.scene.setup), "night");
    const auto own =
        movement::MoveDecoder(at_ada.scene.grid).decode_body(at_ada.scene.move, at_ada.scene.time);
    CO_TRUE(own);
    EXPECT_LT(movement::distance(own->move.position, {100, 100, 0}), 0.02);
    EXPECT_EQ(at_ada.kinds, (std::vector<std::string>{"full", "sight"})) << "nothing before ready";
    EXPECT_TRUE(co_await ready("ada", 1));
    EXPECT_TRUE(co_await ready("bob", 2));
    CO_TRUE(co_await until([&] { return at_bob.seen(ada->online_id()) != nullptr; }));
    CO_TRUE(co_await until([&] { return at_ada.seen(bob->online_id()) != nullptr; }));
    // Ada walks: her client reports, and that of bob is told.
    at_bob.copy.move_bytes = at_bob.copy.moves_told = 0;
    for (std::uint32_t i = 1; i <= 10; ++i) {
      const Position to{100, 100 + static_cast<float>(i) / 10, 0};
      const movement::MoveReport made = report(*ada, i, to);
      const std::uint64_t u = co_await ask<&Watcher::move>("ada", at_ada, made);
      EXPECT_EQ(value_of<movement::MoveAck>(at_ada, u), (movement::MoveAck{1, i}));
      CO_TRUE(co_await until([&] {
        const auto& place = at_bob.seen(ada->online_id())->place;
        return place && movement::distance(*place, to) < 0.02;
      }));
    }
    EXPECT_GE(at_bob.copy.moves_told, 5U);
    EXPECT_LE(at_bob.copy.move_bytes, 12 * at_bob.copy.moves_told);
    EXPECT_EQ(a->host.find(ada->space())->aoi().position(*square()->aoi_id(*ada)),
              (Position{100, 101, 0}));
    // Her properties, too.
    ada->state.hp = 7;
    ada->state.gold = 8;
    CO_TRUE(co_await until([&] { return at_bob.seen(ada->online_id())->state->hp.get() == 7; }));
    EXPECT_EQ(at_bob.seen(ada->online_id())->state->gold.get(), 0);
    // She leaves.
    EXPECT_TRUE(a->host.leave(*ada));
    CO_TRUE(co_await until([&] { return at_bob.copy.seen.empty(); }));
  });
}

TEST_F(SightSpaces, CorrectionsAndTeleportsComeInTheStream) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    ClientDouble& client = gate.clients[1];
    const movement::MoveReport far = report(*ada, 1, {190, 100, 0});
    const std::uint64_t u = co_await ask<&Watcher::move>("ada", client, far);
    EXPECT_EQ(value_of<movement::MoveAck>(client, u), (movement::MoveAck{2, 1}));
    CO_TRUE(co_await until([&] { return client.corrections.size() == 1; }));
    EXPECT_EQ(client.corrections[0].epoch, 2U);
    EXPECT_FALSE(client.corrections[0].teleport);
    EXPECT_EQ(client.corrections[0].move.position, (Position{100, 100, 0}));
    EXPECT_EQ(ada->mover().state().position, (Position{100, 100, 0}));
    EXPECT_TRUE(ada->mover().teleport({20, 30, 0}));
    CO_TRUE(co_await until([&] { return client.corrections.size() == 2; }));
    EXPECT_TRUE(client.corrections[1].teleport);
    EXPECT_EQ(client.corrections[1].move.position, (Position{20, 30, 0}));
    EXPECT_EQ(ada->mover().teleport({2'000, 30, 0}).error(), movement::MoveErrc::outside);
    EXPECT_EQ(ada->mover().place({}).error(), SightErrc::clients_own);
    EXPECT_TRUE(ada->mover().set_factor(0.5));
    EXPECT_EQ(ada->mover().check()->suspicion().count(movement::Violation::too_fast), 1U);
    const auto& corrections = square()->sight().counters().corrections;
    EXPECT_EQ(corrections[static_cast<std::size_t>(movement::Violation::too_fast)], 1U);
    EXPECT_EQ(std::accumulate(corrections.begin(), corrections.end(), 0U), 1U) << "no teleports";
  });
}

TEST_F(SightSpaces, AMalformedReportIsCountedAndChangesNothing) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    const movement::MoveReport bad =
        report(*ada, 1, {std::numeric_limits<float>::quiet_NaN(), 100, 0});
    const std::uint64_t u = co_await ask<&Watcher::move>("ada", gate.clients[1], bad);
    EXPECT_EQ(value_of<movement::MoveAck>(gate.clients[1], u), (movement::MoveAck{1, 0}));
    EXPECT_EQ(ada->mover().check()->suspicion().count(movement::Violation::malformed), 1U);
    EXPECT_EQ(ada->mover().state().position, (Position{100, 100, 0}));
  });
}

TEST_F(SightSpaces, ANewRunIsToldAllAnew) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    Player* const bob = co_await player("bob");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await enter(*bob, {105, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    EXPECT_TRUE(co_await ready("ada", 1));
    CO_TRUE(co_await until([&] { return gate.clients[1].copy.seen.size() == 1; }));
    const std::uint32_t before = gate.clients[1].copy.number;
    // Another login: another session, whose client knows nothing.
    gate.clients[3].copy.number = before;
    CO_TRUE(co_await link("ada", 3));
    ClientDouble& again = gate.clients[3];
    EXPECT_EQ(again.copy.number, before + 1);
    bob->state.hp = 3;
    EXPECT_TRUE(again.copy.seen.empty());
    EXPECT_TRUE(co_await ready("ada", 3));
    CO_TRUE(co_await until([&] { return again.seen(bob->online_id()) != nullptr; }));
    CO_TRUE(co_await until([&] { return again.seen(bob->online_id())->state->hp.get() == 3; }));
    EXPECT_EQ(again.kinds[0], "full");
    EXPECT_EQ(again.kinds[1], "sight");
  });
}

TEST_F(SightSpaces, AClientThatBeginsAnewIsMovedByItsOwnNumbers) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    EXPECT_TRUE(co_await ready("ada", 1));
    for (std::uint32_t i = 1; i <= 3; ++i) {
      const auto made = report(*ada, i, {100, 100 + static_cast<float>(i) / 10, 0});
      static_cast<void>(co_await ask<&Watcher::move>("ada", gate.clients[1], made));
    }
    EXPECT_EQ(ada->mover().check()->start().number, 3U);
    // A page that is loaded again counts from 1.
    gate.clients[3].copy.number = gate.clients[1].copy.number;
    CO_TRUE(co_await link("ada", 3));
    EXPECT_TRUE(co_await ready("ada", 3));
    EXPECT_EQ(gate.clients[3].scene.epoch, 2U);
    const auto made = report(*ada, 1, {100, 100.4F, 0});
    const std::uint64_t u = co_await ask<&Watcher::move>("ada", gate.clients[3], made);
    EXPECT_EQ(value_of<movement::MoveAck>(gate.clients[3], u), (movement::MoveAck{2, 1}));
    EXPECT_EQ(ada->mover().state().position, (Position{100, 100.4F, 0}));
  });
}

TEST_F(SightSpaces, AnOldSceneIsNotReady) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    ClientDouble& client = gate.clients[1];
    const std::uint64_t u = co_await ask<&Watcher::ready>("ada", client, client.copy.number - 1);
    EXPECT_FALSE(value_of<bool>(client, u));
    EXPECT_FALSE(ada->watcher().view().open());
    EXPECT_TRUE(co_await ready("ada", 1));
  });
}

TEST_F(SightSpaces, AClientInNoSpaceIsToldSo) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await link("ada", 1));
    ClientDouble& client = gate.clients[1];
    EXPECT_EQ(client.scene.space, "");
    EXPECT_TRUE(client.scene.move.empty());
    EXPECT_EQ(ada->timer_closures(), 0U) << "a closure would keep it from moving";
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await until([&] { return client.scene.space == "square-1"; }));
    EXPECT_TRUE(a->host.leave(*ada));
    CO_TRUE(co_await until([&] { return client.scene.space.empty(); }));
    EXPECT_EQ(client.copy.number, 3U);
    EXPECT_EQ(ada->mover().place({}).error(), SightErrc::no_space);
    EXPECT_EQ(ada->mover().teleport({}).error(), SightErrc::no_space);
    EXPECT_EQ(ada->mover().set_factor(1).error(), SightErrc::no_client_moves);
    const std::uint64_t u = co_await ask<&Watcher::move>("ada", client, movement::MoveReport{});
    EXPECT_EQ(value_of<movement::MoveAck>(client, u), movement::MoveAck{});
    CO_TRUE(co_await enter(*ada, {50, 50, 0}));
    EXPECT_EQ(ada->mover().check()->epoch(), 2U) << "reports of its first stay may be under way";
  });
}

TEST_F(SightSpaces, ACrowdShowsTheNearest) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    for (std::size_t i = 0; i < kDefaultView + 30U; ++i) {
      Wolf* const wolf = a->entities.entities().create<Wolf>().value();
      const float away = 1 + static_cast<float>(i) / 10;
      CO_TRUE(square()->enter(*wolf, {100 + away, 100, 0}));
      EXPECT_FALSE(wolf->mover().client_moves());
    }
    CO_TRUE(co_await link("ada", 1));
    EXPECT_TRUE(co_await ready("ada", 1));
    ClientDouble& client = gate.clients[1];
    CO_TRUE(co_await until([&] { return client.copy.seen.size() == kDefaultView; }));
    for (const auto& [index, seen] : client.copy.seen) {
      EXPECT_LT(seen.place->x, 101 + static_cast<float>(kDefaultView) / 10);
    }
    EXPECT_EQ(square()->sight().counters().enters, std::uint64_t{kDefaultView});
  });
}

TEST_F(SightSpaces, TheGameMovesMonsters) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    Wolf* const wolf = a->entities.entities().create<Wolf>().value();
    CO_TRUE(square()->enter(*wolf, {190, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    EXPECT_TRUE(co_await ready("ada", 1));
    ClientDouble& client = gate.clients[1];
    movement::Locomotion there;
    there.position = {110, 100, 0};
    there.heading = 1;
    EXPECT_TRUE(wolf->mover().place(there));
    CO_TRUE(co_await until([&] { return client.seen(wolf->online_id()) != nullptr; }));
    EXPECT_TRUE(wolf->mover().teleport({95, 100, 0}));
    CO_TRUE(co_await until([&] {
      return movement::distance(*client.seen(wolf->online_id())->place, {95, 100, 0}) < 0.02;
    }));
    there.position.x = std::numeric_limits<float>::infinity();
    EXPECT_EQ(wolf->mover().place(there).error(), movement::MoveErrc::not_finite);
    // It ends: those who saw it are told.
    wolf->destroy();
    CO_TRUE(co_await until([&] { return client.copy.seen.empty(); }));
  });
}

TEST_F(SightSpaces, ALargeSetupIsLeftOut) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const loud = co_await player("loud");
    CO_TRUE(co_await enter(*loud, {100, 100, 0}));
    CO_TRUE(co_await link("loud", 1));
    EXPECT_EQ(gate.clients[1].scene.space, "square-1");
    EXPECT_TRUE(gate.clients[1].scene.setup.empty());
  });
}

TEST_F(SightSpaces, APlaceOutsideTheSpaceIsRefusedAndLeavesNothing) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    co_await reserve(1, 77);
    const auto arrived = a->host.arrive(*ada, ticket(77), {-5, 0, 0});
    EXPECT_EQ(arrived.error(), movement::MoveErrc::outside);
    EXPECT_EQ(square()->players(), 0U);
    EXPECT_TRUE(square()->aoi().entities().empty());
    EXPECT_FALSE(ada->mover().is_in_space());
  });
}

TEST_F(SightSpaces, AnEndOfTheSpaceLeavesPlayersInNone) {
  run([this]() -> Task {
    CO_TRUE(co_await open());
    CO_TRUE(co_await make_square());
    Player* const ada = co_await player("ada");
    CO_TRUE(co_await enter(*ada, {100, 100, 0}));
    CO_TRUE(co_await link("ada", 1));
    EXPECT_TRUE(co_await ready("ada", 1));
    EXPECT_TRUE(square()->end_after(0ms));
    CO_TRUE(co_await until([&] { return square() == nullptr; }));
    CO_TRUE(co_await until([&] { return gate.clients[1].scene.space.empty(); }));
    EXPECT_FALSE(ada->mover().is_in_space());
  });
}

}  // namespace
}  // namespace starbus::nodes::sight
