/// The tick of entities under load, in virtual time: it ends, and saves go on.
#include <gmock/gmock.h>

#include <map>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/ox.hpp"

namespace starbus::nodes::entities {
namespace {

using entity::Audience;
using namespace std::chrono_literals;

/// A receiver of changes that takes its time, and may write meanwhile.
class SlowSink final : public AudienceSink {
 public:
  void news(const entity::Entity& entity, Audience, bus::ByteView) override {
    ++told[id_of(entity)];
    on_news();
  }
  std::map<std::uint64_t, std::size_t> told;
  std::function<void()> on_news = [] {};
};

class EntityTickTest : public bus::LoopTest {
 protected:
  /// The end of entities tells, too, when the variables of the test are gone.
  ~EntityTickTest() override {
    sink.on_news = [] {};
  }
  static constexpr entity::Time kInterval = 100ms;
  static constexpr entity::Time kWait = 1s;

  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = [this](const SavedEntity& saved, const Done& done) {
      saves[saved.persistent_id].push_back(now);
      latest = saved;
      hold ? held.push_back(done) : done({});
    };
    made.save_every = std::chrono::duration_cast<std::chrono::milliseconds>(kWait);
    made.sink = &sink;
    made.tick = 0ms;
    return made;
  }
  std::vector<Ox*> herd(std::size_t count, const TypeOptions& type = {.save_unnamed = true}) {
    host.declare<Ox>(type);
    std::vector<Ox*> oxen;
    for (std::size_t i = 0; i < count; ++i) {
      oxen.push_back(host.entities().create<Ox>().value());
      EXPECT_TRUE(host.watch(*oxen.back(), Audience::own_client));
    }
    sink.told.clear();
    return oxen;
  }
  /// One turn of the loop, at the present virtual time.
  void turn() {
    while (wheel.advance(now).more) {
    }
    loop.restart();
    loop.poll_one();
  }

  void pass(entity::Time time) {
    now += time;
    turn();
    host.tick();
  }
  /// All that is posted, such as the end of entities.
  void settle() {
    loop.restart();
    loop.poll();
  }
  /// Saves of one ox.
  std::size_t saved(const Ox& ox) { return saves[ox.persistent_id()].size(); }

