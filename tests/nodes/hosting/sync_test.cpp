/// What an EntityHost tells those who watch its entities, with nothing but its ticks.
#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>

#include "nodes/hosting/properties_copy.hpp"
#include "nodes/hosting/saved_value.hpp"
#include "nodes/replica/mirror.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/hero.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using entity::Audience;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

/// Who stands for gates: a copy for each audience of each hero, which only takes what is told.
class Watchers final : public AudienceSink {
 public:
  void news(const entity::Entity& entity, Audience audience, bus::ByteView bytes) override {
    std::string line(name_of(view_of(audience)));
    const bool delta = bytes.front() == std::byte{0xd2};
    lines.push_back(line + (delta ? " delta " : " all ") + text_of(entity.online_id()));
    auto& copy = copies[{entity.online_id(), audience}];
    if (!copy) {
      copy = std::make_unique<HeroState>();
      copy->become_replica(audience);
    }
    const bool taken =
        delta ? copy->apply_delta(bytes).has_value() : copy->apply_snapshot(bytes).has_value();
    if (!taken) lines.push_back(line + " refused");
  }
  bool goes_on(const entity::Entity&, Audience audience, const entity::Version& version) override {
    if (has.lineage == 0) return false;
    if (audience == Audience::own_client) {
      EXPECT_EQ(version, has);
    }
    return true;
  }
  void gone(const entity::Entity& entity, entity::EndReason reason) override {
    lines.push_back("gone " + text_of(entity.online_id()) + " " +
                    std::string(entity::name_of(reason)));
  }
  void pass_ended() override { ++passes; }
  const HeroState& copy(const Hero& hero, Audience audience) {
    return *copies.at({hero.online_id(), audience});
  }

  std::vector<std::string> lines;
  entity::Version has;  // of the watchers of one that arrives, if they came sooner
  std::size_t passes = 0;
  std::map<std::pair<entity::OnlineId, Audience>, std::unique_ptr<HeroState>> copies;
};

struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options, std::uint64_t first,
        std::chrono::milliseconds every = 0ms, std::vector<std::string> searchable = {})
      : drawn(first),
        save_every(every),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with()) {
    host.declare<Hero>(
        {.mirrored = true, .searchable = std::move(searchable), .save_unnamed = true});
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = [this](SavedEntity saved, const Done& done) {
      kept.push_back(std::move(saved));
      done({});
    };
    made.save_every = save_every;
    made.sink = &watchers;
    made.tick = 5ms;
    return made;
  }
  std::uint64_t drawn;
  std::chrono::milliseconds save_every;
  Watchers watchers;
  std::vector<SavedEntity> kept;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

class EntitySyncTest : public bus::LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  std::unique_ptr<Place> a = std::make_unique<Place>(loop, cluster.node("a", "x"), 0);
  std::unique_ptr<Place> b = std::make_unique<Place>(loop, cluster.node("b", "y"), 100);
};

TEST_F(EntitySyncTest, EachAudienceGetsWhatItSeesGhostsFirst) {
  run([this]() -> Task {
    Hero* hero = a->host.entities().create<Hero>().value();
    Hero* other = a->host.entities().create<Hero>().value();
    for (const Audience each : {Audience::own_client, Audience::other_clients, Audience::ghost}) {
      EXPECT_TRUE(a->host.watch(*hero, each));
    }
    EXPECT_THAT(a->watchers.lines,
                ElementsAre("own_client all 1", "other_clients all 1", "ghost all 1"));
    a->watchers.lines.clear();
    hero->state.nick = "ada";
    hero->state.gold = 7;
    hero->state.nick = "eve";
    other->state.nick = "nobody watches";
    EXPECT_TRUE(co_await until([&] { return a->watchers.lines.size() >= 3; }));
    EXPECT_THAT(a->watchers.lines,
                ElementsAre("ghost delta 1", "other_clients delta 1", "own_client delta 1"));
    EXPECT_EQ(a->watchers.copy(*hero, Audience::ghost).nick.get(), "eve");
    EXPECT_EQ(a->watchers.copy(*hero, Audience::own_client).gold.get(), 7);
    EXPECT_EQ(a->watchers.copy(*hero, Audience::other_clients).gold.get(), 0) << "is not seen";
    // A tick without a change tells nothing; one that lost something asks for all of it.
    const std::uint64_t told = a->host.told().told;
    EXPECT_TRUE(co_await until([&, passes = a->main.counters().timers] {
      return a->main.counters().timers > passes + 3;
    }));
    EXPECT_EQ(a->host.told().told, told);
    a->watchers.lines.clear();
    EXPECT_TRUE(a->host.watch(*hero, Audience::own_client));
    hero->state.gold = 8;
    hero->destroy();
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 1; }));
    EXPECT_THAT(a->watchers.lines,
                ElementsAre("own_client all 1", "own_client delta 1", "gone 1 destroyed"));
  });
}

