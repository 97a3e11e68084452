/// What happens when something else happens while a player travels: docs/guide/spaces.md has the
/// table. Never is a player in two spaces, and a seat that is not taken is given back.
#include "tests/nodes/space/travel/support.hpp"

namespace starbus::nodes::space::travel_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class TravelRaces : public TravelTestBase {
 protected:
  /// A seat in a field of y, for ada who is in one of x.
  boost::asio::awaitable<bool> seat_on_y() {
    if (!co_await begin(types(field_type("field", 1), field_type("town")))) co_return false;
    ada = co_await ada_in_x();
    if (ada == nullptr) co_return false;
    id = ada->online_id();
    SpaceCalls calls(x->endpoint);
    EnterRequest ask;
    ask.place = {"field", ""};
    ask.patience = 10s;
    const auto held = co_await calls.enter(ask, use_awaitable);
    if (!held || held->node != "b.y") co_return false;
    wish.seat = *held;
    co_return true;
  }
  boost::asio::awaitable<bool> frozen(End end) {
    auto& all = x->entities.entities();
    while (!end->has_value() && all.find(id) != nullptr) co_await turn();
    co_return all.find_here(id) != nullptr && !end->has_value();
  }
  /// She is where she was, as she was, and the seat on y is free.
  void expect_she_stays(const Result<Travelled>& end, const Code& why) {
    EXPECT_EQ(end.error(), why) << end.error().to_string();
    ASSERT_EQ(x->find("ada"), ada);
    EXPECT_EQ(ada->life(), entity::EntityState::alive);
    ASSERT_NE(x->space("field"), nullptr);
    EXPECT_TRUE(x->space("field")->has(*ada));
    EXPECT_EQ(x->players("field"), 1u);
    if (y) {
      EXPECT_EQ(y->find("ada"), nullptr);
    }
    EXPECT_EQ(diary.ends.at("ada").error(), why);
    EXPECT_THAT(diary.said, Not(Contains(HasSubstr("leaves"))));
  }
  boost::asio::awaitable<void> expect_the_seat_is_free() {
    const bool free = co_await until(5s, [this] { return seats(*y) == 0; });
    EXPECT_TRUE(free) << "the seat is lost";
  }

  Player* ada = nullptr;
  entity::OnlineId id{};
  Wish wish;
};

TEST_F(TravelRaces, AnExpiredTicketIsRefusedBeforeAnythingHasMoved) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    const Life life = wish.seat->life;
    const std::vector<Ticket> tickets = wish.seat->tickets;
    CO_OK(co_await rpc::call<&SpaceService::give_back>(x->endpoint, kSpaceService, {}, life,
                                                       tickets));
    co_await expect_the_seat_is_free();
    const auto end = co_await travel(*x, *ada, wish);
    expect_she_stays(end, Errc::not_let_in);
    EXPECT_THAT(end.error().detail, HasSubstr("unknown_ticket"));
  });
}

TEST_F(TravelRaces, ASpaceThatIsAboutToEndRefuses) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    CO_OK(y->space("field", 2)->end_after(5s));
    const auto end = co_await travel(*x, *ada, wish);
    expect_she_stays(end, Errc::not_let_in);
    co_await expect_the_seat_is_free();
  });
}

TEST_F(TravelRaces, ATargetThatDrainsRefuses) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    y->spaces.refuse_newcomers();
    const auto end = co_await travel(*x, *ada, wish);
    expect_she_stays(end, Errc::not_let_in);
    co_await expect_the_seat_is_free();
  });
}

TEST_F(TravelRaces, ATargetThatHasDiedLeavesThePlayerWhereItWas) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    y.reset();
    const auto end = co_await travel(*x, *ada, wish);
    expect_she_stays(end, bus::Errc::no_owner);
  });
}

/// She is packed, and nobody but the source has her.
TEST_F(TravelRaces, ATargetThatDiesBeforeTheStateHasComeLeavesThePlayerWhereItWas) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    diary.packed = [this] { cluster.crash_root(); };
    const End moving = go(*x, *ada, wish);
    CO_TRUE(co_await frozen(moving));
    EXPECT_EQ(x->players("field"), 1u) << "she stands in her space";
    EXPECT_EQ(y->spaces.expected(), 0u);
    y.reset();
    cluster.start_root();
    expect_she_stays(co_await ended(moving), bus::Errc::rolled_back);
  });
}

/// The target has made her, and busroot has not granted her yet.
TEST_F(TravelRaces, ATargetThatDiesWhenItHasAcceptedThePlayerLeavesItWhereItWas) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    diary.accepted = [this] { cluster.crash_root(); };
    const End moving = go(*x, *ada, wish);
    CO_TRUE(co_await until([this] { return y->spaces.expected() == 1; }));
    EXPECT_EQ(x->players("field"), 1u) << "she stands in her space";
    y.reset();
    cluster.start_root();
    expect_she_stays(co_await ended(moving), bus::Errc::rolled_back);
  });
}

