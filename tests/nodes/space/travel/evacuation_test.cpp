/// Spaces that end, and nodes that drain: where their players go.
#include "tests/daemon/support.hpp"
#include "tests/nodes/space/travel/support.hpp"

namespace starbus::nodes::space::travel_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class EvacuationTest : public TravelTestBase {
 protected:
  boost::asio::awaitable<bool> drained(Land& at) {
    bool over = false;
    at.travels.drain([&](const bus::Result<>&) { over = true; });
    co_return co_await until([&] { return over; });
  }
};

TEST_F(EvacuationTest, EverybodyIsMovedInSlices) {
  daemon::test::LogCapture log;
  run([this, &log]() -> Task {
    constexpr std::size_t kCrowd = 150;
    CO_TRUE(co_await begin(types(field_type("field", 100, 2))));
    for (std::size_t i = 0; i < kCrowd; ++i) {
      Player* const one = co_await player(*x, "p" + std::to_string(i));
      Wish wish = to("field");
      wish.at = aoi::Position{static_cast<float>(i), 7, 0};
      CO_OK(co_await travel(*x, *one, wish));
    }
    EXPECT_EQ(x->players("field", 1) + x->players("field", 2), kCrowd);
    CO_TRUE(co_await open(*y));
    std::size_t most = 0;
    bool over = false;
    x->travels.drain([&](const bus::Result<>&) { over = true; });
    CO_TRUE(co_await until([&] {
      most = std::max(most, x->travels.size());
      return over;
    }));
    EXPECT_LE(most, std::size_t{kEvacuateAtOnce});
    EXPECT_GT(most, 1u);
    EXPECT_EQ(x->players("field", 1) + x->players("field", 2), 0u);
    std::size_t there = 0;
    y->spaces.for_each([&](GameSpace& space) {
      EXPECT_GT(space.name().line, 2u) << "beside the lines that end";
      there += space.players();
      space.for_each_player([&](entity::Entity& one) {
        const auto at = space.aoi().position(*space.aoi_id(one));
        EXPECT_EQ("p" + std::to_string(static_cast<int>(at->x)), one.persistent_id());
        EXPECT_EQ(at->y, 7);
      });
    });
    EXPECT_EQ(there, kCrowd);
    EXPECT_EQ(x->travels.shown()["drain"]["moved"], kCrowd);
    EXPECT_EQ(x->travels.shown()["drain"]["over"], true);
    EXPECT_THAT(log.text(), HasSubstr("150 players have left for other nodes"));
    Player* const late = co_await player(*x, "late");
    EXPECT_EQ((co_await travel(*x, *late, to("field"))).error(), bus::Errc::closed);
  });
}

/// The hook is the game's, and may take its time: a thousand players are not asked for in one turn.
TEST_F(EvacuationTest, WhereToIsAskedInSlices) {
  run([this]() -> Task {
    constexpr std::size_t kCrowd = 2 * kEvacuateAtOnce + 2;
    std::size_t asked = 0;
    TravelOptions ways;
    ways.where_to = [&asked](const entity::Entity&, const Leaving&) {
      ++asked;
      return std::vector<Wish>{};  // it stays
    };
    x = land("a", "x", std::move(ways));
    CO_TRUE(co_await serve(types(field_type("field", kCrowd))) && co_await open(*x));
    for (std::size_t i = 0; i < kCrowd; ++i) {
      Player* const one = co_await player(*x, "p" + std::to_string(i));
      CO_OK(co_await travel(*x, *one, to("field")));
    }
    std::size_t before = 0;
    std::size_t most = 0;
    bool over = false;
    x->travels.drain([&](const bus::Result<>&) { over = true; });
    CO_TRUE(co_await until([&] {
      most = std::max(most, asked - std::exchange(before, asked));
      return over;
    }));
    EXPECT_EQ(asked, kCrowd) << "each once";
    EXPECT_EQ(most, std::size_t{kEvacuateAtOnce});
    EXPECT_EQ(x->players("field"), kCrowd);
  });
}

