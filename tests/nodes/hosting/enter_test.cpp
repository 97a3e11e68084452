/// Entities that enter by name, and what else is awaited: the database, the saver, a save.
#include <gmock/gmock.h>

#include "entity/rpc/spawn_result.hpp"
#include "nodes/db/awaited.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "tests/nodes/hosting/houses.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using entity::OnlineId;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

class EnterTest : public Houses {};

TEST_F(EnterTest, MakesThenLoadsAndSaysWhereItLives) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    const auto made = co_await x.host.enter<Guild>("guild/roses", {}, use_awaitable);
    CO_OK(made);
    EXPECT_EQ(made->how, Entrance::made);
    EXPECT_EQ(made->entity->persistent_id(), "roses");
    EXPECT_EQ(made->ref.name(), "guild/roses");
    EXPECT_EQ(made->elsewhere, "");
    made->entity->state.gold = 7;

    const auto again = co_await x.host.enter<Guild>("guild/roses", {}, use_awaitable);
    CO_OK(again);
    EXPECT_TRUE(again->how == Entrance::present && again->entity == made->entity);
    const auto other = co_await y.host.enter<Guild>("guild/roses", {}, use_awaitable);
    CO_OK(other);
    EXPECT_EQ(other->entity, nullptr);
    EXPECT_EQ(other->how, Entrance::absent);
    EXPECT_EQ(other->elsewhere, "a.x");
    EXPECT_EQ(other->ref, made->ref);
    EXPECT_EQ(y.host.entities().size(), 0U);
    EXPECT_EQ(shelf.finds, 1) << "who does not own the name reads nothing";

    made->entity->destroy();
    const auto loaded = co_await enter_freed(y, "guild/roses");
    CO_OK(loaded);
    EXPECT_EQ(loaded->how, Entrance::loaded);
    EXPECT_EQ(loaded->entity->state.gold, 7);
    const auto paid = co_await rpc::call<&Guild::pay>(x.endpoint, "guild/roses", {}, 5);
    CO_OK(paid);
    EXPECT_EQ(*paid, 12);
  });
}

/// The race that reading first would lose: what the other process changed after the read.
TEST_F(EnterTest, TheNameIsOwnedBeforeTheStateIsRead) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    shelf.holds = true;
    const auto first = enter(x, "guild/roses");
    EXPECT_TRUE(co_await until([&] { return shelf.finds == 1; }));
    EXPECT_TRUE(x.bus.epoch("guild/roses"));
    const auto second = enter(x, "guild/roses");
    const auto elsewhere = enter(y, "guild/roses");
    EXPECT_TRUE(co_await ended(elsewhere));
    EXPECT_EQ((*elsewhere)->value().elsewhere, "a.x");
    // A call that comes before it is there waits for it.
    int gold = 0;
    rpc::call<&Guild::pay>(y.endpoint, "guild/roses", {},
                           3)([&](const rpc::Reply<int>& answer) { gold = answer.value(); });
    boost::asio::steady_timer pause(loop, 30ms);
    co_await pause.async_wait(use_awaitable);
    EXPECT_FALSE(first->has_value());
    shelf.release();
    EXPECT_TRUE(co_await ended(first));
    EXPECT_TRUE(co_await ended(second));
    EXPECT_EQ((*first)->value().how, Entrance::made);
    EXPECT_EQ((*second)->value().how, Entrance::present) << "one of them sets it up";
    EXPECT_EQ((*first)->value().entity, (*second)->value().entity);
    EXPECT_TRUE(co_await until([&] { return gold == 3; }));
    EXPECT_EQ(shelf.finds, 1);
  });
}

TEST_F(EnterTest, AFailedLoadMakesNothingAndGivesTheNameUp) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    shelf.refuses = true;
    const auto refused = enter(x, "guild/roses");
    EXPECT_TRUE(co_await ended(refused));
    EXPECT_EQ((*refused)->error(), db::Errc::busy);
    EXPECT_EQ(x.host.entities().size(), 0U);
    shelf.refuses = false;
    const EnterOptions known{.make = false};
    const auto absent = co_await enter_freed(y, "guild/roses", known);
    EXPECT_EQ(absent.error(), db::Errc::not_found) << "the name is free, and nothing is saved";
    const auto named = enter(y, "guild/7", {.persistent_id = "lilies"});
    EXPECT_TRUE(co_await ended(named));
    EXPECT_EQ((*named)->value().entity->persistent_id(), "lilies");
    const auto wrong = enter(y, "guild/7");
    EXPECT_TRUE(co_await ended(wrong));
    EXPECT_EQ((*wrong)->error(), bus::Errc::already_bound) << "another entity has the name";
  });
}

TEST_F(EnterTest, AFormerLifeEndsFirst) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    const auto made = enter(x, "guild/roses");
    EXPECT_TRUE(co_await ended(made));
    shelf.holds = true;
    (*made)->value().entity->destroy();
    EXPECT_TRUE(co_await until([&] { return x.host.unsaved() == 1; }));
    const auto early = enter(x, "guild/roses");
    EXPECT_TRUE(co_await ended(early));
    EXPECT_EQ((*early)->error(), bus::Errc::busy);
    shelf.release();
    const auto later = co_await enter_freed(x, "guild/roses");
    CO_OK(later);
    EXPECT_EQ(later->how, Entrance::loaded);
  });
}

