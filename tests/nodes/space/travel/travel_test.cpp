/// Players who change their space, on one node and between two: how each travel ends, who sees
/// what, and where the seat is then.
#include "tests/nodes/space/travel/support.hpp"

namespace starbus::nodes::space::travel_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TravelTest : public TravelTestBase {};

TEST_F(TravelTest, APlayerChangesItsSpaceInOneStep) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type(), field_type("town"))));
    Player* const ada = co_await player(*x, "ada");
    const auto first = co_await travel(*x, *ada, to("field"));
    CO_OK(first);
    EXPECT_EQ(to_string(first->space), "field-1");
    EXPECT_EQ(first->node, "a.x");
    EXPECT_EQ(x->players("field"), 1u);
    const auto second = co_await travel(*x, *ada, to("town"));
    CO_OK(second);
    EXPECT_EQ(ada->space(), x->space("town")->id());
    EXPECT_EQ(x->players("field"), 0u);
    EXPECT_EQ(x->space("town")->aoi().position(*x->space("town")->aoi_id(*ada)),
              (aoi::Position{10, 20, 0}));
    EXPECT_THAT(diary.said,
                ElementsAre("ada enters x.field-1", "ada leaves x.field-1", "ada enters x.town-1"));
    EXPECT_TRUE(diary.ends.at("ada"));
    EXPECT_EQ(x->travels.counters().here, 2u);
    Wish anywhere = to("field");
    anywhere.at.reset();
    CO_OK(co_await travel(*x, *ada, anywhere));
    EXPECT_EQ(x->space("field")->aoi().position(*x->space("field")->aoi_id(*ada)),
              (aoi::Position{100, 100, 0}))
        << "the entrance: the middle of the area";
  });
}

TEST_F(TravelTest, APlayerMovesToTheNodeOfItsSeatAndEntersThere) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type(), field_type("town"))));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    x->spaces.refuse_newcomers();  // so that the town begins on y
    const auto end = go(*x, *ada, to("town"));
    bool vanished = false;
    const bool came = co_await until([&] {
      vanished = vanished || (x->find("ada") != nullptr && x->players("field") == 0);
      return end->has_value();
    });
    CO_TRUE(came);
    CO_OK(**end);
    EXPECT_EQ((*end)->value().node, "b.y");
    EXPECT_FALSE(vanished) << "it stands in its space until it lives elsewhere";
    Player* const there = y->find("ada");
    CO_TRUE(there != nullptr);
    EXPECT_EQ(there->space(), y->space("town")->id());
    EXPECT_EQ(y->players("town"), 1u);
    EXPECT_EQ(x->players("field"), 0u);
    EXPECT_EQ(y->space("town")->aoi().position(*y->space("town")->aoi_id(*there)),
              (aoi::Position{10, 20, 0}));
    EXPECT_THAT(diary.said,
                ElementsAre("ada enters x.field-1", "ada enters y.town-1", "ada leaves x.field-1"));
    EXPECT_EQ(x->travels.counters().away, 1u);
    EXPECT_EQ(y->travels.counters().come, 1u);
    EXPECT_TRUE(diary.ends.at("ada"));
    CO_TRUE(co_await until([&] { return seats(*x) == 0 && seats(*y) == 1; }));
  });
}

TEST_F(TravelTest, ATeamGoesToTheSeatsThatWereHeldForIt) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    Player* const ada = co_await player(*x, "ada");
    Player* const bob = co_await player(*x, "bob");
    SpaceCalls calls(x->endpoint);
    EnterRequest ask;
    ask.place = {"field", ""};
    ask.seats = 2;
    ask.patience = 10s;
    const auto team = co_await calls.enter(ask, use_awaitable);
    CO_OK(team);
    for (std::size_t i = 0; i < 2; ++i) {
      Wish wish;
      wish.seat = *team;
      Player& one = *(i == 0 ? ada : bob);
      EXPECT_EQ((co_await travel(*x, one, wish)).error(), Errc::bad_request)
          << "a seat is one ticket";
    }
    CO_TRUE(co_await until([&] { return seats(*x) == 0; }));  // those were given back
    const auto again = co_await calls.enter(ask, use_awaitable);
    CO_OK(again);
    for (std::size_t i = 0; i < 2; ++i) {
      Wish wish;
      wish.seat = *again;
      wish.seat->tickets = {again->tickets.at(i)};
      Player& one = *(i == 0 ? ada : bob);
      CO_OK(co_await travel(*x, one, wish));
    }
    EXPECT_EQ(x->players("field"), 2u);
  });
}