  entity::Time now = 1h;
  std::uint64_t drawn = 0;
  bool hold = false;
  std::vector<Done> held;
  SavedEntity latest;
  SlowSink sink;
  std::map<std::string, std::vector<entity::Time>> saves;
  starbus::testing::Cluster cluster{loop, {}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  rpc::Endpoint endpoint{bus};
  entity::TimerWheel wheel{now};
  EntityHost host{endpoint, wheel, "x", with()};
};

TEST_F(EntityTickTest, OverloadKeepsSavesWithinTwoIntervals) {
  // More than one turn of the loop tells; a few of them are saved, which a slow machine can do too.
  constexpr std::size_t kSaved = 20;
  auto oxen = herd(kTickEntities + 88, {});
  for (std::size_t i = 0; i < kSaved; ++i) {
    entity::CreateOptions how;
    how.persistent_id = "ox" + std::to_string(i);
    oxen.push_back(host.entities().create_with<Ox>(how).value());
    EXPECT_TRUE(host.watch(*oxen.back(), Audience::own_client));
  }
  sink.told.clear();
  // Telling all takes one and a half ticks, and each turn of the loop changes everybody.
  const entity::Time cost = 3 * kInterval / (2 * static_cast<int>(oxen.size()));
  sink.on_news = [&] { now += cost; };
  const entity::Time begin = now;
  entity::Time next = now;
  for (int weight = 1; now < begin + 5 * kWait; ++weight) {
    for (Ox* const ox : oxen) ox->state.weight = weight;
    turn();
    if (now >= next) {
      host.tick();
      next = now + kInterval;
    }
    now += 1ms;
  }
  EXPECT_EQ(saves.size(), kSaved);
  for (const auto& [who, times] : saves) {
    entity::Time last = begin;
    for (const entity::Time time : times) {
      EXPECT_LE(time - last, 2 * kWait) << who;
      last = time;
    }
    EXPECT_LE(now - last, 2 * kWait) << who;
  }
  for (const auto& [id, told] : sink.told) {
    EXPECT_LE(told, host.told().ticks) << id << ": more than once in a tick";
  }
  EXPECT_GE(host.told().ticks, 10U) << "ticks end";
}

TEST_F(EntityTickTest, ChangesDuringATickWaitForTheNextOne) {
  const auto oxen = herd(3);
  int weight = 0;
  for (Ox* const ox : oxen) ox->state.weight = ++weight;
  // Not allowed to a sink, but what other work of the loop does between two turns of a tick.
  sink.on_news = [&] {
    for (Ox* const ox : oxen) ox->state.weight = ++weight;
  };
  host.tick();
  settle();
  for (const Ox* const ox : oxen) EXPECT_EQ(sink.told[id_of(*ox)], 1U);
  sink.on_news = [] {};
  host.tick();
  settle();
  for (const Ox* const ox : oxen) EXPECT_EQ(sink.told[id_of(*ox)], 2U);
  host.tick();
  settle();
  for (const Ox* const ox : oxen) EXPECT_EQ(sink.told[id_of(*ox)], 2U);
}

TEST_F(EntityTickTest, WriteDuringASaveIsSavedNext) {
  Ox& ox = *herd(1).front();
  const auto weight = [this] {
    OxState state;
    EXPECT_TRUE(state.load_saved(latest.properties));
    return state.weight.get();
  };
  hold = true;
  ox.state.weight = 1;
  pass(kWait);
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(weight(), 1);
  ox.state.weight = 2;
  held[0]({});
  EXPECT_EQ(host.unsaved(), 1U);
  pass(kWait * (100 - kSaveSpread) / 100 - 1ms);
  EXPECT_EQ(held.size(), 1U);
  pass(kWait);
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(weight(), 2);
  held[1]({});
  EXPECT_EQ(host.unsaved(), 0U);
  pass(10 * kWait);
  EXPECT_EQ(held.size(), 2U) << "nothing has changed";
}

TEST_F(EntityTickTest, EntitiesMadeAtOnceAreNotSavedAtOnce) {
  constexpr std::size_t kHerd = 1'000;
  herd(kHerd, {.save_every = 60s, .save_unnamed = true});
  const entity::Time begin = now;
  std::size_t most = 0;
  while (now < begin + 60s) {
    const std::size_t before = saves.size();
    pass(1s);
    for (std::size_t last_size = 0; last_size != saves.size();) {  // also on a slow machine
      last_size = saves.size();
      host.tick();
    }
    most = std::max(most, saves.size() - before);
    if (now < begin + 60s * (100 - kSaveSpread) / 100) {
      EXPECT_EQ(saves.size(), 0U);
    }
  }
  EXPECT_EQ(saves.size(), kHerd) << "none is later than its interval";
  EXPECT_LE(most, kHerd / 10) << "of 15 ticks, each has a share";
}

TEST_F(EntityTickTest, TypeIsSavedAfterEveryChangeOnceATick) {
  Ox& ox = *herd(1, {.save_when = SaveWhen::every_change, .save_unnamed = true}).front();
  pass(kInterval);
  EXPECT_EQ(saved(ox), 1U);
  for (const int weight : {1, 2, 3}) ox.state.weight = weight;
  pass(kInterval);
  EXPECT_EQ(saved(ox), 2U);
  pass(kInterval);
  EXPECT_EQ(saved(ox), 2U) << "nothing has changed";
  hold = true;
  ox.state.weight = 4;
  pass(kInterval);
  std::exchange(held, {}).at(0)(bus::Error(bus::Errc::denied));
  pass(kInterval);
  EXPECT_EQ(saved(ox), 3U) << "one that has failed waits for the interval";
  pass(kWait);
  EXPECT_EQ(saved(ox), 4U);
}

TEST_F(EntityTickTest, TypeIsSavedAtItsEndOnly) {
  Ox& ox = *herd(1, {.save_when = SaveWhen::at_end, .save_unnamed = true}).front();
  const std::string id = ox.persistent_id();
  ox.state.weight = 1;
  pass(24h);
  EXPECT_EQ(saves.size(), 0U);
  EXPECT_EQ(host.unsaved(), 1U);
  ox.destroy();
  settle();
  EXPECT_EQ(saves[id].size(), 1U);
  EXPECT_EQ(host.unsaved(), 0U);
}

TEST_F(EntityTickTest, EntityWithoutANameIsNotSaved) {
  Ox& ox = *herd(1, {}).front();
  ox.state.weight = 1;
  pass(2 * kWait);
  EXPECT_EQ(saves.size(), 0U) << "nothing would ever load it";
  EXPECT_EQ(host.unsaved(), 0U);
  ox.destroy();
  settle();
  EXPECT_EQ(host.entities().size(), 0U);
  EXPECT_EQ(saves.size(), 0U);
  entity::CreateOptions how;
  how.persistent_id = "bull";
  Ox& bull = *host.entities().create_with<Ox>(how).value();
  pass(2 * kWait);
  EXPECT_EQ(saved(bull), 1U);
}

TEST_F(EntityTickTest, ErasedEntityTakesWhatIsStoredAlong) {
  entity::CreateOptions how;
  how.persistent_id = "bull";
  host.declare<Ox>();
  Ox& bull = *host.entities().create_with<Ox>(how).value();
  pass(2 * kWait);
  EXPECT_FALSE(latest.erase);
  const SaveVersion before = latest.version;
  bull.destroy(entity::EndReason::erased);
  settle();
  EXPECT_TRUE(latest.erase) << "though nothing has changed since its save";
  EXPECT_EQ(latest.persistent_id, "bull");
  EXPECT_TRUE(latest.properties.empty());
  EXPECT_GT(latest.version, before);
}

class EntitySyncLists : public EntityTickTest {
 protected:
  Ox& changed() {
    Ox& ox = *manager.create<Ox>().value();
    sync.add(ox, false);
    EXPECT_TRUE(sync.show(ox, Audience::own_client));
    ox.state.weight = 1;
    return ox;
  }
  EntitySync sync{{.sink = &sink}};
  entity::EntityFactory types;
  entity::EntityManager manager{
      types, entity::PersistentIdSource("y", 1),
      [this]() -> entity::IdentityResult<entity::OnlineId> { return entity::OnlineId{++drawn}; },
      entity::EntityOptions{}};
};

TEST_F(EntitySyncLists, StayWithinTheNumberOfEntities) {
  ASSERT_TRUE(entity::declare_entity<Ox>(types));
  Ox& told_at_once = changed();
  for (int weight = 2; weight < 100; ++weight) {
    sync.tell(told_at_once);
    told_at_once.state.weight = weight;
  }
  EXPECT_EQ(sync.waiting(), 1U) << "it is listed once, however often it is told at once";
  for (std::size_t i = 0; i < 10 * kTickEntities; ++i) {
    Ox& brief = changed();
    sync.forget(brief);
    brief.destroy();
    manager.settle();
  }
  EXPECT_LE(sync.waiting(), 2 * kTickEntities) << "entities that have ended go";
  const rpc::PassTime time{1min};
  sink.told.clear();
  while (sync.pass(manager, kTickEntities, time)) {
  }
  EXPECT_EQ(sink.told.size(), 1U);
  EXPECT_TRUE(sync.idle());
}

}  // namespace
}  // namespace starbus::nodes::entities
