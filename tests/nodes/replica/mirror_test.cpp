/// Publisher and mirrors over a bus within this process.
#include "nodes/replica/mirror.hpp"

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <set>

#include "nodes/replica/publisher.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::nodes::replica {
namespace {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

struct Text final : Replica {
  bool restore(bus::ByteView snapshot) override {
    text = bus::as_text(snapshot);
    return true;
  }
  bool apply(bus::ByteView delta) override {
    text += bus::as_text(delta);
    return true;
  }
  std::string text;
};

/// An object with state that others mirror.
class Board final : public rpc::Callable<Board> {
 public:
  Board(rpc::Endpoint& endpoint, bus::Epoch epoch, std::string text)
      : text_(std::move(text)), publisher(endpoint, epoch, [this] {
          const bus::ByteView bytes = bus::as_bytes(text_);
          return bus::Bytes(bytes.begin(), bytes.end());
        }) {
    EXPECT_TRUE(attach(publisher));
  }
  ~Board() { close_rpc(); }
  void add(const std::string& more) {
    text_ += more;
    publisher.publish(bus::as_bytes(more));
  }
  int size(rpc::Caller&) { return static_cast<int>(text_.size()); }
  const std::string& text() const { return text_; }
  static constexpr auto kRpc = rpc::methods("test_board", rpc::method<&Board::size>("size"));

 private:
  std::string text_;

