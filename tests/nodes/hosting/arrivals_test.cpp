/// Entities whose activation fails when they are owned where they arrive; names that outlive their
/// entities until these are saved.
#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>

#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/entity/timers/full_wheel.hpp"
#include "tests/nodes/hosting/hero.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using entity::OnlineId;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options, std::uint64_t first)
      : drawn(first),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with()) {
    endpoint.on_lease_lost([this] { host.lose_all(); });
    host.declare<Hero>();
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<OnlineId> { return OnlineId{++drawn}; };
    made.save = [this](SavedEntity saved, Done done) {
      kept.push_back(std::move(saved));
      hold ? held.push_back(std::move(done)) : done({});
    };
    made.save_every = 0ms;
    return made;
  }
  std::uint64_t drawn;
  bool hold = false;
  std::vector<Done> held;
  std::vector<SavedEntity> kept;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

class EntityArrivals : public bus::LoopTest {
 protected:
  EntityArrivals() { Hero::refusals = 0; }
  ~EntityArrivals() override { Hero::refusals = 0; }

  boost::asio::awaitable<bool> begin() {
    for (Place* place : {x.get(), y.get()}) {
      const auto connected = co_await place->bus.connect(use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await place->endpoint.ready(use_awaitable);
      if (!ready) co_return false;
    }
    hero = x->host.entities().create<Hero>().value();
    const bool named = co_await publish(*x, *hero, "entity/ada");
    co_return named;
  }
  boost::asio::awaitable<bool> publish(Place& at, Hero& which, std::string name) {
    auto done = std::make_shared<std::optional<bool>>();
    at.host.publish(which, std::move(name),
                    [done](const bus::Result<>& bound) { *done = bound.has_value(); });
    const bool ended = co_await until([&] { return done->has_value(); });
    co_return ended&&** done;
  }
  boost::asio::awaitable<std::string> move_to_y() {
    auto result = std::make_shared<std::optional<bus::Result<>>>();
    x->host.move(*hero, "b.y", [result](bus::Result<> done) { *result = std::move(done); });
    const bool ended = co_await until([&] { return result->has_value(); });
    if (!ended) co_return "it has not ended";
    const bool moved = (*result)->has_value();
    co_return moved ? std::string("moved") : (*result)->error().to_string();
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  std::unique_ptr<Place> x = std::make_unique<Place>(loop, cluster.node("a", "x"), 0);
  std::unique_ptr<Place> y = std::make_unique<Place>(loop, cluster.node("b", "y"), 100);
  Hero* hero = nullptr;
};

TEST_F(EntityArrivals, FailedActivationIsRetriedWhileMessagesWait) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    hero->state.gold = 5;
    Hero::refusals = 2;
    const std::string end = co_await move_to_y();
    EXPECT_EQ(end, "moved");
    EXPECT_EQ(y->host.entities().size(), 0U);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(rpc::send<&Hero::say>(x->endpoint, "entity/ada", {}, i));
    const auto earned = co_await rpc::call<&Hero::earn>(x->endpoint, "entity/ada", {}, 1);
    EXPECT_TRUE(earned && *earned == 6)
        << (earned ? "wrong" : earned.error().to_string()) << ": it was held until the hero lived";
    auto* there = y->host.entities().find_as<Hero>(OnlineId{1});
    EXPECT_NE(there, nullptr);
    if (there == nullptr) co_return;
    EXPECT_THAT(there->said, ElementsAre(0, 1, 2));
    EXPECT_EQ(y->host.counters().arrivals_late, 2U);
    EXPECT_EQ(y->host.counters().arrivals_lost, 0U);
    EXPECT_EQ(y->host.counters().moved_in, 1U);
    EXPECT_TRUE(rpc::send<&Hero::say>(x->endpoint, "entity/ada", {}, 3));
    EXPECT_TRUE(co_await until([&] { return there->said.size() == 4; }));
  });
}