TEST_F(EvacuationTest, TheNextPlaceIsTriedWhenThereIsNoSeat) {
  run([this]() -> Task {
    TravelOptions ways;
    ways.evacuate_ask = 300ms;
    std::string asked;
    ways.where_to = [&asked](const entity::Entity& one, const Leaving& from) {
      asked = one.persistent_id() + " in " + to_string(from.space) + (from.drain ? ", drain" : "");
      std::vector<Wish> all(one.persistent_id() == "ada" ? 1 : kMaxWays, to("field", 9));
      all.push_back(to("town"));
      return all;
    };
    CO_TRUE(co_await begin(types(field_type(), field_type("town")), std::move(ways)));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    Player* const bob = co_await player(*x, "bob");
    CO_OK(co_await travel(*x, *bob, to("field", 1)));
    CO_TRUE(co_await drained(*x));
    EXPECT_THAT(asked, HasSubstr(" in field-1, drain"));
    EXPECT_EQ(y->players("town"), 1u);
    CO_TRUE(y->find("ada") != nullptr);
    CO_TRUE(x->find("bob") != nullptr);
    EXPECT_TRUE(x->space("field")->has(*bob)) << "a fifth place is not tried";
  });
}

TEST_F(EvacuationTest, WhoCannotBeMovedIsNamedAndEndsAsBefore) {
  daemon::test::LogCapture log;
  run([this, &log]() -> Task {
    TravelOptions ways;
    ways.evacuate_time = 300ms;
    ways.evacuate_ask = 100ms;
    x = land("a", "x", std::move(ways));
    CO_TRUE(co_await serve(types(field_type("field", 100))) && co_await open(*x));
    for (std::size_t i = 0; i < kNamedLeft + 2; ++i) {
      Player* const one = co_await player(*x, "p" + std::to_string(i));
      CO_OK(co_await travel(*x, *one, to("field")));
    }
    CO_TRUE(co_await drained(*x));
    EXPECT_EQ(x->players("field"), kNamedLeft + 2) << "they are where they were";
    EXPECT_THAT(log.text(), AllOf(HasSubstr("player p0 has not left field-1"), HasSubstr("no_node"),
                                  HasSubstr("2 more players have not left")));
    bool over = false;
    x->spaces.drain([&](const bus::Result<>&) { over = true; });
    CO_TRUE(co_await until([&] { return over; }));
    EXPECT_EQ(x->spaces.size(), 0u);
    EXPECT_EQ(x->find("p0")->space(), entity::OnlineId::none) << "its hosts ends it next";
  });
}

TEST_F(EvacuationTest, WhoIsOnTheWayWhenTheDrainBeginsArrivesAndIsSentOn) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type("field", 1))));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    const auto z = land("b", "z");
    const End end = go(*x, *ada, to("field"));
    while (!end->has_value() && y->spaces.expected() == 0) co_await turn();
    CO_TRUE(y->spaces.expected() == 1);
    CO_TRUE(co_await open(*z));
    x->spaces.refuse_newcomers();  // so that z alone has a seat
    bool over = false;
    y->travels.drain([&](const bus::Result<>&) { over = true; });
    CO_OK(co_await ended(end));
    CO_TRUE(co_await until([&] { return over; }));
    EXPECT_EQ(y->find("ada"), nullptr);
    EXPECT_EQ(x->find("ada"), nullptr);
    EXPECT_NE(standing(*z, "ada"), nullptr);
  });
}

TEST_F(EvacuationTest, WhatCannotTravelIsLeftBehindRatherThanThePlayer) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    CO_TRUE(ada->after(60s, [] {}));
    CO_TRUE(co_await drained(*x));
    EXPECT_EQ(y->players("field", 2), 1u);
    EXPECT_EQ(x->entities.counters().left_behind, 1u);
  });
}

