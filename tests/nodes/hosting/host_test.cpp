/// Entities of nodes: reachable from any process, ended in order, saved, fenced.
#include <gmock/gmock.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/guild.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

/// A process with entities.
struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options)
      : bus(loop, options), main(loop), host(endpoint, main.timers(), options.node, with()) {
    host.declare<Guild>();
    endpoint.on_lease_lost([this] { host.lose_all(); });
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = [this](SavedEntity saved, Done done) {
      log.push_back("save " + saved.persistent_id);
      last = std::move(saved);
      hold ? held.push_back(std::move(done)) : done({});
    };
    return made;
  }
  Guild* guild(std::string name = {}) {
    entity::CreateOptions how;
    how.persistent_id = std::move(name);
    return host.entities().create_with<Guild>(how).value();
  }

  std::uint64_t drawn = 0x7f39;
  bool hold = false;
  std::vector<Done> held;
  std::vector<std::string> log;
  SavedEntity last;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

class EntityHostTest : public bus::LoopTest {
 protected:
  std::unique_ptr<Place> place(const std::string& host, const std::string& name) {
    return std::make_unique<Place>(loop, cluster.node(host, name));
  }
  /// What publish() ended with; none while it has not.
  std::shared_ptr<std::optional<Code>> publish(Place& at, entity::Entity& entity) {
    auto result = std::make_shared<std::optional<Code>>();
    at.host.publish(entity, [result](const bus::Result<>& bound) {
      *result = bound ? bus::Errc::ok : bound.error().code;
    });
    return result;
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(2'000)}};
};

TEST_F(EntityHostTest, AnEntityIsCalledFromAnotherHostUntilItEnds) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto b = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    Guild* guild = a->guild();
    const auto published = publish(*a, *guild);
    const bool reachable = co_await until([&] { return published->has_value(); });
    EXPECT_TRUE(reachable && **published == bus::Errc::ok);
    EXPECT_EQ(EntityHost::channel_of(guild->online_id()), "entity/7f3a");

    const auto paid = co_await rpc::call<&Guild::pay>(b->endpoint, "entity/7f3a", {}, 5);
    EXPECT_TRUE(paid && *paid == 5);
    const auto keys = co_await rpc::call<&Vault::keys>(b->endpoint, "entity/7f3a", {});
    EXPECT_TRUE(keys && *keys == 3);
    const auto gone = co_await rpc::call<&Guild::disband>(b->endpoint, "entity/7f3a", {});
    EXPECT_TRUE(gone.has_value());
    // owner_lost, if it was given up a moment ago; then nobody has it.
    const auto late = co_await rpc::call<&Guild::pay>(b->endpoint, "entity/7f3a", {}, 5);
    EXPECT_TRUE(!late && (rpc::is_absent(late.error()) || late.error() == bus::Errc::owner_lost));
    const bool ended = co_await until([&] { return a->host.entities().size() == 0; });
    EXPECT_TRUE(ended);
    EXPECT_FALSE(a->bus.epoch("entity/7f3a"));
    const auto later = co_await rpc::call<&Guild::pay>(b->endpoint, "entity/7f3a", {}, 5);
    EXPECT_EQ(later.error(), bus::Errc::no_owner);
    EXPECT_EQ(a->host.counters().saved, 1u);
    GuildState read;
    EXPECT_TRUE(read.load_saved(a->last.properties));
    EXPECT_EQ(read.gold, 5);
    EXPECT_EQ(a->last.type, "guild");
  });
}

TEST_F(EntityHostTest, ANameOfItsOwnIsRefusedWhileSomebodyElseHasIt) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto b = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    std::vector<Code> results;
    const auto note = [&](const bus::Result<>& bound) {
      results.push_back(bound ? bus::Errc::ok : bound.error().code);
    };
    Guild* first = a->guild("roses");
    a->host.publish(*first, "guild/roses", note);
    EXPECT_TRUE(co_await until([&] { return results.size() == 1; }));
    Guild* second = b->guild("roses");
    b->host.publish(*second, "guild/roses", note);
    EXPECT_TRUE(co_await until([&] { return results.size() == 2; }));
    b->host.lose_all();
    EXPECT_EQ(b->host.counters().fenced, 0U) << "it has no name that it could lose";
    EXPECT_EQ(second->life(), entity::EntityState::alive);
    first->destroy();
    a->host.publish(*first, "guild/roses", note);
    EXPECT_TRUE(co_await until([&] { return results.size() == 3; }));
    EXPECT_THAT(results,
                ElementsAre(bus::Errc::ok, bus::Errc::already_bound, bus::Errc::not_bound));
  });
}