TEST_F(EntitySyncTest, ManyThatChangeAreToldInSeveralTurns) {
  run([this]() -> Task {
    const std::size_t count = 2 * kTickEntities + 1;
    for (std::size_t i = 0; i < count; ++i) {
      Hero* hero = a->host.entities().create<Hero>().value();
      EXPECT_TRUE(a->host.watch(*hero, Audience::other_clients));
      hero->state.nick = "n" + std::to_string(i);
    }
    a->watchers.lines.clear();
    EXPECT_TRUE(co_await until([&] { return a->watchers.lines.size() == count; }));
    EXPECT_GE(a->watchers.passes, 3U);
  });
}

TEST_F(EntitySyncTest, AMirrorHasItWithoutALoopOfTheProgram) {
  run([this]() -> Task {
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    Hero* hero = a->host.entities().create<Hero>().value();
    hero->state.nick = "ada";
    a->host.publish(*hero, "entity/ada", [](const bus::Result<>& bound) { EXPECT_TRUE(bound); });
    HeroState state;
    std::vector<std::string> replaced;
    PropertiesCopy copy(state,
                        [&](entity::Cause why) { replaced.emplace_back(entity::name_of(why)); });
    std::vector<std::string> nicks;  // as an observer of the copy hears them
    EXPECT_TRUE(state.observe(
        state.nick, [&](const std::string&, const std::string& now) { nicks.push_back(now); }));
    replica::Mirror mirror(b->endpoint, b->main.timers(), "entity/ada", copy);
    EXPECT_TRUE(co_await until([&] { return state.nick.get() == "ada"; }));
    EXPECT_THAT(replaced, ElementsAre("first"));
    hero->state.nick = "eve";
    EXPECT_TRUE(co_await until([&] { return state.nick.get() == "eve"; }));
    EXPECT_EQ(state.gold.get(), 0) << "ghosts do not see it";
    EXPECT_GE(mirror.counters().deltas, 1U);
    HeroState other;
    other.nick = "zoe";
    bus::Bytes saved;
    EXPECT_TRUE(other.encode_saved(entity::View::migration, saved));
    EXPECT_TRUE(hero->state.load_saved(saved));
    EXPECT_TRUE(co_await until([&] { return state.nick.get() == "zoe"; }));
    EXPECT_EQ(mirror.counters().refused, 0U) << "a snapshot takes the place of a change";

    // It goes on where the entity lives next.
    std::optional<bool> moved;
    a->host.move(*hero, "b.y", [&](const bus::Result<>& done) { moved = done.has_value(); });
    EXPECT_TRUE(co_await until([&] { return moved.has_value(); }));
    EXPECT_TRUE(*moved);
    auto* there = b->host.entities().find_as<Hero>(entity::OnlineId{1});
    EXPECT_NE(there, nullptr);
    if (there == nullptr) co_return;
    there->state.nick = "mia";
    EXPECT_TRUE(co_await until([&] { return state.nick.get() == "mia"; }));
    EXPECT_THAT(nicks, ElementsAre("ada", "eve", "zoe", "mia")) << "snapshots among them";
    EXPECT_GE(replaced.size(), 2U);
  });
}

