/// Processes whose guilds enter by name, and are kept on one shelf.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "nodes/hosting/db_saver.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/guild.hpp"
#include "tests/nodes/hosting/shelf.hpp"

namespace starbus::nodes::entities {

/// A process whose guilds are kept on a shelf.
struct House {
  House(boost::asio::io_context& loop, const bus::Options& options, Shelf& shelf,
        std::uint64_t first)
      : drawn(first),
        saver(shelf),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with()) {
    host.declare<Guild>();
    host.world().add<db::Database>(shelf);
    host.world().add(saver);
    endpoint.on_lease_lost([this] { host.lose_all(); });
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = saver.store();
    made.load = saver.loader();
    made.tick = std::chrono::milliseconds(5);
    return made;
  }
  std::uint64_t drawn;
  DbSaver saver;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

/// Two of them, on two hosts, with one shelf.
class Houses : public bus::LoopTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    for (House* house : {&x, &y}) {
      const auto connected = co_await house->bus.connect(boost::asio::use_awaitable);
      if (!connected) co_return false;
    }
    co_return true;
  }
  using End = std::optional<bus::Result<Entered<Guild>>>;
  std::shared_ptr<End> enter(House& at, const std::string& name, const EnterOptions& how = {}) {
    auto end = std::make_shared<End>();
    at.host.enter<Guild>(name, how,
                         [end](bus::Result<Entered<Guild>> entered) { *end = std::move(entered); });
    EXPECT_FALSE(end->has_value()) << "in a later turn of the loop";
    return end;
  }
  boost::asio::awaitable<bool> ended(const std::shared_ptr<End>& end) {
    return until([end] { return end->has_value(); });
  }

  /// Asks again while the name, or a former life, is still on its way out of a process.
  boost::asio::awaitable<bus::Result<Entered<Guild>>> enter_freed(House& at, std::string name,
                                                                  EnterOptions how = {}) {
    boost::asio::steady_timer pause(loop);
    while (true) {
      auto end = co_await at.host.enter<Guild>(name, how, boost::asio::use_awaitable);
      const bool again = end ? end->how == Entrance::absent : end.error() == bus::Errc::busy;
      if (!again) co_return end;
      pause.expires_after(std::chrono::milliseconds(2));
      co_await pause.async_wait(boost::asio::use_awaitable);
    }
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}, .lease = bus::from_ms(2'000)}};
  Shelf shelf{loop};
  House x{loop, cluster.node("a", "x"), shelf, 0};
  House y{loop, cluster.node("b", "y"), shelf, 100};
};

}  // namespace starbus::nodes::entities
