/// Chaos of game code: timers, closures, methods, hooks, coroutines, listeners, functions of the
/// tick, completions, handlers and deadlines that throw at random under load. Nothing leaves the
/// loop, each throw is counted once under its kind, and no message is lost, doubled or out of
/// order. A fixed count of events; STARBUS_LONG=1: for 60 s.
#include <gmock/gmock.h>

#include <array>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <map>
#include <vector>

#include "entity/events/dispatcher.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "nodes/runtime/tasks/task_channels.hpp"
#include "nodes/runtime/ticker.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/wild_imp.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::entities::wild {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

constexpr std::size_t kImps = 8;
constexpr int kRounds = 300;
constexpr int kPerRound = 4;  // messages of each sort, for each imp

struct Bell {};

/// What the sink of this thread heard, by kind.
class Heard final : public ThrownSink {
 public:
  void thrown(UnitKind kind, std::string_view, std::string_view) noexcept override {
    ++counts_[static_cast<std::size_t>(kind)];
  }
  std::uint64_t of(UnitKind kind) const { return counts_.at(static_cast<std::size_t>(kind)); }

 private:
  std::array<std::uint64_t, kUnitKinds> counts_{};
};

/// Ends of calls: each exactly once.
struct Ends {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
};

class WildCodeTest : public bus::LoopTest, protected AudienceSink {
 protected:
  struct Place {
    Place(boost::asio::io_context& loop, const bus::Options& options, HostOptions with)
        : bus(loop, options),
          main(loop),
          host(endpoint, main.timers(), options.node, std::move(with)) {
      host.declare<Imp>();
      host.declare<Mayfly>();
    }
    bus::Bus bus;
    rpc::Endpoint endpoint{bus};
    MainLoop main;
    TaskChannels tasks{main, {.workers = 2}};
    Ticker ticks{main.timers(), main.load(), 1ms};
    EntityHost host;
  };

  WildCodeTest() { wild::ledger = &ledger; }
  ~WildCodeTest() override { wild::ledger = nullptr; }

  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.sink = this;
    made.tick = 1ms;
    return made;
  }
  void news(const entity::Entity&, entity::Audience, bus::ByteView) override {
    ++told;
    ledger.maybe(UnitKind::listener);
  }

  /// What goes on by itself while the rounds run.
  void stir() {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(a.main.timers().every(timers, 1ms, 1ms, entity::CatchUp::once, [this] {
        ++fired;
        ledger.maybe(UnitKind::timer);
      }));
      EXPECT_TRUE(a.ticks.add({.name = "wild"}, [this](const entity::Tick&) {
        ++ticked;
        ledger.maybe(UnitKind::tick);
      }));
      EXPECT_TRUE(bell.add([this](const Bell&) {
        ++rung;
        ledger.maybe(UnitKind::listener);
      }));
    }
  }

  template <auto M>
  void ask(Place& from, std::size_t imp, Stream& stream, Ends& ends) {
    const std::uint64_t number = stream.next();
    ++ends.begun;
    rpc::call<M>(from.endpoint, names[imp], {}, number)([this, number, &ends](const auto& reply) {
      ++ends.ended;
      if (reply) {
        EXPECT_EQ(*reply, number);
      } else {
        EXPECT_EQ(reply.error(), rpc::Errc::failed) << reply.error().to_string();
      }
      ledger.maybe(UnitKind::completion);
    });
  }

  /// One round of load: from the other host, within the process, and by the bus alone.
  void round() {
    for (std::size_t i = 0; i < kImps; ++i) {
      for (int j = 0; j < kPerRound; ++j) {
        EXPECT_TRUE(rpc::send<&Imp::hit>(b.endpoint, names[i], {}, imps[i]->hits.next()));
        ask<&Imp::ask>(a, i, imps[i]->asks, local);
        ask<&Imp::ponder>(b, i, imps[i]->ponders, remote);
      }
      EXPECT_TRUE(rpc::spawn(a.endpoint, *imps[i], imps[i]->dream(a.endpoint)));
      ++dreams;
    }
    for (int j = 0; j < 10 * kPerRound; ++j) {
      EXPECT_TRUE(b.bus.send("raw/x", std::to_string(raw.next())));
      EXPECT_TRUE(a.main.post("wild", [this, number = posted.next()] {
        posted.got(number);
        ledger.maybe(UnitKind::closure);
      }));
    }
    ++tasks.begun;
    EXPECT_TRUE(a.tasks.submit(
        "wild", [] { return 1; },
        [this](bus::Result<int>) {
          ++tasks.ended;
          ledger.maybe(UnitKind::closure);  // completions of tasks come as closures
        }));
    if (const auto fly = a.host.entities().create<Mayfly>()) {
      ++flies;
      (*fly)->destroy();
    }
    EXPECT_EQ(*bell.dispatch({}), 3u);
    ++rings;
  }

  bool settled() const {
    bool all = posted.last == posted.sent && raw.last == raw.sent && local.ended == local.begun &&
               remote.ended == remote.begun && tasks.ended == tasks.begun;
    std::uint64_t dreamt = 0;
    for (const Imp* imp : imps) {
      all = all && imp->hits.last == imp->hits.sent;
      dreamt += imp->dreams;
    }
    return all && dreamt == dreams;
  }

  Ledger ledger{20'261'126};
  Heard heard;
  std::uint64_t drawn = 100;
  std::uint64_t told = 0, fired = 0, ticked = 0, rung = 0, rings = 0, dreams = 0, flies = 0;
  Stream posted, raw;
  Ends local, remote, tasks;
  std::vector<Imp*> imps;
  std::vector<std::string> names;
  entity::Dispatcher<Bell> bell;
  entity::TimerOwner timers;
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Place a{loop, cluster.node("a", "x"), with()};
  Place b{loop, cluster.node("b", "y"), with()};
};

