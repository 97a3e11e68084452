/// Two processes on two hosts, a market, and diggers that move between the two.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/digger.hpp"
#include "tests/nodes/hosting/town.hpp"

namespace starbus::nodes::entities {

class TwoTowns : public bus::LoopTest {
 protected:
  explicit TwoTowns(HostOptions how = {}) : options(std::move(how)) { tally = &all; }
  ~TwoTowns() override {
    x.reset();
    y.reset();
  }

  static void declare_in(Town& town) {
    entity::TimerWheel& wheel = town.main.timers();
    town.host.declare<Digger>(
        [&wheel](const entity::ConstructKey& key) { return Digger::construct(key, wheel); });
  }
  boost::asio::awaitable<bool> connect() {
    for (Town* town : {x.get(), y.get()}) {
      declare_in(*town);
      const auto connected = co_await town->bus.connect(boost::asio::use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await town->endpoint.ready(boost::asio::use_awaitable);
      if (!ready) co_return false;
    }
    const auto bound =
        co_await y->endpoint.bind("service/market", market, boost::asio::use_awaitable);
    co_return bound.has_value();
  }
  /// Null: it could not be published.
  boost::asio::awaitable<Digger*> settle_one(Town& town) {
    auto made = town.host.entities().create_by_name("digger");
    if (!made) co_return nullptr;
    auto* digger = static_cast<Digger*>(*made);
    std::optional<bool> published;
    town.host.publish(*digger, [&](const bus::Result<>& done) { published = done.has_value(); });
    const bool come = co_await until([&] { return published.has_value(); });
    co_return come&&* published ? digger : nullptr;
  }
  /// "" while it is under way, "moved", or an error's text.
  using End = std::shared_ptr<std::string>;
  End start_move(Digger& digger, Town& to, const MoveOptions& how = {}) {
    Town& from = &to == x.get() ? *y : *x;
    const End end = std::make_shared<std::string>();
    from.host.move(digger, &to == x.get() ? "a.x" : "b.y", how, [end](const bus::Result<>& moved) {
      *end = moved ? "moved" : moved.error().to_string();
    });
    return end;
  }
  boost::asio::awaitable<std::string> ended(End end) {
    const bool come = co_await until([&end] { return !end->empty(); });
    co_return come ? *end : "it has not ended";
  }
  /// One turn of the loop.
  boost::asio::awaitable<void> turn() {
    boost::asio::steady_timer next(loop);
    next.expires_after(std::chrono::milliseconds(0));
    co_await next.async_wait(boost::asio::use_awaitable);
  }
  /// Until it is frozen; false: its move has ended before.
  boost::asio::awaitable<bool> frozen(Town& town, entity::OnlineId id, End end) {
    while (end->empty() && town.host.entities().find(id) != nullptr) co_await turn();
    co_return town.host.entities().find_here(id) != nullptr && end->empty();
  }
  Digger* find(entity::OnlineId id) {
    Digger* here = x->host.entities().find_as<Digger>(id);
    return here != nullptr ? here : y->host.entities().find_as<Digger>(id);
  }
  /// In the treasury, and with all who live: the same at all times when none moves.
  int gold_of_the_world() {
    int sum = all.treasury;
    for (Town* town : {x.get(), y.get()}) {
      town->host.entities().for_each<Digger>([&](Digger& each) { sum += each.state.gold; });
    }
    return sum;
  }

  Tally all;
  const int whole = all.treasury;
  HostOptions options;
  Market market;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  std::unique_ptr<Town> x = std::make_unique<Town>(loop, cluster.node("a", "x"), 0, options);
  std::unique_ptr<Town> y = std::make_unique<Town>(loop, cluster.node("b", "y"), 1'000, options);
};

}  // namespace starbus::nodes::entities
