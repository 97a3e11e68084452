/// The parts of an EntityHost by themselves, on a bus that is not connected.
#include <gmock/gmock.h>

#include "nodes/hosting/departures.hpp"
#include "nodes/hosting/entity_saver.hpp"
#include "nodes/hosting/published_names.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/guild.hpp"

namespace starbus::nodes::entities {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HostPartsTest : public bus::LoopTest {
 protected:
  HostPartsTest() {
    static_cast<void>(entity::declare_entity<Guild>(types));
    options.save = [this](SavedEntity one, Done done) {
      saved.push_back(one.persistent_id + " at " + std::to_string(one.version.epoch));
      done({});
    };
    saver.emplace(context, names, options);
    context.entities = &entities;
    context.on_move_ended = [this] { ++moves_ended; };
    context.on_save_ended = [this] { ++saves_ended; };
  }

  Guild& guild(const std::string& name) {
    entity::CreateOptions how;
    how.persistent_id = name;
    return *entities.create_with<Guild>(how).value();
  }
  /// Runs the posted completions.
  void run_posted() {
    loop.restart();
    loop.poll();
  }

  starbus::testing::Cluster cluster{loop, {}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  entity::rpc::Endpoint endpoint{bus};
  MainLoop main{loop};
  HostOptions options;
  HostContext context{endpoint, main.timers()};
  EntitySync sync{{}};
  PublishedNames names{context, sync};
  std::optional<EntitySaver> saver;
  Departures departures{context, names, sync};
  std::uint64_t drawn = 0;
  std::vector<std::string> saved;
  int moves_ended = 0;
  int saves_ended = 0;
  entity::EntityFactory types;
  entity::EntityManager entities{
      types, entity::PersistentIdSource("x", 1),
      [this]() -> entity::IdentityResult<entity::OnlineId> { return entity::OnlineId{++drawn}; },
      entity::EntityOptions{}};
};

TEST_F(HostPartsTest, NamesAreFencedOnceInOrder) {
  for (const char* const name : {"roses", "lilies"}) {
    names.add_owned(guild(name), bus::Epoch{7});
  }
  EXPECT_EQ(names.published(), 2U);
  EXPECT_EQ(names.epoch_of(1), 7U);
  EXPECT_FALSE(names.fenced(1));
  EXPECT_THAT(names.fence_all(), ElementsAre(1U, 2U));
  EXPECT_TRUE(names.fenced(1));
  EXPECT_THAT(names.fence_all(), IsEmpty());
}

TEST_F(HostPartsTest, NamesKeepTheLatestEpoch) {
  names.add_owned(guild("roses"), bus::Epoch{7});
  names.raise_epoch(1, bus::Epoch{9});
  names.raise_epoch(1, bus::Epoch{8});
  EXPECT_EQ(names.epoch_of(1), 9U);
  names.raise_epoch(2, bus::Epoch{8});
  EXPECT_FALSE(names.has(2)) << "an entity without names has no epoch";
  names.forget(1);
  EXPECT_EQ(names.epoch_of(1), 0U);
  EXPECT_EQ(names.names_of(1), 0U);
}

TEST_F(HostPartsTest, AnEntityIsPublishedWhenItOwnsAName) {
  Guild& roses = guild("roses");
  names.publish(roses.online_id(), "guild/roses", [](const bus::Result<>&) {});
  EXPECT_EQ(names.asking(), 1U);
  EXPECT_EQ(names.published(), 0U) << "nobody reaches it yet";
  names.add_owned(roses, bus::Epoch{7});
  names.raise_epoch(id_of(roses), bus::Epoch{9});
  EXPECT_EQ(names.asking(), 0U);
  EXPECT_EQ(names.published(), 1U);
  names.forget(id_of(roses));
  EXPECT_EQ(names.asking() + names.published(), 0U);
}

TEST_F(HostPartsTest, SaverStoresTheEpochOfTheName) {
  Guild& roses = guild("roses");
  names.add_owned(roses, bus::Epoch{7});
  ASSERT_TRUE(saver->saves(roses));
  saver->mark(id_of(roses));
  EXPECT_EQ(saver->pending(), 1U);
  saver->save(roses, [](const bus::Result<>& stored) { EXPECT_TRUE(stored); });
  EXPECT_THAT(saved, ElementsAre("roses at 7"));
  EXPECT_EQ(saves_ended, 1);
  EXPECT_EQ(saver->pending(), 0U);
  EXPECT_EQ(context.counters.saved, 1U);
}

TEST_F(HostPartsTest, EntityIsSavedOnceItHasAName) {
  context.on_named = [this](std::uint64_t id) { saver->mark(id); };
  Guild& nameless = *entities.create<Guild>().value();
  saver->mark(id_of(nameless));
  EXPECT_FALSE(saver->saves(nameless));
  EXPECT_EQ(saver->pending(), 0U);
  names.add_owned(nameless, bus::Epoch{7});
  EXPECT_TRUE(saver->saves(nameless));
  EXPECT_EQ(saver->pending(), 1U) << "what has changed before counts";
}

TEST_F(HostPartsTest, SaveNowOfAnUnchangedEntityStoresNothing) {
  Guild& roses = guild("roses");
  std::optional<bus::Result<>> ended;
  saver->save_now(roses, [&](const bus::Result<>& result) { ended = result; });
  EXPECT_FALSE(ended) << "completes in a later turn";
  run_posted();
  EXPECT_TRUE(ended && *ended);
  EXPECT_THAT(saved, IsEmpty());
}

TEST_F(HostPartsTest, DeparturesRefuseEntitiesWithoutOneName) {
  Guild& roses = guild("roses");
  std::vector<bus::Errc> ends;
  const auto note = [&](const bus::Result<>& moved) {
    ends.push_back(moved ? bus::Errc::ok : bus::errc_of(moved.error()));
  };
  departures.begin(roses.online_id(), "b.y", {}, note);
  context.draining = true;
  departures.begin(roses.online_id(), "b.y", {}, note);
  EXPECT_THAT(ends, IsEmpty()) << "completes in a later turn";
  run_posted();
  EXPECT_THAT(ends, ElementsAre(bus::Errc::not_bound, bus::Errc::not_bound));
  EXPECT_TRUE(departures.empty());
  EXPECT_EQ(moves_ended, 0);
}

}  // namespace
}  // namespace starbus::nodes::entities