TEST_F(TravelTest, ASecondTravelIsRefusedAndAFirstOneCanBeCanceled) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    Player* const ada = co_await player(*x, "ada");
    const End first = go(*x, *ada, to("field"));
    EXPECT_EQ((co_await travel(*x, *ada, to("field"))).error(), Errc::travelling);
    CO_OK(co_await ended(first));
    const End second = go(*x, *ada, to("field"));
    EXPECT_TRUE(x->travels.cancel(*ada));
    EXPECT_FALSE(x->travels.cancel(*ada));
    EXPECT_EQ((co_await ended(second)).error(), rpc::Errc::canceled);
    auto& answers = office->desk.counters.answers;
    CO_TRUE(co_await until([&] { return answers.contains("canceled"); }));
    CO_TRUE(co_await until([&] { return seats(*x) == 1; }));
    EXPECT_EQ(x->players("field"), 1u) << "it stays where it is";
    EXPECT_EQ(x->travels.counters().given_back, 0u) << "it had none";
    const std::uint64_t granted = answers.at("granted");
    const End third = go(*x, *ada, to("field"));
    while (answers.at("granted") == granted) co_await turn();
    EXPECT_TRUE(x->travels.cancel(*ada)) << "its seat is on its way";
    EXPECT_EQ((co_await ended(third)).error(), rpc::Errc::canceled);
    CO_TRUE(co_await until([&] { return x->travels.counters().given_back == 1; }));
    CO_TRUE(co_await until([&] { return seats(*x) == 1; }));
  });
}

/// There is no node when it is canceled: later, when there is one, nobody wants a space any more.
TEST_F(TravelTest, ACanceledTravelBeginsNoSpace) {
  run([this]() -> Task {
    CO_TRUE(co_await serve(types(field_type(), field_type("town"))));
    x = land("a", "x");
    CO_TRUE(co_await x->bus.connect(use_awaitable));
    CO_TRUE((co_await x->endpoint.ready(use_awaitable)).has_value());
    Player* const ada = co_await player(*x, "ada");
    const End end = go(*x, *ada, to("field"));
    CO_TRUE(co_await until([this] { return office->registry().waiters() == 1; }));
    EXPECT_TRUE(x->travels.cancel(*ada));
    EXPECT_EQ((co_await ended(end)).error(), rpc::Errc::canceled);
    CO_TRUE(co_await until([this] { return office->registry().waiters() == 0; }));
    CO_TRUE(co_await open(*x));
    CO_OK(co_await travel(*x, *ada, to("town")));
    EXPECT_EQ(office->registry().spaces().size(), 1u) << "the town alone";
    EXPECT_EQ(x->space("field"), nullptr);
  });
}

TEST_F(TravelTest, ATravelWithoutAServiceEndsWithItsPatience) {
  run([this]() -> Task {
    x = land("a", "x");
    CO_TRUE(co_await open(*x));
    Player* const ada = co_await player(*x, "ada");
    Wish wish = to("field");
    EXPECT_EQ(wish.patience, kTravelPatience);
    wish.patience = 200ms;
    EXPECT_EQ((co_await travel(*x, *ada, wish)).error(), Errc::too_late);
    EXPECT_EQ(x->travels.size(), 0u);
    EXPECT_EQ(diary.ends.at("ada").error(), Errc::too_late) << "its hook is told, too";
  });
}

TEST_F(TravelTest, TravelsBeyondTheLimitAreRefused) {
  run([this]() -> Task {
    x = land("a", "x");
    CO_TRUE(co_await open(*x));
    Wish wish = to("field");
    std::size_t canceled = 0;
    const auto made = [&] { return x->entities.entities().create<Player>().value(); };
    for (std::size_t i = 0; i < kMaxTravels; ++i) {
      x->travels.travel(*made(), wish, [&](const Result<Travelled>& end) {
        canceled += end.error() == rpc::Errc::canceled ? 1 : 0;
      });
    }
    EXPECT_EQ((co_await travel(*x, *made(), wish)).error(), Errc::would_block);
    const auto page = x->travels.shown();
    EXPECT_EQ(page["under_way"], kMaxTravels);
    EXPECT_EQ(page["rows"].size(), std::size_t{kShownTravels});
    EXPECT_EQ(page["rows"][0]["does"], "asks for a seat");
    EXPECT_EQ(page["rows"][0]["to"], "field");
    x->entities.entities().for_each<Player>(
        [this](Player& one) { static_cast<void>(x->travels.cancel(one)); });
    CO_TRUE(co_await until([&] { return canceled == kMaxTravels; }));
  });
}