TEST_F(WildCodeTest, NothingEndsEachThrowIsCountedAndNoMessageIsLostOrDoubled) {
  const auto limit = starbus::long_runs() ? 120s : 60s;
  run(
      [this]() -> Task {
        CO_OK(co_await a.bus.connect(use_awaitable));
        CO_OK(co_await b.bus.connect(use_awaitable));
        CO_OK(co_await a.endpoint.ready(use_awaitable));
        bus::Handlers handlers;
        handlers.on_message = [this](bus::Message& message) {
          raw.got(std::stoull(std::string(bus::as_text(message.body()))));
          ledger.maybe(UnitKind::message);
        };
        CO_OK(co_await a.bus.bind("raw/x", handlers, use_awaitable));
        for (std::size_t i = 0; i < kImps; ++i) {
          imps.push_back(*a.host.entities().create<Imp>());
          names.push_back(EntityHost::channel_of(imps.back()->online_id()));
          CO_OK(co_await a.host.publish(*imps.back(), use_awaitable));
          EXPECT_TRUE(a.host.watch(*imps.back(), entity::Audience::own_client));
        }
        Moods moods("moods", *imps.front(), a.main.timers());
        EXPECT_TRUE(moods.start());
        stir();
        const auto end = std::chrono::steady_clock::now() + 60s;
        for (int i = 0;
             i < kRounds || (starbus::long_runs() && std::chrono::steady_clock::now() < end); ++i) {
          round();
          EXPECT_TRUE(co_await until(30s, [this] { return settled(); }));
          if (HasFailure()) break;
        }
        timers.cancel_all();
        moods.clear_deadline();
        EXPECT_TRUE(co_await until([this] { return a.host.entities().size() == kImps; }));
      },
      limit);

  for (const Imp* imp : imps) {
    for (const Stream* stream : {&imp->hits, &imp->asks, &imp->ponders}) {
      EXPECT_EQ(stream->wrong, 0u);
      EXPECT_EQ(stream->last, stream->sent);
    }
  }
  EXPECT_EQ(posted.wrong, 0u);
  EXPECT_EQ(raw.wrong, 0u);
  EXPECT_EQ(rung, 3 * rings);
  EXPECT_GT(flies, 0u);
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto kind = static_cast<UnitKind>(i);
    EXPECT_EQ(heard.of(kind), ledger.thrown(kind)) << name_of(kind);
  }
  for (const UnitKind kind :
       {UnitKind::message, UnitKind::method, UnitKind::coroutine, UnitKind::completion,
        UnitKind::timer, UnitKind::closure, UnitKind::tick, UnitKind::listener, UnitKind::hook,
        UnitKind::deadline}) {
    EXPECT_GT(ledger.thrown(kind), 20u) << name_of(kind);
    EXPECT_GT(ledger.chances(kind), ledger.thrown(kind)) << name_of(kind);
  }
  std::map<std::string, std::uint64_t> by_method;
  for (const rpc::MethodInfo* method : a.endpoint.dictionary().methods()) {
    const std::uint64_t threw = a.endpoint.work().of(*method).threw;
    if (threw != 0) by_method[method->full_name()] = threw;
  }
  EXPECT_EQ(by_method, ledger.thrown_in());
}

}  // namespace
}  // namespace starbus::nodes::entities::wild
