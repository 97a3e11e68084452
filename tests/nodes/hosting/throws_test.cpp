/// A program's sink, store, completions and hooks that throw: the other entities are told and
/// saved.
#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/daemon/support.hpp"
#include "tests/nodes/hosting/hero.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class EntityThrowsTest : public bus::LoopTest, protected AudienceSink {
 protected:
  EntityThrowsTest() { host.declare<Hero>(); }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = [this](const SavedEntity& saved, const Done& done) {
      if (store_throws-- > 0) throw std::runtime_error("no disk");
      kept.push_back(saved.persistent_id);
      done({});
    };
    made.load = [this](const std::string&, const std::string&, const auto& done) {
      if (load_throws-- > 0) throw std::runtime_error("no shelf");
      done(std::optional<bus::Bytes>());
    };
    made.save_every = 0ms;
    made.sink = this;
    made.tick = 0ms;
    return made;
  }
  void news(const entity::Entity& entity, entity::Audience, bus::ByteView) override {
    told.push_back(text_of(entity.online_id()));
    if (sink_throws) throw std::runtime_error("no gate");
  }
  void gone(const entity::Entity& entity, entity::EndReason) override {
    told.push_back("gone " + text_of(entity.online_id()));
    if (sink_throws) throw std::runtime_error("no gate");
  }
  Hero* hero(const std::string& name) {
    entity::CreateOptions how;
    how.persistent_id = name;
    Hero* const made = host.entities().create_with<Hero>(how).value();
    EXPECT_TRUE(host.watch(*made, entity::Audience::own_client));
    return made;
  }

  std::uint64_t drawn = 0;
  int store_throws = 0;
  int load_throws = 0;
  bool sink_throws = false;
  std::vector<std::string> told, kept;
  daemon::test::LogCapture log;
  starbus::test::ThrownLog thrown;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a"}}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  rpc::Endpoint endpoint{bus};
  MainLoop main{loop};
  EntityHost host{endpoint, main.timers(), "x", with()};
};

TEST_F(EntityThrowsTest, ASinkThatThrowsIsToldOfEachEntityAllTheSame) {
  run([this]() -> Task {
    Hero* const first = hero("first");
    Hero* const second = hero("second");
    told.clear();
    sink_throws = true;
    first->state.gold = 1;
    second->state.gold = 1;
    host.tick();
    EXPECT_THAT(told, ElementsAre("1", "2"));
    first->state.gold = 2;
    host.tick();
    EXPECT_THAT(told, ElementsAre("1", "2", "1")) << "the next tick is whole";
    told.clear();
    first->destroy();
    second->destroy();
    EXPECT_TRUE(co_await until([this] { return host.entities().size() == 0; }));
    EXPECT_THAT(told, Contains("gone 1"));
    EXPECT_THAT(told, Contains("gone 2"));
    EXPECT_THAT(thrown.lines, Each("listener: no gate"));
    EXPECT_THAT(thrown.places, Contains("AudienceSink::gone"));
    EXPECT_THAT(kept, ElementsAre("first", "second")) << "saved all the same";
  });
}

TEST_F(EntityThrowsTest, AStoreThatThrowsIsTriedAgain) {
  run([this]() -> Task {
    Hero* const first = hero("first");
    first->state.gold = 1;
    store_throws = 1;
    bool saved = false;
    host.save_now(*first, [&](const bus::Result<>& result) { saved = result.has_value(); });
    EXPECT_TRUE(co_await until([&] { return saved; }));
    EXPECT_THAT(kept, ElementsAre("first"));
    EXPECT_THAT(thrown.lines, ElementsAre("hook: no disk"));
  });
}

TEST_F(EntityThrowsTest, ALoadThatThrowsEndsTheEnteringAndGivesTheNameUp) {
  run([this]() -> Task {
    CO_OK(co_await bus.connect(use_awaitable));
    load_throws = 1;
    const auto refused = co_await host.enter<Hero>("hero/first", {}, use_awaitable);
    EXPECT_EQ(refused.error(), bus::Errc::io_error);
    EXPECT_THAT(thrown.lines, ElementsAre("hook: no shelf"));
    while (true) {
      const auto entered = co_await host.enter<Hero>("hero/first", {}, use_awaitable);
      const bool again =  // while the name is on its way out
          entered ? entered->how == Entrance::absent : entered.error() == bus::Errc::busy;
      if (!again) {
        CO_OK(entered);
        EXPECT_EQ(entered->how, Entrance::made);
        co_return;
      }
      co_await boost::asio::post(loop, use_awaitable);
    }
  });
}

TEST_F(EntityThrowsTest, ACompletionThatThrowsLeavesTheOtherSavesAlone) {
  run([this]() -> Task {
    Hero* const first = hero("first");
    Hero* const second = hero("second");
    int completed = 0;
    for (Hero* each : {first, second, first}) {
      each->state.gold = ++completed;
      host.save_now(*each, [](const bus::Result<>&) { throw std::runtime_error("mine"); });
    }
    EXPECT_TRUE(co_await until([&] { return thrown.lines.size() == 3; }));
    EXPECT_THAT(thrown.lines, Each("completion: mine"));
    EXPECT_EQ(host.unsaved(), 0u);
    bool saved = false;
    second->state.gold = 9;
    host.save_now(*second, [&](const bus::Result<>& result) { saved = result.has_value(); });
    EXPECT_TRUE(co_await until([&] { return saved; }));
  });
}

/// Its hook throws.
class Grump final : public entity::EntityOf<Grump> {
 public:
  static constexpr std::string_view kTypeName = "grump";
  explicit Grump(const entity::ConstructKey& key) : EntityOf(key) {}

 private:
  ~Grump() override = default;
  entity::EntityResult<> on_init() override { throw std::runtime_error("not today"); }
};

TEST_F(EntityThrowsTest, AHookThatThrowsIsReportedByTypeAndHook) {
  host.declare<Grump>();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(host.entities().create<Grump>());
  EXPECT_THAT(thrown.places, ElementsAre("grump, init", "grump, init", "grump, init"));
  EXPECT_THAT(thrown.lines.front(), HasSubstr("hook_threw: not today"));
  EXPECT_THAT(log.text(), Not(HasSubstr("not today")))
      << "that is for the sink to log, at its rate";
}

}  // namespace
}  // namespace starbus::nodes::entities