TEST_F(TravelRaces, ATargetThatDiesAfterItOwnsThePlayerTakesItAlong) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    CO_OK(co_await travel(*x, *ada, wish));
    EXPECT_EQ(y->players("field", 2), 1u);
    y.reset();
    CO_TRUE(co_await until([this] { return office->registry().nodes().nodes().size() == 1; }));
    EXPECT_EQ(x->find("ada"), nullptr);
    EXPECT_EQ(x->players("field"), 0u);
    CO_TRUE(co_await until([this] { return seats(*x) == 0; }));
  });
}

TEST_F(TravelRaces, ASourceThatDiesBeforeTheStateHasComeTakesThePlayerAlong) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    diary.packed = [this] { cluster.crash_root(); };
    const End moving = go(*x, *ada, wish);
    CO_TRUE(co_await frozen(moving));
    x.reset();
    diary.packed = nullptr;
    cluster.start_root();
    // Her name is free: nobody has her.
    CO_TRUE(co_await player(*y, "ada") != nullptr);
    EXPECT_EQ(y->players("field", 2), 0u);
    EXPECT_EQ(y->travels.counters().come, 0u);
  });
}

/// Whether busroot grants the target before it hears of the death is not controlled.
TEST_F(TravelRaces, ASourceThatDiesLeavesThePlayerOnceOrNot) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    const End moving = go(*x, *ada, wish);
    CO_TRUE(co_await frozen(moving));
    x.reset();
    co_await turn(300ms);
    const Player* const there = y->find("ada");
    EXPECT_EQ(y->players("field", 2), there != nullptr ? 1u : 0u)
        << "whoever has arrived is in its space";
  });
}

TEST_F(TravelRaces, AServiceThatIsReplacedWhileAPlayerAsksCostsItNothing) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type(), field_type("town"))));
    ada = co_await player(*x, "ada");
    CO_OK(co_await travel(*x, *ada, to("field")));
    office.reset();
    const End end = go(*x, *ada, to("town"));
    co_await turn(100ms);
    EXPECT_FALSE(end->has_value());
    CO_TRUE(co_await serve(types(field_type(), field_type("town"))));
    CO_OK(co_await ended(end));
    EXPECT_EQ(x->players("town"), 1u);
    EXPECT_EQ(x->players("field"), 0u);
  });
}

TEST_F(TravelRaces, AnEntityThatEndsWhileItAsksWantsNoSeat) {
  run([this]() -> Task {
    CO_TRUE(co_await begin());
    ada = co_await player(*x, "ada");
    const End end = go(*x, *ada, to("field"));
    ada->destroy();
    EXPECT_EQ((co_await ended(end)).error(), Errc::traveller_ended);
    auto& answers = office->desk.counters.answers;
    CO_TRUE(co_await until([&] { return answers.contains("canceled"); }));
    CO_TRUE(co_await until([this] { return office->registry().spaces().empty(); }));
    CO_TRUE(co_await until([this] { return x->spaces.size() == 0; }));
  });
}

TEST_F(TravelRaces, AnEntityThatEndsWhileItsMoveWaitsGivesItsSeatBack) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    rpc::call<&Player::think>(y->endpoint, "player/ada", {})([](const auto&) {});
    CO_TRUE(co_await until([this] { return !x->thinking.empty(); }));
    const End end = go(*x, *ada, wish);
    co_await turn(50ms);
    EXPECT_EQ(x->travels.shown()["rows"][0]["does"], "moves");
    EXPECT_FALSE(x->travels.cancel(*ada)) << "it is too late for that";
    ada->destroy();
    EXPECT_EQ((co_await ended(end)).error(), Errc::traveller_ended);
    co_await expect_the_seat_is_free();
  });
}

TEST_F(TravelRaces, CoroutinesThatDoNotEndKeepThePlayerWhereItIs) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    rpc::call<&Player::think>(y->endpoint, "player/ada", {})([](const auto&) {});
    CO_TRUE(co_await until([this] { return !x->thinking.empty(); }));
    wish.patience = 200ms;
    const auto end = co_await travel(*x, *ada, wish);
    expect_she_stays(end, bus::Errc::busy);
    EXPECT_THAT(end.error().detail, HasSubstr("think"));
    co_await expect_the_seat_is_free();
  });
}

TEST_F(TravelRaces, TheSpaceThatItLeavesEndsWhileItAsks) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type(), field_type("town"))));
    ada = co_await player(*x, "ada");
    CO_OK(co_await travel(*x, *ada, to("field")));
    office.reset();
    const End end = go(*x, *ada, to("town"));
    CO_OK(x->space("field")->end_after(0ms));
    CO_TRUE(co_await until([this] { return x->space("field") == nullptr; }));
    EXPECT_EQ(ada->space(), entity::OnlineId::none);
    CO_TRUE(co_await serve(types(field_type(), field_type("town"))));
    CO_OK(co_await ended(end));
    EXPECT_EQ(ada->space(), x->space("town")->id());
  });
}

