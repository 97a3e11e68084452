/// What entities do to the loop of their node: it is shown while it runs, it ends where others have
/// waited for long enough, and who it is for can be told.
#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "nodes/runtime/load/what_runs.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/runtime/ticker.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/ox.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::ElementsAre;
using namespace std::chrono_literals;
using starbus::test::spin;

constexpr std::chrono::milliseconds kSlow(6);
static_assert(kSlow > kTickTime && kSlow > entity::kSettleTime);

class EntityPassesTest : public bus::LoopTest, protected AudienceSink {
 protected:
  EntityPassesTest() {
    host.declare<Ox>({.save_unnamed = true});
    Ox::heard = [this](std::string_view what) {
      note(what);
      if (what == "final" && slow) spin(kSlow);
    };
  }
  ~EntityPassesTest() override {
    Ox::heard = [](std::string_view) {};
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = [this](const SavedEntity&, const Done& done) {
      note("saved");
      if (slow) spin(kSlow);
      done({});
    };
    made.save_every = 1ms;
    made.sink = this;
    made.tick = 0ms;
    return made;
  }
  void news(const entity::Entity&, entity::Audience, bus::ByteView) override {
    note("news");
    if (slow) spin(kSlow);
  }
  void gone(const entity::Entity&, entity::EndReason) override {}
  /// What is done, and what is shown meanwhile.
  void note(std::string_view what) {
    seen.emplace_back(what);
    names.push_back(what_runs(endpoint, main.load()).name);
  }
  void post() {
    boost::asio::post(loop, [this] { note("posted"); });
  }
  Ox* ox() { return host.entities().create<Ox>().value(); }

  bool slow = true;
  std::uint64_t drawn = 0;
  std::vector<std::string> seen;
  std::vector<std::string> names;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a"}}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  rpc::Endpoint endpoint{bus};
  MainLoop main{loop};
  EntityHost host{endpoint, main.timers(), "x", with()};
};

TEST_F(EntityPassesTest, APassOfSlowEndsLetsOthersRun) {
  run([this]() -> Task {
    Ox::heard = [this](std::string_view what) {
      note(what);
      if (seen.size() == 1) post();
      spin(kSlow);
    };
    for (Ox* each : {ox(), ox(), ox()}) each->destroy();
    EXPECT_TRUE(co_await until([&] { return std::ranges::count(seen, "final") == 3; }));
    std::erase(seen, "saved");
    EXPECT_THAT(seen, ElementsAre("final", "posted", "final", "final"));
  });
}

TEST_F(EntityPassesTest, ATickOfSlowNewsLetsOthersRun) {
  run([this]() -> Task {
    for (Ox* each : {ox(), ox(), ox()}) {
      EXPECT_TRUE(host.watch(*each, entity::Audience::own_client));
      each->state.weight = 7;
    }
    seen.clear();
    post();
    host.tick();
    EXPECT_THAT(seen, ElementsAre("news"));
    EXPECT_TRUE(co_await until([&] { return std::ranges::count(seen, "news") == 3; }));
    std::erase(seen, "saved");
    EXPECT_THAT(seen, ElementsAre("news", "posted", "news", "news"));
  });
}

TEST_F(EntityPassesTest, ATickOfSlowSavesLeavesTheRestToTheNextOne) {
  run([this]() -> Task {
    for (int i = 0; i < 3; ++i) ox();
    EXPECT_EQ(host.unsaved(), 3U);
    boost::asio::steady_timer timer(loop, 5ms);
    co_await timer.async_wait(use_awaitable);
    for (std::size_t tick = 1; tick <= 3; ++tick) {
      host.tick();
      EXPECT_EQ(std::ranges::count(seen, "saved"), static_cast<std::ptrdiff_t>(tick));
    }
    slow = false;
  });
}

TEST_F(EntityPassesTest, StepsTicksAndEndsHaveNames) {
  slow = false;
  run([this]() -> Task {
    Ticker ticker(main.timers(), main.load(), 5ms);
    EXPECT_TRUE(ticker.add({.name = "entities"}, [&](const entity::Tick&) { host.tick(); }));
    Ox* const one = ox();
    EXPECT_TRUE(host.watch(*one, entity::Audience::own_client));
    seen.clear();
    names.clear();
    one->state.weight = 7;
    EXPECT_TRUE(co_await until([&] { return seen.size() >= 2; }));
    EXPECT_THAT(seen, ElementsAre("news", "saved"));
    EXPECT_THAT(names, ElementsAre("tick of entities", "tick of entities"));
    EXPECT_TRUE(one->run_later<&Ox::plough>({.first = 1ms}, 0));
    EXPECT_TRUE(co_await until([&] { return seen.size() >= 3; }));
    one->destroy();
    EXPECT_TRUE(co_await until([&] { return seen.size() >= 4; }));
    EXPECT_THAT(names, ElementsAre("tick of entities", "tick of entities", "step ox.plough",
                                   "end of entities"));
    EXPECT_EQ(endpoint.work().running(), "") << "nothing stays";
  });
}

TEST_F(EntityPassesTest, StepsCountForTheirEntityAndNotTwice) {
  run([this]() -> Task {
    Ox* const busy = ox();
    Ox* const idle = ox();
    rpc::loop_time.sample();
    boost::asio::steady_timer timer(loop, 110ms);
    co_await timer.async_wait(use_awaitable);
    rpc::loop_time.sample();
    const std::uint64_t charged = rpc::loop_time.charged;
    const std::uint64_t begun = rpc::ticks();
    EXPECT_TRUE(busy->run_later<&Ox::plough>({.first = 1ms}, 60));
    EXPECT_TRUE(idle->run_later<&Ox::plough>({.first = 1ms}, 0));
    EXPECT_TRUE(co_await until([&] { return seen.size() >= 2; }));
    const std::uint64_t passed = rpc::ticks() - begun;
    EXPECT_LE(rpc::loop_time.charged - charged, passed);
    timer.expires_after(110ms);
    co_await timer.async_wait(use_awaitable);
    rpc::loop_time.sample();
    EXPECT_GT(busy->busy_ms_per_s(), 10);
    EXPECT_LT(busy->busy_ms_per_s(), 1000);
    EXPECT_GT(busy->busy_ms_per_s(), 5 * idle->busy_ms_per_s());
    const auto shown = host.entities().describe(*busy);
    EXPECT_NEAR(shown["busy_ms_per_s"].get<double>(), busy->busy_ms_per_s(), 0.001);
    const double by_type = static_cast<double>(host.entities().rows().front().step_ticks);
    EXPECT_GE(by_type * endpoint.work().nanoseconds_per_tick() / 1e6, 60);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
