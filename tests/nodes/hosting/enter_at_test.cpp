/// Entities that enter in another process: in one that is named, or the least loaded one.
#include <gmock/gmock.h>

#include "entity/rpc/wire.hpp"
#include "tests/nodes/hosting/houses.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

/// What a manager is to those who ask where to place. (A second class of its methods cannot be
/// declared in a program, so it answers with bytes.)
struct FakeManager {
  bus::Handlers handlers() {
    bus::Handlers made;
    made.on_call = [this](bus::Call& call) {
      bus::Bytes bytes;
      entity::Encoder out(bytes);
      if (next < places.size()) {
        entity::rpc::put_reply_head(out, entity::rpc::ReplyKind::value);
        entity::put_value(out, places[next++]);
      } else {
        entity::rpc::put_reply_head(out, entity::rpc::ReplyKind::refused);
        entity::put_value(out, bus::Error(bus::Errc::no_owner, "no ready node"));
      }
      EXPECT_TRUE(call.reply(bus::ByteView(bytes)));
    };
    return made;
  }
  std::vector<std::string> places;
  std::size_t next = 0;
};

class EnterAtTest : public Houses {
 protected:
  boost::asio::awaitable<bool> begin_all() {
    const bool begun = co_await begin();
    if (!begun) co_return false;
    for (House* house : {&x, &y}) {
      bool open = false;
      house->host.open_entries([&](const bus::Result<>& done) { open = done.has_value(); });
      const bool opened = co_await until([&] { return open; });
      if (!opened) co_return false;
    }
    const bus::Handlers handlers = manager.handlers();
    const auto bound = co_await y.bus.bind("manager/cluster", handlers, use_awaitable);
    co_return bound.has_value();
  }
  Guild* roses(House& at) {
    return entity::type_cast<Guild>(at.host.entities().find_persistent("roses"));
  }
  FakeManager manager;
};

TEST_F(EnterAtTest, ANamedProcessMakesItUnlessItLivesElsewhere) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin_all());
    const auto made = co_await x.host.enter_at<Guild>("guild/roses", {.node = "b.y"});
    CO_OK(made);
    EXPECT_EQ(made->how, Entrance::made);
    EXPECT_EQ(made->entity, nullptr);
    EXPECT_EQ(made->elsewhere, "b.y");
    EXPECT_EQ(made->ref.name(), "guild/roses");
    EXPECT_NE(roses(y), nullptr);

    const auto again = co_await x.host.enter_at<Guild>("guild/roses", {.node = "b.y"});
    CO_OK(again);
    EXPECT_EQ(again->how, Entrance::present);
    // It is asked to enter here, and lives there.
    const auto here = co_await x.host.enter_at<Guild>("guild/roses", {.node = "a.x"});
    CO_OK(here);
    EXPECT_EQ(here->how, Entrance::absent);
    EXPECT_EQ(here->elsewhere, "b.y");
    // It lives here, whatever place is named.
    const auto present = co_await y.host.enter_at<Guild>("guild/roses", {.node = "a.x"});
    CO_OK(present);
    EXPECT_EQ(present->entity, roses(y));
    EXPECT_EQ(present->elsewhere, "");
  });
}

TEST_F(EnterAtTest, TheLeastLoadedNodeIsTheManagersChoice) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin_all());
    manager.places = {"b.gone", "b.y", "a.x"};
    const auto made = co_await x.host.enter_at<Guild>("guild/roses", {.least_loaded = "town"});
    CO_OK(made);
    EXPECT_EQ(made->elsewhere, "b.y") << "the first choice has gone meanwhile";
    EXPECT_NE(roses(y), nullptr);
    // The choice may be the process that asks.
    const auto here = co_await x.host.enter_at<Guild>("guild/lilies", {.least_loaded = "town"});
    CO_OK(here);
    EXPECT_EQ(here->how, Entrance::made);
    EXPECT_EQ(here->elsewhere, "");
    EXPECT_EQ(here->entity->persistent_id(), "lilies");
    const auto none = co_await x.host.enter_at<Guild>("guild/thorns", {.least_loaded = "town"});
    EXPECT_EQ(none.error(), bus::Errc::no_owner);
  });
}

TEST_F(EnterAtTest, FailuresAreTyped) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin_all());
    const auto nowhere = co_await x.host.enter_at<Guild>("guild/roses", {});
    EXPECT_EQ(nowhere.error(), bus::Errc::bad_config);
    const auto gone = co_await x.host.enter_at<Guild>("guild/roses", {.node = "b.gone"});
    EXPECT_EQ(gone.error(), bus::Errc::no_owner);
    const auto unknown =
        co_await x.host.enter_at<Guild>("guild/roses", {.node = "b.y", .make = false});
    EXPECT_EQ(unknown.error(), db::Errc::not_found);
    shelf.refuses = true;
    const auto refused = co_await x.host.enter_at<Guild>("guild/lilies", {.node = "b.y"});
    EXPECT_EQ(refused.error(), db::Errc::busy) << "why the load there failed";
    shelf.refuses = false;
    bool done = false;
    y.host.drain([&](const bus::Result<>&) { done = true; });
    const auto drains = co_await x.host.enter_at<Guild>("guild/thorns", {.node = "b.y"});
    EXPECT_EQ(drains.error(), bus::Errc::closed);
    EXPECT_TRUE(co_await until([&] { return done; }));
  });
}

TEST_F(EnterAtTest, CallersFromBothSidesGetOneEntity) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin_all());
    shelf.holds = true;
    const auto ends = std::make_shared<std::array<End, 3>>();
    const auto note = [ends](std::size_t i) {
      return [ends, i](bus::Result<Entered<Guild>> end) { (*ends)[i] = std::move(end); };
    };
    x.host.enter_at<Guild>("guild/roses", {.node = "b.y"}, note(0));
    EXPECT_TRUE(co_await until([&] { return shelf.finds == 1; }));
    y.host.enter<Guild>("guild/roses", {}, note(1));
    x.host.enter<Guild>("guild/roses", {}, note(2));
    EXPECT_TRUE(co_await until([&] { return (*ends)[2].has_value(); }));
    EXPECT_EQ((*ends)[2]->value().elsewhere, "b.y") << "its name is owned there";
    shelf.release();
    EXPECT_TRUE(co_await until([&] { return (*ends)[0] && (*ends)[1]; }));
    EXPECT_EQ((*ends)[0]->value().how, Entrance::made);
    EXPECT_EQ((*ends)[1]->value().how, Entrance::present);
    EXPECT_EQ(x.host.entities().size() + y.host.entities().size(), 1U);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