 public:
  Publisher publisher;
};

/// Says which version it is asked for.
class Source final : public rpc::Callable<Source> {
 public:
  explicit Source(rpc::Endpoint& endpoint)
      : publisher(endpoint, bus::Epoch{1}, Publisher::State([](bus::ByteView have) {
                    const std::string state = "since " + std::string(bus::as_text(have));
                    const bus::ByteView bytes = bus::as_bytes(state);
                    return bus::Bytes(bytes.begin(), bytes.end());
                  })) {
    EXPECT_TRUE(attach(publisher));
  }
  ~Source() { close_rpc(); }
  int size(rpc::Caller&) { return 0; }
  static constexpr auto kRpc = rpc::methods("test_source", rpc::method<&Source::size>("size"));
  Publisher publisher;
};

struct Process {
  Process(boost::asio::io_context& loop, const bus::Options& options)
      : bus(loop, options), main(loop) {}
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
};

class MirrorTest : public bus::LoopTest {
 protected:
  boost::asio::awaitable<std::unique_ptr<Process>> process(const std::string& host,
                                                           const std::string& name) {
    auto made = std::make_unique<Process>(loop, cluster.node(host, name));
    const auto connected = co_await made->bus.connect(use_awaitable);
    EXPECT_TRUE(connected);
    co_return made;
  }
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
};

TEST_F(MirrorTest, FollowsThroughRestartsOfDaemonsAndOfThePublisher) {
  run(
      [this]() -> Task {
        const auto owner = co_await process("a", "owner");
        const auto reader = co_await process("b", "reader");
        Text far;
        Text near;
        Mirror mirror(reader->endpoint, reader->main.timers(), "entity/board", far);
        Mirror local(owner->endpoint, owner->main.timers(), "entity/board", near);
        EXPECT_FALSE(mirror.status().has_state);
        EXPECT_EQ(mirror.status().age, -1ms);
        {
          Board board(owner->endpoint, bus::Epoch{1}, "start ");
          CO_OK(co_await owner->endpoint.bind("entity/board", board, use_awaitable));
          const auto same = [&] {
            return mirror.status().current && local.status().current && far.text == board.text() &&
                   near.text == board.text();
          };
          EXPECT_TRUE(co_await until(same));
          for (int i = 0; i < 1'000; ++i) board.add(std::to_string(i) + ",");
          EXPECT_TRUE(co_await until(same));
          EXPECT_EQ(board.publisher.mirrors(), 2u);
          EXPECT_EQ(mirror.counters().deltas, 1'000u) << "each change, and no second snapshot";
          cluster.crash_busd("b");
          for (int i = 0; i < 1'000; ++i) board.add(std::to_string(i) + ";");
          cluster.start_busd("b");
          EXPECT_TRUE(co_await until(same));
          board.add(std::string(kMaxDelta + 1, 'x'));  // comes with a snapshot
          EXPECT_TRUE(co_await until(same));
          EXPECT_EQ(board.publisher.counters().too_large, 1u);
        }
        // The mirror knows as soon as this process does, and not when an answer is overdue.
        std::optional<bool> current;
        const auto ended = [&](const bus::WatchUpdate& update) {
          for (const bus::WatchRow& row : update.changes) {
            if (row.present) continue;
            boost::asio::post(loop, [&] { current = mirror.status().current; });
          }
        };
        const auto watch = reader->bus.watch("entity/board", ended, [](const bus::Error&) {});
        EXPECT_TRUE(watch);
        CO_OK(co_await owner->endpoint.unbind("entity/board", use_awaitable));
        EXPECT_TRUE(co_await until([&] { return current.has_value(); }));
        EXPECT_EQ(current, false);
        EXPECT_FALSE(mirror.status().current);
        EXPECT_TRUE(mirror.status().has_state) << "old, and that shows";
        Board next(reader->endpoint, bus::Epoch{2}, "next");
        CO_OK(co_await reader->endpoint.bind("entity/board", next, use_awaitable));
        EXPECT_TRUE(co_await until(
            [&] { return mirror.status().current && far.text == "next" && near.text == "next"; }));
      },
      80s);
}

// A process that is not the publisher sends changes of a stream that no true publisher will reach.
TEST_F(MirrorTest, TakesChangesFromTheOwnerOfThePublishersNameOnly) {
  run(
      [this]() -> Task {
        const auto owner = co_await process("a", "owner");
        const auto reader = co_await process("b", "reader");
        const auto attacker = co_await process("a", "attacker");
        Text copy;
        Mirror mirror(reader->endpoint, reader->main.timers(), "entity/board", copy);
        Board board(owner->endpoint, bus::Epoch{1}, "start ");
        CO_OK(co_await owner->endpoint.bind("entity/board", board, use_awaitable));
        const auto same = [&] { return mirror.status().current && copy.text == board.text(); };
        EXPECT_TRUE(co_await until(same));
        const Stream endless{~std::uint64_t{0}, ~std::uint64_t{0}};
        const std::string name = std::string(kMirrors) + "b.reader";
        for (const Position& at :
             {Position{endless, 1}, Position{board.publisher.at().stream, 1}}) {
          const std::vector<std::string> boards{"entity/board"};
          const std::vector<Position> positions{Position{at.stream, at.seq + 7}};
          (void)rpc::send<&Exchange::positions>(attacker->endpoint, name, {}, boards, positions);
          (void)rpc::send<&Exchange::delta>(attacker->endpoint, name, {}, "entity/board", at,
                                            "forged");
        }
        EXPECT_TRUE(co_await until([&] { return mirror.counters().strangers == 2; }));
        EXPECT_EQ(copy.text, "start ");
        board.add("more");
        EXPECT_TRUE(co_await until(same)) << copy.text;
        EXPECT_EQ(mirror.counters().streams, 1U);
      },
      80s);
}

/// A role that may bind no name of a mirror.
TEST_F(MirrorTest, RefusedNameIsLoggedOnceAndRetriedLater) {
  bus::Role role;
  role.name = "node";
  role.bind = {"entity/"};
  starbus::testing::Cluster strict(loop, {.hosts = {"a"}, .access = bus::AccessList({role})});
  daemon::test::LogCapture log;
  run([&]() -> Task {
    Process reader(loop, strict.node("a", "reader"));
    CO_OK(co_await reader.bus.connect(use_awaitable));
    Text text;
    Mirror mirror(reader.endpoint, reader.main.timers(), "entity/board", text);
    EXPECT_TRUE(co_await until([&] { return log.text().find("denied") != std::string::npos; }));
    boost::asio::steady_timer timer(loop, 300ms);
    co_await timer.async_wait(use_awaitable);
    const auto lines = daemon::test::lines_of(log.text());
    EXPECT_EQ(std::ranges::count_if(
                  lines, [](const auto& line) { return line.find("denied") != std::string::npos; }),
              1);
  });
}

TEST_F(MirrorTest, MirrorWithFullWindowCatchesUp) {
  run(
      [this]() -> Task {
        const auto owner = co_await process("a", "owner");
        const auto reader = co_await process("b", "reader");
        Board board(owner->endpoint, bus::Epoch{1}, "");
        CO_OK(co_await owner->endpoint.bind("entity/board", board, use_awaitable));
        Text text;
        Mirror mirror(reader->endpoint, reader->main.timers(), "entity/board", text);
        EXPECT_TRUE(co_await until([&] { return mirror.status().current; }));
        // In one turn of the loop, so nobody can take anything: more than a window.
        const std::string large(100'000, 'y');
        for (int i = 0; i < 30; ++i) board.add(large);
        EXPECT_GT(board.publisher.counters().missed, 0u);
        const auto same = [&] { return mirror.status().current && text.text == board.text(); };
        EXPECT_TRUE(co_await until(same)) << name_of(mirror.status().problem);
        EXPECT_GT(mirror.counters().snapshots, 1u);
      },
      60s);
}

TEST_F(MirrorTest, AStateBeyondTheLimitIsSaid) {
  run(
      [this]() -> Task {
        const auto owner = co_await process("a", "owner");
        const auto reader = co_await process("b", "reader");
        Board board(owner->endpoint, bus::Epoch{1}, std::string(kMaxSnapshot, 'z'));
        CO_OK(co_await owner->endpoint.bind("entity/board", board, use_awaitable));
        Text text;
        Mirror mirror(reader->endpoint, reader->main.timers(), "entity/board", text);
        EXPECT_TRUE(co_await until(30s, [&] { return mirror.status().current; }))
            << name_of(mirror.status().problem);
        EXPECT_EQ(text.text.size(), kMaxSnapshot);
        Text other;
        board.add("!");
        Mirror late(reader->endpoint, reader->main.timers(), "entity/board", other);
        EXPECT_TRUE(co_await until([&] { return late.status().problem == Errc::too_large; }));
        EXPECT_FALSE(late.status().has_state);
        EXPECT_TRUE(co_await until([&] { return text.text == board.text(); }))
            << "who has it goes on with changes";
      },
      80s);
}

TEST_F(MirrorTest, PublisherAcceptsOnlyMirrorNamesUpToLimit) {
  run([this]() -> Task {
    const auto owner = co_await process("a", "owner");
    Board board(owner->endpoint, bus::Epoch{1}, "");
    rpc::Caller nobody;
    const std::string as = "entity/board";
    EXPECT_EQ(board.publisher.follow(nobody, "entity/1", as).error(), Errc::bad_name);
    EXPECT_EQ(board.publisher.follow(nobody, "mirror/", as).error(), Errc::bad_name);
    EXPECT_EQ(board.publisher.follow(nobody, "mirror/a.x", "").error(), Errc::bad_name);
    for (std::size_t i = 0; i < kMaxMirrors; ++i) {
      EXPECT_TRUE(board.publisher.follow(nobody, "mirror/a.x" + std::to_string(i), as));
    }
    EXPECT_EQ(board.publisher.snapshot(nobody, "mirror/a.y", as, "").error(),
              Errc::too_many_mirrors);
    EXPECT_EQ(board.publisher.follow(nobody, "mirror/a.y", "entity/other").error(),
              Errc::too_many_mirrors)
        << "under whatever name";
    EXPECT_TRUE(board.publisher.follow(nobody, "mirror/a.x1", as)) << "one that it has";
  });
}

/// A thousand mirrors of a thousand publishers of one process.
TEST_F(MirrorTest, ManyMirrorsCostOneNameOneTimerAndAQuestionForAllOfThem) {
  run(
      [this]() -> Task {
        const auto owner = co_await process("a", "owner");
        const auto reader = co_await process("b", "reader");
        std::set<std::string> names;
        const auto watch = reader->bus.watch("mirror/", [&](const bus::WatchUpdate& update) {
          for (const bus::WatchRow& row : update.changes) {
            if (row.present) names.insert(row.name);
          }
        });
        EXPECT_TRUE(watch);
        constexpr std::size_t kMany = 1'000;
        std::vector<std::unique_ptr<Board>> boards;
        std::vector<std::unique_ptr<Text>> texts;
        std::vector<std::unique_ptr<Mirror>> mirrors;
        std::size_t bound = 0;
        for (std::size_t i = 0; i < kMany; ++i) {
          const std::string name = "entity/b" + std::to_string(i);
          boards.push_back(std::make_unique<Board>(owner->endpoint, bus::Epoch{1}, name));
          owner->endpoint.bind(name, *boards.back(), [&](const bus::Result<bus::Bound>& done) {
            if (done) ++bound;
          });
        }
        EXPECT_TRUE(co_await until([&] { return bound == kMany; }));
        const std::size_t timers = reader->main.timers().size();
        for (std::size_t i = 0; i < kMany; ++i) {
          texts.push_back(std::make_unique<Text>());
          mirrors.push_back(std::make_unique<Mirror>(reader->endpoint, reader->main.timers(),
                                                     "entity/b" + std::to_string(i),
                                                     *texts.back()));
        }
        EXPECT_EQ(reader->main.timers().size(), timers + 1);
        const auto all = [&] {
          return std::ranges::all_of(mirrors,
                                     [](const auto& each) { return each->status().current; });
        };
        EXPECT_TRUE(co_await until(20s, all));
        auto exchange = Exchange::of(reader->endpoint);
        EXPECT_LE(exchange->watches(), kOwnerWatches + 1) << "and one for the process";
        const auto looks = exchange->counters().looks;
        const auto fired = reader->main.counters().timers;
        const auto questions = exchange->counters().questions;
        for (const auto& board : boards) board->add("!");
        const auto told = [&] {
          for (std::size_t i = 0; i < kMany; ++i) {
            if (texts[i]->text != boards[i]->text()) return false;
          }
          return true;
        };
        EXPECT_TRUE(co_await until(20s, told));
        // Their positions come to be asked for, and all stay current by that alone.
        const auto asked = [&] { return exchange->counters().looks >= looks + 30 && all(); };
        EXPECT_TRUE(co_await until(20s, asked));
        const auto passed = exchange->counters().looks - looks;
        EXPECT_LE(reader->main.counters().timers - fired, passed + 30) << "others among them";
        EXPECT_LE(exchange->counters().questions - questions, passed + 2)
            << "one to a process in a look, but for kFollowBatch";
        EXPECT_GE(Exchange::of(owner->endpoint)->counters().answers, 1U);
        EXPECT_EQ(names, (std::set<std::string>{"mirror/a.owner", "mirror/b.reader"}));
        EXPECT_TRUE(std::ranges::all_of(mirrors, [](const auto& each) {
          return each->counters().snapshots == 1;
        })) << "changes come one by one";
        // An end is seen, whether or not its own name is watched.
        for (const std::size_t end : {std::size_t{7}, std::size_t{900}}) {
          boards[end].reset();
          EXPECT_TRUE(co_await until(2s, [&] { return !mirrors[end]->status().current; })) << end;
          EXPECT_TRUE(mirrors[end + 1]->status().current);
        }
        CO_OK(co_await owner->endpoint.unbind("entity/b901", use_awaitable));
        EXPECT_TRUE(co_await until([&] { return !mirrors[901]->status().current; }));
        // Its next owner is found.
        boards[900] = std::make_unique<Board>(reader->endpoint, bus::Epoch{2}, "again");
        CO_OK(co_await reader->endpoint.bind("entity/b900", *boards[900], use_awaitable));
        EXPECT_TRUE(co_await until(
            [&] { return mirrors[900]->status().current && texts[900]->text == "again"; }));
        mirrors.clear();
        boards[900].reset();
        EXPECT_EQ(reader->main.timers().size(), timers);
        exchange.reset();  // the last user: the name is given up, and bound again
        Text late;
        Mirror again(reader->endpoint, reader->main.timers(), "entity/b8", late);
        EXPECT_TRUE(co_await until([&] { return again.status().current; }));
        EXPECT_EQ(late.text, "entity/b8!");
      },
      80s);
}

/// A state that knows what has changed since a version.
TEST_F(MirrorTest, MirrorThatHasAStateAsksForWhatChangedSince) {
  struct Versioned final : Replica {
    bool restore(bus::ByteView state) override {
      restored.emplace_back(bus::as_text(state));
      return true;
    }
    bool apply(bus::ByteView) override { return true; }
    bus::Bytes version() const override {
      const bus::ByteView bytes = bus::as_bytes(restored.back());
      return {bytes.begin(), bytes.end()};
    }
    std::vector<std::string> restored;
  };
  run([this]() -> Task {
    const auto owner = co_await process("a", "owner");
    const auto reader = co_await process("b", "reader");
    Source source(owner->endpoint);
    CO_OK(co_await owner->endpoint.bind("entity/source", source, use_awaitable));
    Versioned copy;
    Mirror mirror(reader->endpoint, reader->main.timers(), "entity/source", copy);
    EXPECT_TRUE(co_await until([&] { return mirror.status().current; }));
    source.publisher.publish(bus::as_bytes(std::string(kMaxDelta + 1, 'x')));  // is not sent
    EXPECT_TRUE(co_await until([&] { return copy.restored.size() == 2; }));
    EXPECT_EQ(copy.restored, (std::vector<std::string>{"since ", "since since "}));
  });
}

}  // namespace
}  // namespace starbus::nodes::replica