TEST_F(EvacuationTest, ATravelOfItsOwnIsLeftAloneByTheDrain) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type(), field_type("town"))));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    const End end = go(*x, *ada, to("town"));
    CO_TRUE(co_await drained(*x));
    CO_OK(co_await ended(end));
    CO_TRUE(co_await until([&] { return standing(*y, "ada") != nullptr; }));
    const GameSpace* const there = y->spaces.find(standing(*y, "ada")->space());
    CO_TRUE(there != nullptr);
    EXPECT_EQ(there->type().name, "town") << "where it wanted to go";
    EXPECT_EQ(x->find("ada"), nullptr);
  });
}

TEST_F(EvacuationTest, ANodeThatEndsWithItsClusterSendsNobodyOn) {
  daemon::test::LogCapture log;
  run([this, &log]() -> Task {
    bool cluster_ends = false;
    TravelOptions ways;
    ways.cluster_ends = [&] { return cluster_ends; };
    CO_TRUE(co_await begin(types(field_type(), field_type("town")), std::move(ways)));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    cluster_ends = true;
    CO_TRUE(co_await drained(*x));
    EXPECT_EQ(x->find("ada"), ada);
    EXPECT_TRUE(x->space("field")->has(*ada)) << "though there is room on y";
    EXPECT_THAT(log.text(), HasSubstr("the cluster ends: 1 players stay"));
    EXPECT_THAT(log.text(), ::testing::Not(HasSubstr("has not left")));
    EXPECT_EQ((co_await travel(*x, *ada, to("town"))).error(), bus::Errc::closed);
  });
}

/// The shutdown reaches a node that has begun to drain by itself, and whose players wait for seats.
TEST_F(EvacuationTest, AClusterThatEndsMeanwhileEndsTheWaitForSeats) {
  run([this]() -> Task {
    bool cluster_ends = false;
    TravelOptions ways;
    ways.cluster_ends = [&] { return cluster_ends; };
    x = land("a", "x", std::move(ways));
    CO_TRUE(co_await serve(types(field_type())) && co_await open(*x));
    Player* const ada = co_await player(*x, "ada");
    CO_OK(co_await travel(*x, *ada, to("field")));
    bool over = false;
    x->travels.drain([&](const bus::Result<>&) { over = true; });
    CO_TRUE(co_await until([&] { return x->travels.is_travelling(*ada); }));
    const auto since = std::chrono::steady_clock::now();
    cluster_ends = true;
    CO_TRUE(co_await until([&] { return over; }));
    EXPECT_LT(std::chrono::steady_clock::now() - since, kEvacuateAsk) << "nobody has come to help";
    CO_TRUE(co_await until([&] { return x->travels.size() == 0; }));
    EXPECT_EQ(diary.ends.at("ada").error(), bus::Errc::closed);
  });
}

TEST_F(EvacuationTest, PlayersOfASpaceThatEndsGoToTheNextPlaceOfItsType) {
  run([this]() -> Task {
    SpaceType field = field_type();
    field.next = "town";
    CO_TRUE(co_await begin(types(field, field_type("town"))));
    Player* const ada = co_await player(*x, "ada");
    CO_OK(co_await travel(*x, *ada, to("field")));
    CO_OK(x->space("field")->end_after(0ms));
    CO_TRUE(co_await until([&] { return x->players("town") == 1; }));
    EXPECT_TRUE(x->space("town")->has(*ada));
    EXPECT_EQ(x->travels.counters().left_over, 1u);
    CO_OK(x->space("town")->end_after(0ms));
    CO_TRUE(co_await until([&] { return x->space("town") == nullptr; }));
    EXPECT_EQ(ada->space(), entity::OnlineId::none) << "a town has no next place: as before";
    EXPECT_EQ(x->travels.size(), 0u);
  });
}

}  // namespace
}  // namespace starbus::nodes::space::travel_test