TEST_F(EntityHostTest, ADrainEndsAndSavesAllAndNamesWhoBlocks) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    for (const char* name : {"roses", "thorns", "lilies"}) a->guild(name);
    a->hold = true;
    bool drained = false;
    a->host.drain([&](const bus::Result<>& result) { drained = result.has_value(); });
    EXPECT_EQ(a->host.waits_for(), "3 entities to end");
    EXPECT_TRUE(co_await until([&] { return a->held.size() == 3; }));
    EXPECT_THAT(a->log, ElementsAre("save roses", "save thorns", "save lilies"));
    EXPECT_FALSE(drained);
    a->held[1]({});
    EXPECT_EQ(a->host.waits_for(), "2 to be saved: guild roses, guild lilies");
    a->held[0](bus::Error(bus::Errc::too_large, "no place"));
    a->held[0]({});  // twice
    a->held[2]({});
    EXPECT_TRUE(co_await until([&] { return drained; }));
    EXPECT_EQ(a->host.counters().saved, 2u);
    EXPECT_EQ(a->host.counters().unsaved, 1u);
    EXPECT_EQ(a->host.entities().create<Guild>().error(), entity::EntityErrc::closed);
  });
}

TEST_F(EntityHostTest, ALostLeaseEndsWhatHasAName) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    const auto named = publish(*a, *a->guild("roses"));
    Guild* nameless = a->guild("lilies");
    EXPECT_TRUE(co_await until([&] { return named->has_value(); }));
    const auto epoch = a->bus.epoch("entity/7f3a").value;
    cluster.crash_root();
    EXPECT_TRUE(co_await until([&] { return a->host.counters().fenced == 1; }));
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 1; }));
    EXPECT_EQ(nameless->life(), entity::EntityState::alive);
    EXPECT_THAT(a->log, ElementsAre("save roses"));
    EXPECT_EQ(a->last.version.epoch, epoch) << "so that a later owner's state stays";
    cluster.start_root();
  });
}

TEST_F(EntityHostTest, EntityThatEndsAsTheLeaseIsLostIsSavedUnderItsEpoch) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    CO_OK(co_await a->bus.connect(use_awaitable));
    Guild* leaving = a->guild("roses");
    const auto named = publish(*a, *leaving);
    EXPECT_TRUE(co_await until([&] { return named->has_value(); }));
    const auto epoch = a->bus.epoch("entity/7f3a").value;
    leaving->destroy();
    a->host.lose_all();
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 0; }));
    EXPECT_THAT(a->log, ElementsAre("save roses"));
    EXPECT_EQ(a->last.version.epoch, epoch);
  });
}

TEST_F(EntityHostTest, FencedEntityWithoutANameIsNotSaved) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    a->guild("roses")->destroy(entity::EndReason::fenced);  // its name was refused: it is another's
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 0; }));
    EXPECT_TRUE(a->log.empty());
  });
}

TEST_F(EntityHostTest, EndedEntityKeepsItsNameUntilItIsSaved) {
  run([this]() -> Task {
    const auto a = place("a", "x");
    const auto b = place("b", "y");
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    std::vector<Code> bound;
    const auto note = [&](const bus::Result<>& result) {
      bound.push_back(result ? bus::Errc::ok : bus::errc_of(result.error()));
    };
    Guild* roses = a->guild("roses");
    a->host.publish(*roses, "guild/roses", note);
    EXPECT_TRUE(co_await until([&] { return bound.size() == 1; }));
    a->hold = true;
    roses->destroy();
    for (std::size_t attempt = 1; attempt <= 3; ++attempt) {
      EXPECT_TRUE(co_await until([&] { return a->held.size() == attempt; }));
      a->held.back()(bus::Error(bus::Errc::io_error, "no disk"));
      EXPECT_EQ(a->host.unsaved(), 1U);
    }
    b->host.publish(*b->guild("roses"), "guild/roses", note);
    EXPECT_TRUE(co_await until([&] { return bound.size() == 2; }));
    EXPECT_TRUE(co_await until([&] { return a->held.size() == 4; }));
    a->held.back()({});
    EXPECT_EQ(a->host.unsaved(), 0U);
    EXPECT_EQ(a->host.counters().saved, 1U);
    EXPECT_TRUE(co_await until([&] { return !a->bus.epoch("guild/roses"); }));
    b->host.publish(*b->guild("lilies"), "guild/roses", note);
    EXPECT_TRUE(co_await until([&] { return bound.size() == 3; }));
    EXPECT_THAT(bound, ElementsAre(bus::Errc::ok, bus::Errc::already_bound, bus::Errc::ok));
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