/// Frozen in a space that ends, and back: it leaves the dead space, and goes where its type says.
TEST_F(TravelRaces, TheSpaceThatItLeavesEndsWhileItIsFrozenAndTheMoveFails) {
  run([this]() -> Task {
    SpaceType field = field_type("field", 1);
    field.next = "town";
    CO_TRUE(co_await begin(types(field, field_type("town"))));
    ada = co_await ada_in_x();
    CO_TRUE(ada != nullptr);
    id = ada->online_id();
    diary.packed = [this] { cluster.crash_root(); };
    const End end = go(*x, *ada, to("field"));
    CO_TRUE(co_await frozen(end));
    CO_OK(x->space("field")->end_after(0ms));
    CO_TRUE(co_await until([this] { return x->players("field") == 0; }));
    y.reset();
    cluster.start_root();
    EXPECT_EQ((co_await ended(end)).error(), bus::Errc::rolled_back);
    CO_TRUE(co_await until([this] { return x->players("town") == 1; }));
    EXPECT_EQ(ada->space(), x->space("town")->id());
    EXPECT_EQ(x->travels.counters().left_over, 1u);
  });
}

TEST_F(TravelRaces, ASeatThatComesAfterThePatienceIsGivenBack) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    wish.patience = 0ms;
    const auto end = co_await travel(*x, *ada, wish);
    expect_she_stays(end, Errc::too_late);
    co_await expect_the_seat_is_free();
  });
}

TEST_F(TravelRaces, AHookThatRefusesTheEntryOnTheNodeItIsInIsBackWhereItWas) {
  run([this]() -> Task {
    CO_TRUE(co_await begin(types(field_type(), field_type("town", 1, 1))));
    ada = co_await player(*x, "ada");
    CO_OK(co_await travel(*x, *ada, to("field")));
    int asked = 0;
    diary.no = [&asked] { return ++asked == 1; };  // to the town, and not to the field again
    const auto end = co_await travel(*x, *ada, to("town"));
    EXPECT_EQ(end.error(), entity::EntityErrc::init_failed);
    CO_TRUE(x->space("field")->has(*ada));
    EXPECT_EQ(x->space("field")->aoi().position(*x->space("field")->aoi_id(*ada)),
              (aoi::Position{10, 20, 0}));
    EXPECT_EQ(x->players("field"), 1u);
    EXPECT_EQ(x->players("town"), 0u);
    CO_TRUE(co_await until([this] { return seats(*x) == 1; }));  // the service has heard it
    diary.no = [] { return true; };
    EXPECT_EQ((co_await travel(*x, *ada, to("town"))).error(), entity::EntityErrc::init_failed);
    EXPECT_EQ(ada->space(), entity::OnlineId::none) << "both have refused";
    CO_TRUE(co_await until([this] { return seats(*x) == 0; }));
  });
}

TEST_F(TravelRaces, AHookThatRefusesTheEntryAtTheTargetIsInNoSpaceAndToldThere) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    diary.refuses = {"ada at y"};
    CO_OK(co_await travel(*x, *ada, wish));
    Player* const there = y->find("ada");
    CO_TRUE(there != nullptr);
    EXPECT_EQ(there->space(), entity::OnlineId::none);
    EXPECT_EQ(diary.ends.at("ada").error(), entity::EntityErrc::init_failed);
    EXPECT_EQ(y->travels.counters().come_badly, 1u);
    EXPECT_EQ(x->find("ada"), nullptr);
    EXPECT_EQ(x->players("field"), 0u);
    co_await expect_the_seat_is_free();
    diary.refuses.clear();
    CO_OK(co_await travel(*y, *there, to("field")));
  });
}

/// The seat was held when y accepted her, and is gone when y owns her: she asks once more.
TEST_F(TravelRaces, ASpaceThatEndsBetweenAcceptanceAndArrivalIsReplaced) {
  run([this]() -> Task {
    CO_TRUE(co_await seat_on_y());
    diary.accepted = [this] { cluster.crash_root(); };  // the grant waits
    const End moving = go(*x, *ada, wish);
    CO_TRUE(co_await until([this] { return y->spaces.expected() == 1; }));
    diary.accepted = nullptr;
    CO_OK(y->space("field", 2)->end_after(0ms));
    CO_TRUE(co_await until([this] { return y->space("field", 2) == nullptr; }));
    x->spaces.refuse_newcomers();  // so that the next one begins on y, too
    cluster.start_root();
    CO_OK(co_await ended(moving));
    CO_TRUE(co_await until([this] { return standing(*y, "ada") != nullptr; }));
    EXPECT_EQ(x->find("ada"), nullptr);
    EXPECT_EQ(y->travels.counters().come_badly, 1u);
  });
}

}  // namespace
}  // namespace starbus::nodes::space::travel_test