// What has no timer is not kept for ever: a grant might never come, and an activation would never
// be tried again.
TEST_F(EntityArrivals, FullWheelRefusesAnArrivalAndGivesUpAStrandedOne) {
  const auto test = [this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    entity::FullWheel full(y->main.timers());
    const std::string refused = co_await move_to_y();
    EXPECT_THAT(refused, ::testing::HasSubstr("too_many_timers"));
    EXPECT_EQ(y->host.counters().arrivals_refused, 1U);
    EXPECT_EQ(y->host.entities().size(), 0U);
    EXPECT_EQ(x->host.entities().find(OnlineId{1}), hero) << "it lives on";

    hero->state.gold = 5;
    Hero::refusals = 1'000;
    full.free(1);
    const std::string end = co_await move_to_y();
    EXPECT_EQ(end, "moved") << "it is owned there, and its activation has failed";
    full.fill();
    EXPECT_TRUE(co_await until([&] { return y->host.counters().arrivals_lost == 1; }));
    EXPECT_EQ(y->host.counters().arrivals_late, 2U);
    EXPECT_TRUE(co_await until([&] { return y->kept.size() == 1; }));
    if (y->kept.size() != 1) co_return;
    HeroState read;
    EXPECT_TRUE(read.load_saved(y->kept[0].properties));
    EXPECT_EQ(read.gold.get(), 5);
  };
  run(test, std::chrono::seconds(90));  // sanitizers take most of 20 s for four million timers
}

TEST_F(EntityArrivals, OneThatNeverComesToLiveIsSavedByTheDrain) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    hero->state.gold = 5;
    Hero::refusals = 1'000;
    const std::string end = co_await move_to_y();
    EXPECT_EQ(end, "moved");
    EXPECT_TRUE(co_await until([&] { return x->host.entities().size() == 0; }));
    EXPECT_TRUE(x->kept.empty()) << "who has it now keeps it";
    EXPECT_EQ(y->host.waits_for(), "1 to be activated");
    bool drained = false;
    y->host.drain([&](const bus::Result<>&) { drained = true; });
    EXPECT_TRUE(co_await until([&] { return drained; }));
    EXPECT_EQ(y->host.counters().arrivals_lost, 1U);
    EXPECT_EQ(y->kept.size(), 1U);
    if (y->kept.size() != 1) co_return;
    HeroState read;
    EXPECT_TRUE(read.load_saved(y->kept[0].properties));
    EXPECT_EQ(read.gold.get(), 5);
    EXPECT_GT(y->kept[0].version.epoch, 0U);
  });
}

TEST_F(EntityArrivals, OneThatIsNotActivatedIsSavedWhenTheLeaseIsLost) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    hero->state.gold = 5;
    Hero::refusals = 1'000;
    const std::string end = co_await move_to_y();
    EXPECT_EQ(end, "moved");
    const std::uint64_t epoch = y->bus.epoch("entity/ada").value;
    y->host.lose_all();
    EXPECT_EQ(y->host.counters().fenced, 1U);
    EXPECT_EQ(y->kept.size(), 1U);
    if (y->kept.size() != 1) co_return;
    HeroState read;
    EXPECT_TRUE(read.load_saved(y->kept[0].properties));
    EXPECT_EQ(read.gold.get(), 5);
    EXPECT_EQ(y->kept[0].version.epoch, epoch);
  });
}

TEST_F(EntityArrivals, ANameIsFreeWhenWhatHadItIsSaved) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    x->hold = true;
    hero->state.gold = 5;
    hero->destroy();
    EXPECT_TRUE(co_await until([&] { return x->held.size() == 1; }));
    const auto gone = co_await rpc::call<&Hero::earn>(y->endpoint, "entity/ada", {}, 1);
    EXPECT_EQ(gone.error(), rpc::Errc::no_such_entity);
    const auto here = co_await rpc::call<&Hero::earn>(x->endpoint, "entity/ada", {}, 1);
    EXPECT_EQ(here.error(), rpc::Errc::no_such_entity);
    Hero* next = y->host.entities().create<Hero>().value();
    const bool early = co_await publish(*y, *next, "entity/ada");
    EXPECT_FALSE(early) << "its state is not there yet";
    x->held[0]({});
    EXPECT_TRUE(co_await until([&] { return !x->bus.epoch("entity/ada"); }));
    bool late = false;
    for (int i = 0; i < 100 && !late; ++i) late = co_await publish(*y, *next, "entity/ada");
    EXPECT_TRUE(late);
    next->destroy();
    EXPECT_TRUE(co_await until([&] { return y->kept.size() == 1; }));
    EXPECT_GT(y->kept[0].version, x->kept[0].version) << "a later owner, a later version";
  });
}

TEST_F(EntityArrivals, OneWithTwoNamesStaysWhereItIs) {
  run([this]() -> Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const bool named = co_await publish(*x, *hero, "entity/other");
    EXPECT_TRUE(named);
    const std::string end = co_await move_to_y();
    EXPECT_EQ(end.substr(0, 12), "move_refused") << end;
    EXPECT_NE(end.find("several names"), std::string::npos) << end;
    const auto earned = co_await rpc::call<&Hero::earn>(y->endpoint, "entity/other", {}, 1);
    EXPECT_TRUE(earned.has_value());
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