TEST_F(EntitySyncTest, WatcherGetsWholeStateAtMoveTarget) {
  run([this]() -> Task {
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    CO_OK(co_await b->endpoint.ready(use_awaitable));
    Hero* hero = a->host.entities().create<Hero>().value();
    std::optional<bool> done;
    a->host.publish(*hero, [&](const bus::Result<>& bound) { done = bound.has_value(); });
    EXPECT_TRUE(co_await until([&] { return done.has_value(); }));
    EXPECT_TRUE(a->host.watch(*hero, Audience::own_client));
    hero->state.gold = 5;
    done.reset();
    a->host.move(*hero, "b.y", [&](const bus::Result<>& moved) { done = moved.has_value(); });
    EXPECT_TRUE(co_await until([&] { return done.has_value(); }));
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 0; }));
    EXPECT_EQ(a->watchers.lines.back(), "gone 1 moved");
    EXPECT_EQ(a->watchers.lines.end()[-2], "own_client delta 1") << "its last news from here";
    EXPECT_THAT(b->watchers.lines, ::testing::Contains("own_client all 1"));
    auto* there = b->host.entities().find_as<Hero>(entity::OnlineId{1});
    EXPECT_NE(there, nullptr);
    if (there == nullptr) co_return;
    there->state.gold = 6;
    EXPECT_TRUE(co_await until(
        [&] { return b->watchers.copy(*there, Audience::own_client).gold.get() == 6; }));
    EXPECT_TRUE(a->kept.empty()) << "who has it now saves it";
  });
}

TEST_F(EntitySyncTest, WatchersThatGoOnGetNothingTwiceAfterAMove) {
  run([this]() -> Task {
    CO_OK(co_await a->bus.connect(use_awaitable));
    CO_OK(co_await b->bus.connect(use_awaitable));
    CO_OK(co_await b->endpoint.ready(use_awaitable));
    Hero* hero = a->host.entities().create<Hero>().value();
    std::optional<bool> done;
    a->host.publish(*hero, [&](const bus::Result<>& bound) { done = bound.has_value(); });
    EXPECT_TRUE(co_await until([&] { return done.has_value(); }));
    EXPECT_TRUE(a->host.watch(*hero, Audience::own_client));
    const entity::Version first = hero->state.version(Audience::own_client);
    hero->state.gold = 5;
    hero->state.seal();
    b->watchers.has = hero->state.version(Audience::own_client);
    done.reset();
    a->host.move(*hero, "b.y", [&](const bus::Result<>& moved) { done = moved.has_value(); });
    EXPECT_TRUE(co_await until([&] { return done.has_value(); }));
    auto* there = b->host.entities().find_as<Hero>(entity::OnlineId{1});
    EXPECT_NE(there, nullptr);
    if (there == nullptr) co_return;
    EXPECT_THAT(b->watchers.lines, ::testing::Not(::testing::Contains("own_client all 1")));
    b->watchers.copies = std::move(a->watchers.copies);
    there->state.gold = 6;
    EXPECT_TRUE(co_await until(
        [&] { return b->watchers.copy(*there, Audience::own_client).gold.get() == 6; }));
    EXPECT_THAT(b->watchers.lines, ElementsAre("own_client delta 1"));
    // One that is further behind asks with its version.
    b->watchers.lines.clear();
    EXPECT_TRUE(b->host.watch(*there, Audience::own_client, first));
    EXPECT_TRUE(b->host.watch(*there, Audience::own_client, {first.lineage + 1, first.stamp}));
    EXPECT_THAT(b->watchers.lines, ElementsAre("own_client delta 1", "own_client all 1"));
    EXPECT_EQ(b->host.told().since, 1U);
  });
}

TEST_F(EntitySyncTest, CrowdThatBeginsToWatchIsAnsweredByOneEncoding) {
  run([this]() -> Task {
    Hero* hero = a->host.entities().create<Hero>().value();
    hero->state.nick = "ada";
    const SnapshotCache& kept = a->host.snapshots();
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(a->host.watch(*hero, Audience::ghost));
    EXPECT_EQ(kept.encoded(), 1U);
    EXPECT_GT(kept.bytes(), 0U);
    hero->state.nick = "eve";
    EXPECT_TRUE(a->host.watch(*hero, Audience::ghost));
    EXPECT_EQ(kept.encoded(), 2U);
    EXPECT_EQ(a->watchers.copy(*hero, Audience::ghost).nick.get(), "eve");
    hero->state.nick = "mia";  // a tick tells it, and frees what was kept
    EXPECT_TRUE(co_await until([&] { return kept.bytes() == 0; }));
    EXPECT_TRUE(a->host.watch(*hero, Audience::ghost));
    EXPECT_GT(kept.bytes(), 0U);
    hero->destroy();
    EXPECT_TRUE(co_await until([&] { return kept.bytes() == 0; }));
  });
}

