// Players as entities: their states, and that each exists once.
#include "tests/nodes/players/home.hpp"

namespace starbus::nodes::players {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

class PlayerTest : public PlayersTest {
 protected:
  boost::asio::awaitable<bool> gone() {
    const sessions::ToSubject word = sessions::ClientGone{gate->at.session, gate->at.bind};
    bus::Bytes bytes;
    sessions::encode(word, bytes);
    const std::string text(bus::as_text(bytes));
    const auto taken =
        co_await rpc::call<&entity::Entity::session>(gate->endpoint, kHero, {}, text);
    co_return taken.has_value();
  }
};

TEST_F(PlayerTest, OneWhoseClientIsGoneLogsOutLater) {
  times.link_dead = 60ms;
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await play());
    EXPECT_TRUE(co_await gone());
    EXPECT_EQ(x->log.losses, 1);
    EXPECT_TRUE(co_await until([this] { return state_of(*x) == "gone"; }));
    EXPECT_EQ(ada->life_cycle().state_name(), "offline");
    EXPECT_TRUE(co_await until([this] { return !x->bus.epoch(kHero); })) << "it is saved";
    const auto back = co_await x->host.enter<Hero>(kHero, {}, use_awaitable);
    CO_OK(back);
    EXPECT_EQ(back->how, entities::Entrance::loaded);
    EXPECT_EQ(back->entity->state.gold, 1) << "what on_logout changed was saved";
  });
}

TEST_F(PlayerTest, OneThatIsDisconnectedTakesItsClientBack) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await play());
    EXPECT_TRUE(co_await gone());
    EXPECT_TRUE(co_await until([this] { return ada->life_cycle().state_name() == "offline"; }));
    const sessions::AskAccount again =
        sessions::BindSession{{6, 6}, other->id(), 1, {}, Home::ticket(1)};
    const auto bound = co_await ask(other->endpoint, again);
    EXPECT_EQ(bound.kind, sessions::AccountAnswerKind::bound);
    EXPECT_TRUE(co_await plays(*other, kHero));
    EXPECT_EQ(other->full.up_done, 2U) << "the numbers of its requests go on";
    EXPECT_EQ(hero(*x)->backs, 1);
  });
}

TEST_F(PlayerTest, OneThatNobodyPlaysLogsOut) {
  times.first_client = 40ms;
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    const auto in = co_await x->host.enter<Hero>(kHero, {}, use_awaitable);
    CO_OK(in);
    EXPECT_TRUE(co_await until([this] { return state_of(*x) == "gone"; }));
  });
}

TEST_F(PlayerTest, ALogoutDoesNotWaitForTheDiskForEver) {
  times.logout = 40ms;
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await play());
    shelf.holds = true;
    hero(*x)->leave_world();
    EXPECT_EQ(state_of(*x), "leaving");
    EXPECT_TRUE(co_await until([this] { return state_of(*x) == "gone"; }));
    shelf.release();
    EXPECT_TRUE(co_await until([this] { return !x->bus.epoch(kHero); }));
    EXPECT_EQ(shelf.all.count("hero/ada.1"), 1U);
  });
}

/// A late writer: the owner before, which was cut off and does not know it.
TEST_F(PlayerTest, OneThatIsCheckedOutIsSavedByItsOwnerAlone) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    const auto in = co_await x->host.enter<Hero>(kHero, {}, use_awaitable);
    CO_OK(in);
    in->entity->state.gold = 5;
    EXPECT_TRUE(co_await until([this] { return shelf.all["hero/ada.1"].contains("saved"); }));
    const std::uint64_t epoch = x->bus.epoch(kHero).value;
    EXPECT_EQ(x->saver.counters().checked_out, 2U);  // with its account
    in->entity->destroy();
    EXPECT_TRUE(co_await until([this] { return !x->bus.epoch(kHero); }));
    const auto loaded = co_await y->host.enter<Hero>(kHero, {}, use_awaitable);
    CO_OK(loaded);
    EXPECT_EQ(loaded->entity->state.gold, 5);
    std::optional<bus::Result<>> late;
    entities::SavedEntity old{"hero", "ada.1", {}, {epoch, ~std::uint64_t{0}}, {}, false};
    x->saver.save(old, [&](const bus::Result<>& done) { late = done; });
    EXPECT_TRUE(co_await until([&] { return late.has_value(); }));
    EXPECT_EQ(late->error(), bus::Errc::superseded) << "before the new owner has written";
    // Nor does it load: its name is not its own.
    std::optional<entities::DbSaver::Loaded> stale;
    x->saver.load("hero", "ada.1", [&](const entities::DbSaver::Loaded& got) { stale = got; });
    EXPECT_TRUE(co_await until([&] { return stale.has_value(); }));
    EXPECT_EQ(stale->error(), db::Errc::stale);
  });
}

}  // namespace
}  // namespace starbus::nodes::players