TEST_F(EnterTest, ALostLeaseAndADrainEndThoseWhoWait) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    shelf.holds = true;
    const auto fenced = enter(x, "guild/roses");
    EXPECT_TRUE(co_await until([&] { return shelf.finds == 1; }));
    x.host.lose_all();
    EXPECT_EQ((*fenced)->error(), bus::Errc::lease_lost);
    const auto drained = enter(y, "guild/lilies");
    EXPECT_TRUE(co_await until([&] { return shelf.finds == 2; }));
    bool done = false;
    y.host.drain([&](const bus::Result<>&) { done = true; });
    const auto late = enter(y, "guild/thorns");
    shelf.release();
    EXPECT_TRUE(co_await ended(drained));
    EXPECT_TRUE(co_await ended(late));
    EXPECT_EQ((*drained)->error(), bus::Errc::closed);
    EXPECT_EQ((*late)->error(), bus::Errc::closed);
    EXPECT_TRUE(co_await until([&] { return done; }));
    EXPECT_EQ(x.host.entities().size() + y.host.entities().size(), 0U);
  });
}

TEST_F(EnterTest, TooManyAtOnceAreRefused) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    shelf.holds = true;
    std::vector<Code> ends;
    const auto note = [&](const bus::Result<Entered<Guild>>& end) {
      ends.push_back(end ? bus::Errc::ok : end.error().code);
    };
    for (std::size_t i = 0; i < kMaxEntering; ++i) x.host.enter<Guild>("guild/roses", {}, note);
    const auto refused = enter(x, "guild/roses");
    EXPECT_TRUE(co_await ended(refused));
    EXPECT_EQ((*refused)->error(), bus::Errc::would_block);
    shelf.release();
    EXPECT_TRUE(co_await until([&] { return ends.size() == kMaxEntering; }));
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(ends, Code(bus::Errc::ok))),
              kMaxEntering);
  });
}

TEST_F(EnterTest, WithASaverAndNoLoaderItIsRefused) {
  HostOptions options = x.with();
  options.load = nullptr;
  options.take_in.clear();
  MainLoop main(loop);
  EntityHost host(x.endpoint, main.timers(), "n", std::move(options));
  host.declare<Guild>();
  std::optional<Code> code;
  host.enter<Guild>("guild/roses", {},
                    [&](const bus::Result<Entered<Guild>>& end) { code = end.error().code; });
  while (!code && loop.run_one() != 0) {
  }
  EXPECT_EQ(*code, bus::Errc::bad_config) << "it would replace what is saved";
}

// --- one style -----------------------------------------------------------------------------------

template <class Request>
concept AwaitedTemporary = requires(db::Database& at, Request&& request) {
  db::query(at, std::move(request));
};
static_assert(!AwaitedTemporary<db::Query>, "db::Query{...} would be destroyed twice");
static_assert(std::is_trivially_destructible_v<EnterOptions>, "braces within co_await are safe");

/// All of it in one coroutine of an entity, without a token.
rpc::Task<bus::Result<std::string>> everything(Guild& guild) {
  EntityHost& host = guild.world().get<EntityHost>();
  db::Database& database = guild.world().get<db::Database>();
  const auto saved = co_await host.save_now(guild);
  if (!saved) co_return saved.error();
  const auto found = co_await db::find(database, "guild", guild.persistent_id());
  if (!found) co_return found.error();
  const auto loaded = co_await guild.world().get<DbSaver>().load("guild", guild.persistent_id());
  if (!loaded || !*loaded) co_return bus::Error(bus::Errc::corrupt);
  db::WriteRequest request;
  db::Update named{"guild", guild.persistent_id(), {}};
  named.changes.push_back({db::Operator::set, "motto", "thorns"});
  request.writes.emplace_back(std::move(named));
  const auto written = co_await db::write(database, request);
  if (!written) co_return written.error();
  const db::Count all{.range = {.collection = "guild"}};
  const auto counted = co_await db::count(database, all);
  const db::Query query{.range = {.collection = "guild"}};
  const auto page = co_await db::query(database, query);
  if (!counted || !page) co_return bus::Error(bus::Errc::corrupt);
  const auto entered = co_await host.enter<Guild>("guild/" + std::string("lilies"));
  if (!entered) co_return entered.error();
  const auto published = co_await host.publish(*entered->entity);
  if (!published) co_return published.error();
  co_return (*found)->at("type").get<std::string>() + " " + std::to_string(counted->count);
}

TEST_F(EnterTest, EverythingIsAwaitedInATaskWithoutAToken) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    const auto entered = enter(x, "guild/roses");
    EXPECT_TRUE(co_await ended(entered));
    Guild& guild = *(*entered)->value().entity;
    std::optional<bus::Result<std::string>> end;
    rpc::spawn(x.endpoint, guild, everything(guild),
               [&](bus::Result<std::string> said) { end = std::move(said); });
    EXPECT_TRUE(co_await until([&] { return end.has_value(); }));
    EXPECT_EQ(end->value(), "guild 1");
  });
}

TEST_F(EnterTest, WhatIsRefusedAtOnceEndsInEveryStyle) {
  run([this]() -> Task {
    shelf.refuses = true;
    const auto awaited = co_await db::find(shelf, "guild", "roses", use_awaitable);
    EXPECT_EQ(awaited.error(), db::Errc::busy);
    const auto loaded = co_await x.saver.load("guild", "roses", use_awaitable);
    EXPECT_EQ(loaded.error(), db::Errc::busy);
    bool told = false;
    db::write(shelf, db::WriteRequest{},
              [&](const db::Result<db::Written>& end) { told = end.error() == db::Errc::busy; });
    EXPECT_TRUE(told);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