TEST_F(TravelTest, ATravelThatDoesNotBeginIsToldToItsPlayer) {
  run([this]() -> Task {
    x = land("a", "x");
    CO_TRUE(co_await open(*x));
    Player* const bob = co_await player(*x, "bob");
    CO_TRUE(bob != nullptr);
    const Wish wish = to("field");
    const auto nobody = [](const Result<Travelled>&) {};
    for (std::size_t i = 0; i < kMaxTravels; ++i) {
      x->travels.travel(*x->entities.entities().create<Player>().value(), wish, nobody);
    }
    x->travels.travel(*bob, wish, nobody);
    CO_TRUE(co_await until([&] { return diary.ends.contains("bob"); }));
    EXPECT_EQ(diary.ends.at("bob").error(), Errc::would_block);
    x->entities.entities().for_each<Player>(
        [this](Player& one) { static_cast<void>(x->travels.cancel(one)); });
    diary.ends.clear();
    x->travels.travel(*bob, wish, nobody);
    EXPECT_EQ((co_await travel(*x, *bob, wish)).error(), Errc::travelling);
    EXPECT_TRUE(diary.ends.empty()) << "it travels still";
    EXPECT_TRUE(x->travels.cancel(*bob));
  });
}

TEST_F(TravelTest, PlayersOfASpaceThatEndsTravelInTurn) {
  run([this]() -> Task {
    SpaceType field = field_type();
    field.next = "town";
    CO_TRUE(co_await begin(types(field, field_type("town"))));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    office.reset();  // whoever asks waits from now on
    const Wish wish = to("field");
    const auto nobody = [](const Result<Travelled>&) {};
    for (std::size_t i = 0; i < kMaxTravels; ++i) {
      x->travels.travel(*x->entities.entities().create<Player>().value(), wish, nobody);
    }
    CO_TRUE(x->space("field")->end_after(0ms));
    CO_TRUE(co_await until([&] { return x->space("field") == nullptr; }));
    EXPECT_EQ(ada->space(), entity::OnlineId::none);
    EXPECT_FALSE(x->travels.is_travelling(*ada));
    x->entities.entities().for_each<Player>([&](Player& one) {
      const bool other = &one != ada;
      EXPECT_EQ(other && x->travels.cancel(one), other);
    });
    EXPECT_TRUE(x->travels.is_travelling(*ada)) << "there is room for it now";
    EXPECT_EQ(x->travels.counters().left_over, 1u);
    EXPECT_TRUE(x->travels.cancel(*ada));
  });
}

TEST_F(TravelTest, WhoCannotTravelIsToldWhy) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type("field", 1, 1), field_type("town"))));
    Player* const ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    Player* const bob = co_await player(*x, "bob");
    EXPECT_EQ((co_await travel(*x, *bob, to("field"))).error(), Errc::full);
    EXPECT_EQ((co_await travel(*x, *bob, to("field", 1))).error(), Errc::line_full);
    EXPECT_EQ((co_await travel(*x, *bob, to("field", 2))).error(), Errc::no_such_line);
    EXPECT_EQ((co_await travel(*x, *bob, to("moon"))).error(), Errc::unknown_type);
    const auto plain = x->entities.entities().create_by_name("entity");
    CO_TRUE(!plain);  // abstract; one without a Traveller:
    Player* const eve = x->entities.entities().create<Player>().value();
    x->spaces.refuse_newcomers();
    const auto unnamed = co_await travel(*x, *eve, to("town"));
    EXPECT_EQ(unnamed.error(), bus::Errc::not_bound) << "one without a channel cannot move";
    CO_TRUE(co_await until([&] { return seats(*y) == 0; }));
  });
}

}  // namespace
}  // namespace starbus::nodes::space::travel_test
