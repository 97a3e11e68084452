/// Entities whose move is rolled back: what the target has stored meanwhile is not lost.
#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "entity/properties/properties.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/shelf.hpp"
#include "tests/nodes/hosting/town.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using entity::OnlineId;
using namespace std::chrono_literals;

std::function<void()> arrived;  // a chest lives where it has come to
std::string ended;              // how one has ended that lives no more

struct ChestState : entity::Properties<ChestState> {
  entity::Field<int, entity::Flags::save> gold{this, "gold", 3};
};
class Chest final : public entity::EntityOf<Chest> {
 public:
  static constexpr std::string_view kTypeName = "chest";
  explicit Chest(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  ChestState state;

 private:
  ~Chest() override = default;
  entity::EntityResult<> on_after_move(entity::Decoder* in) override {
    moved_ = in != nullptr;
    return {};
  }
  entity::EntityResult<> on_activate() override {
    if (!moved_) return {};
    state.gold += 2;
    arrived();
    return {};
  }
  void on_final(entity::EndReason why) override { ended = name_of(why); }
  bool moved_ = false;
};

struct House {
  House(boost::asio::io_context& loop, const bus::Options& options, std::uint64_t first,
        Shelf::Documents& documents)
      : shelf(loop, documents), town(loop, options, first, with(saver)) {
    town.host.declare<Chest>({.save_when = SaveWhen::every_change});
  }
  static HostOptions with(DbSaver& saver) {
    HostOptions how;
    how.save = saver.store();
    return how;
  }
  Shelf shelf;
  DbSaver saver{shelf};
  Town town;
};

class EntityRollback : public bus::LoopTest {
 protected:
  ~EntityRollback() override {
    x.reset();
    y.reset();
  }

  /// A chest with 3 of gold lives at x, and is stored.
  boost::asio::awaitable<bool> begin() {
    ended.clear();
    arrived = [this] { cluster.crash_root(); };  // before the source has heard that it has left
    for (House* house : {x.get(), y.get()}) {
      const auto connected = co_await house->town.bus.connect(use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await house->town.endpoint.ready(use_awaitable);
      if (!ready) co_return false;
    }
    chest = x->town.host.entities().create<Chest>().value();
    x->town.host.publish(*chest, [](const bus::Result<>&) {});
    co_return co_await until([&] { return gold_stored() == 3; });
  }
  /// It moves to y, which dies when `done` holds there; then busroot comes back.
  template <class Holds>
  boost::asio::awaitable<bool> roll_back(Holds done) {
    x->town.host.move(*chest, "b.y", [this](bus::Result<> end) { moved = std::move(end); });
    const bool lived = co_await until(done);
    if (!lived) co_return false;
    y.reset();
    cluster.start_root();
    co_return co_await until([&] { return moved.has_value(); });
  }
  int gold_stored() const {
    if (documents.empty()) return 0;
    const db::Json& document = documents.begin()->second;
    const auto found = document.find("saved");
    if (found == document.end()) return 0;
    const auto& bytes = found->get_binary();
    ChestState state;
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    return state.load_saved({first, bytes.size()}) ? state.gold.get() : -1;
  }
  std::string version() const { return documents.begin()->second.at("version"); }

  // The source waits for its target longer than the lease of other tests lasts.
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Shelf::Documents documents;
  std::unique_ptr<House> x = std::make_unique<House>(loop, cluster.node("a", "x"), 0, documents);
  std::unique_ptr<House> y = std::make_unique<House>(loop, cluster.node("b", "y"), 100, documents);
  Chest* chest = nullptr;
  std::optional<bus::Result<>> moved;
};

TEST_F(EntityRollback, WhatTheTargetHasStoredStaysAndTheCopyEnds) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const bool rolled = co_await roll_back([&] { return gold_stored() == 5; });
    EXPECT_TRUE(rolled);
    if (!rolled) co_return;
    EXPECT_EQ(moved->error(), bus::Errc::rolled_back) << moved->error().to_string();
    const bool gone = co_await until([&] { return x->town.host.entities().size() == 0; });
    EXPECT_TRUE(gone);
    EXPECT_EQ(ended, "fenced");
    EXPECT_EQ(x->town.host.counters().overtaken, 1U);
    EXPECT_EQ(gold_stored(), 5);
    // When the store has refused what it left, too, its name is free.
    bool free = false;
    bool asks = false;
    auto* const next = x->town.host.entities().create<Chest>().value();
    const bool owned = co_await until([&] {
      if (!free && !std::exchange(asks, true)) {
        x->town.host.publish(*next, "entity/1", [&](const bus::Result<>& done) {
          free = done.has_value();
          asks = false;
        });
      }
      return free;
    });
    EXPECT_TRUE(owned) << "whoever needs it can load it";
  });
}

/// Until it is known that nothing was stored meanwhile it does not move: elsewhere its state would
/// be that of a later owner, and replace anything.
TEST_F(EntityRollback, OfWhichNothingWasStoredTheCopyGoesOn) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const std::string before = version();
    y->shelf.refuses = true;
    x->shelf.holds = true;
    const bool rolled = co_await roll_back(
        [&] { return y->town.host.entities().find_as<Chest>(OnlineId{1}) != nullptr; });
    EXPECT_TRUE(rolled);
    if (!rolled) co_return;
    EXPECT_EQ(moved->error(), bus::Errc::rolled_back) << moved->error().to_string();
    std::optional<Code> end;
    const auto move = [&] {
      end.reset();
      x->town.host.move(*chest, "b.y", [&](const bus::Result<>& done) {
        end = done ? Code(bus::Errc::ok) : done.error().code;
      });
    };
    move();
    const bool refused = co_await until([&] { return end.has_value(); });
    EXPECT_TRUE(refused && end == Code(bus::Errc::busy));
    x->shelf.release();
    const bool stored = co_await until([&] { return version() > before; });
    EXPECT_TRUE(stored) << "though it has not changed: to know whether it is the latest";
    EXPECT_EQ(gold_stored(), 3);
    move();
    const bool tried = co_await until([&] { return end.has_value(); });
    EXPECT_TRUE(tried && end == Code(bus::Errc::no_owner)) << "there is no y any more";
    chest->state.gold = 4;
    const bool saved = co_await until([&] { return gold_stored() == 4; });
    EXPECT_TRUE(saved);
    EXPECT_EQ(chest->life(), entity::EntityState::alive);
    EXPECT_EQ(x->town.host.counters().overtaken, 0U);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