TEST(Snapshots, AreKeptWithinBytesAndForATime) {
  SnapshotCache cache;
  std::vector<std::unique_ptr<HeroState>> all;
  for (std::uint64_t id = 0; id < 200; ++id) {
    auto& state = all.emplace_back(std::make_unique<HeroState>());
    state->watch(Audience::ghost);
    state->nick = std::string(60'000, 'n');
    for (int again = 0; again < 2; ++again) {
      EXPECT_TRUE(cache.get(id, *state, Audience::ghost, 1s));
    }
  }
  EXPECT_EQ(cache.encoded(), 200U);
  const std::size_t full = cache.bytes();
  EXPECT_LE(full, kSnapshotCache);
  HeroState unwatched;
  EXPECT_TRUE(cache.get(300, unwatched, Audience::ghost, 1s));
  EXPECT_TRUE(cache.get(300, unwatched, Audience::ghost, 1s));
  EXPECT_EQ(cache.encoded(), 202U) << "its version does not follow its state";
  cache.expire(1s + kSnapshotKept - 1ms);
  EXPECT_EQ(cache.bytes(), full);
  cache.forget(199);
  EXPECT_LT(cache.bytes(), full);
  cache.expire(1s + kSnapshotKept);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST_F(EntitySyncTest, SavesChangedEntitiesOnceAndUnchangedNever) {
  a = std::make_unique<Place>(loop, cluster.node("a", "z"), 0, 30ms);
  run([this]() -> Task {
    Hero* hero = a->host.entities().create<Hero>().value();
    EXPECT_TRUE(co_await until([&] { return a->kept.size() == 1; })) << "nobody knew it";
    for (int i = 1; i <= 5; ++i) hero->state.gold = i;
    EXPECT_TRUE(co_await until([&] { return a->kept.size() == 2; }));
    HeroState read;
    EXPECT_TRUE(read.load_saved(a->kept.back().properties));
    EXPECT_EQ(read.gold.get(), 5);
    EXPECT_GT(a->kept[1].version, a->kept[0].version);
    hero->state.mood = 3;  // is not saved
    hero->destroy();
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 0; }));
    EXPECT_EQ(a->kept.size(), 2U);
    EXPECT_EQ(a->host.counters().unchanged, 1U);

    Hero* late = a->host.entities().create<Hero>().value();
    std::optional<bool> saved;
    a->host.save_now(*late, [&](const bus::Result<>& done) { saved = done.has_value(); });
    EXPECT_TRUE(co_await until([&] { return saved.has_value(); }));
    EXPECT_TRUE(*saved);
    late->state.gold = 9;
    late->destroy();
    EXPECT_TRUE(co_await until([&] { return a->host.entities().size() == 0; }));
    EXPECT_TRUE(read.load_saved(a->kept.back().properties));
    EXPECT_EQ(read.gold.get(), 9) << "the change before its end is kept, too";
  });
}

TEST_F(EntitySyncTest, TheStoreGetsTheSearchableValuesAsTheyAreSaved) {
  a = std::make_unique<Place>(loop, cluster.node("a", "z"), 0, 30ms,
                              std::vector<std::string>{"gold"});
  // One that cannot be is none of them, and hurts nobody.
  b = std::make_unique<Place>(loop, cluster.node("b", "z"), 100, 30ms,
                              std::vector<std::string>{"gold", "mood"});
  run([this]() -> Task {
    for (Place* place : {a.get(), b.get()}) {
      Hero* hero = place->host.entities().create<Hero>().value();
      hero->state.gold = 5;
      EXPECT_TRUE(co_await until([&] { return place->kept.size() == 1; }));
      hero->state.gold = 6;
      hero->destroy();
      EXPECT_TRUE(co_await until([&] { return place->kept.size() == 2; }));
    }
  });
  std::vector<int> values;
  for (const SavedEntity& saved : a->kept) {
    ASSERT_EQ(saved.values.size(), 1U);
    EXPECT_EQ(saved.values[0].path, "gold");
    values.push_back(saved.values[0].value.get<int>());
  }
  EXPECT_THAT(values, ElementsAre(5, 6));
  for (const SavedEntity& saved : b->kept) EXPECT_TRUE(saved.values.empty());
}

}  // namespace
}  // namespace starbus::nodes::entities
