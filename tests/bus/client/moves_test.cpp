// Channels that move between processes, with all that is on its way to them and from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

/// An object that counts: it expects 0, 1, 2... from each sender, and sends such a row itself.
struct Counter {
  std::map<std::string, int> expected;
  int next = 0;
  int mistakes = 0;

  void take(std::string_view text) {
    const std::size_t space = text.find(' ');
    const std::string from(text.substr(0, space));
    if (std::stoi(std::string(text.substr(space + 1))) != expected[from]++) ++mistakes;
  }
  Bytes pack() const {
    std::string text = std::to_string(next) + " " + std::to_string(mistakes);
    for (const auto& [from, number] : expected) text += " " + from + " " + std::to_string(number);
    const ByteView bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
  }
  static Counter unpack(const Bytes& state) {
    std::istringstream text{std::string(as_text(state))};
    Counter counter;
    text >> counter.next >> counter.mistakes;
    std::string from;
    for (int number; text >> from >> number;) counter.expected[from] = number;
    return counter;
  }
};

/// A process that hosts counters.
struct Space {
  Space(boost::asio::io_context& loop, Options options) : bus(loop, std::move(options)) {
    bus.on_arrival("entity/", {.arrived = [this](Arrival& arrival) {
                     here[arrival.name] = Counter::unpack(arrival.state);
                     ++arrivals;
                     return handlers(arrival.name);
                   }});
    bus.on_undelivered([this](const Undelivered&) { ++undelivered; });
  }
  Handlers handlers(const std::string& name) {
    return {.on_message = [this, name](Message& m) { here.at(name).take(m.text()); }};
  }
  Task move(std::string name, std::string target, Result<>& result) {
    // Not within the co_await expression: g++ 12 destroys temporaries there twice.
    std::function<Bytes()> freeze = [this, name] { return here.at(name).pack(); };
    result = co_await bus.move(name, target, std::move(freeze), use_awaitable);
    if (result) here.erase(name);
  }
  bool send_own(const std::string& name, const std::string& to) {
    Counter& counter = here.at(name);
    SendOptions options;
    options.from = channel_id(name);
    if (!bus.send(to, name + " " + std::to_string(counter.next), options)) return false;
    ++counter.next;
    return true;
  }

  Bus bus;
  std::map<std::string, Counter> here;
  int arrivals = 0;
  int undelivered = 0;
};

class MovesTest : public LoopTest {
 protected:
  MovesTest() : cluster(loop, {.hosts = {"a", "b"}}) {
    for (const auto& [host, node] : {std::pair("a", "s1"), {"a", "s2"}, {"b", "s3"}}) {
      spaces.push_back(std::make_unique<Space>(loop, cluster.node(host, node)));
      full_names.push_back(std::string(host) + "." + node);
    }
  }
  Task connect() {
    for (auto& space : spaces) CO_OK(co_await space->bus.connect(use_awaitable));
  }
  Task place(std::size_t where, const std::string& name) {
    spaces[where]->here[name];
    Handlers handlers = spaces[where]->handlers(name);
    CO_OK(co_await spaces[where]->bus.bind(name, handlers, use_awaitable));
  }
  Task sleep(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(loop, time);
    co_await timer.async_wait(use_awaitable);
  }
  std::size_t place_of(const std::string& name) const {
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      if (spaces[i]->here.contains(name)) return i;
    }
    return 0;
  }

  testing::Cluster cluster;
  std::vector<std::unique_ptr<Space>> spaces;
  std::vector<std::string> full_names;
};

TEST_F(MovesTest, BothEndsOfAConversationMoveAndNothingIsLostOrReordered) {
  run(
      [this]() -> Task {
        co_await connect();
        const std::string names[] = {"entity/x", "entity/y"};
        co_await place(0, names[0]);
        co_await place(2, names[1]);
        int sent = 0;
        int moves = 0;
        int attempts = 0;
        bool going = true;
        // A fixed sender to both, and each of them to the other.
        boost::asio::co_spawn(
            loop,
            [&]() -> Task {
              while (going) {
                for (int burst = 0; burst < 20; ++burst) {
                  const std::string text = "fixed " + std::to_string(sent);
                  if (!spaces[1]->bus.send(names[0], text)) break;
                  (void)spaces[1]->bus.send(names[1], text);
                  ++sent;
                  for (int i = 0; i < 2; ++i) {
                    const std::size_t at = place_of(names[i]);
                    if (spaces[at]->here.contains(names[i])) {
                      spaces[at]->send_own(names[i], names[1 - i]);
                    }
                  }
                }
                co_await sleep(1ms);
              }
            },
            boost::asio::detached);
        const auto mover = [&](std::size_t which) -> Task {
          std::size_t round = which;
          while (moves < 200) {
            const std::size_t from = place_of(names[which]);
            const std::size_t to = (from + 1 + round++ % 2) % 3;
            Result<> result;
            ++attempts;
            co_await spaces[from]->move(names[which], full_names[to], result);
            if (result) ++moves;
          }
        };
        bool second_done = false;
        boost::asio::co_spawn(loop, mover(1), [&](std::exception_ptr) { second_done = true; });
        co_await mover(0);
        while (!second_done) co_await sleep(1ms);
        going = false;
        co_await sleep(5ms);
        for (auto& space : spaces) CO_OK(co_await space->bus.flush(5s, use_awaitable));
        EXPECT_GE(moves, 200);
        for (int i = 0; i < 2; ++i) {
          const std::size_t at = place_of(names[i]);
          const std::size_t other = place_of(names[1 - i]);
          const Counter& counter = spaces[at]->here.at(names[i]);
          EXPECT_EQ(counter.mistakes, 0) << names[i];
          EXPECT_EQ(counter.expected.at("fixed"), sent) << names[i];
          EXPECT_EQ(counter.expected.at(names[1 - i]), spaces[other]->here.at(names[1 - i]).next);
        }
        for (auto& space : spaces) EXPECT_EQ(space->undelivered, 0);
      },
      60s);
}

TEST_F(MovesTest, EndBadlyAsTheyShould) {
  run([this]() -> Task {
    co_await connect();
    co_await place(0, "entity/x");
    Result<> result;
    co_await spaces[0]->move("entity/x", "b.nobody", result);
    EXPECT_EQ(result.error(), Errc::no_owner);
    co_await spaces[0]->move("entity/x", "nonsense", result);
    EXPECT_EQ(result.error(), Errc::bad_name);
    co_await spaces[0]->move("entity/none", "b.s3", result);
    EXPECT_EQ(result.error(), Errc::not_bound);
    ArrivalHandlers full;
    full.accept = [](const std::string&, ByteView) -> Result<> {
      return Error{Errc::move_refused, "full"};
    };
    full.arrived = [](Arrival&) { return Handlers{}; };
    spaces[2]->bus.on_arrival("entity/x", full);
    const Epoch before = spaces[0]->bus.epoch("entity/x");
    co_await spaces[0]->move("entity/x", "b.s3", result);
    EXPECT_EQ(result.error(), Errc::move_refused);
    EXPECT_EQ(result.error().detail, "full");
    EXPECT_GT(spaces[0]->bus.epoch("entity/x"), before);
    EXPECT_TRUE(spaces[1]->bus.send("entity/x", "fixed 0"));
    CO_OK(co_await spaces[1]->bus.flush(5s, use_awaitable));
    EXPECT_EQ(spaces[0]->here.at("entity/x").expected.at("fixed"), 1);
  });
}

/// busroot sends what it has held right after the word that the source has its name again: both
/// come in one bundle, and a completion runs in a later turn.
TEST_F(MovesTest, OneThatIsGivenUpHandsNothingOverBeforeItsCompletion) {
  run([this]() -> Task {
    co_await connect();
    spaces[2]->bus.on_arrival("entity/", {});  // takes nothing in
    bool frozen = false;
    int early = 0;
    int handled = 0;
    const auto handle = [&] {
      early += frozen ? 1 : 0;
      ++handled;
    };
    Handlers handlers{
        .on_message = [&](Message&) { handle(); },
        .on_call = [&](Call& call) { handle(), (void)call.responder().reply(ByteView()); }};
    CO_OK(co_await spaces[0]->bus.bind("entity/x", handlers, use_awaitable));
    int sent = 0;
    int answers = 0;
    for (int round = 1; round <= 20; ++round) {
      bool ended = false;
      const auto freeze = [&] {
        frozen = true;
        for (const Lane lane : {Lane::call, Lane::sync, Lane::bulk}) {
          SendOptions options;
          options.lane = lane;
          if (spaces[1]->bus.send("entity/x", "m", options)) ++sent;
        }
        spaces[1]->bus.call("entity/x", "q", CallOptions{},
                            [&](const Result<Bytes>& reply) { answers += reply ? 1 : 100; });
        return Bytes{};
      };
      spaces[0]->bus.move("entity/x", "b.s3", freeze, [&](const Result<>& moved) {
        EXPECT_FALSE(moved);
        frozen = false;
        ended = true;
      });
      while (!ended || answers < round) co_await sleep(0ms);
    }
    CO_OK(co_await spaces[1]->bus.flush(5s, use_awaitable));
    EXPECT_EQ(early, 0);
    EXPECT_EQ(handled, sent + answers);
  });
}

/// As one whose completion begins the next attempt does.
TEST_F(MovesTest, OneThatIsGivenUpMayBeTriedAgainByItsCompletion) {
  run([this]() -> Task {
    co_await connect();
    co_await place(0, "entity/x");
    bool full = true;
    spaces[2]->bus.on_arrival(
        "entity/", {.accept = [&](const std::string&, ByteView) -> Result<> {
                      return full ? Result<>(Error{Errc::move_refused, "full"}) : Result<>();
                    },
                    .arrived = [](Arrival&) { return Handlers{}; }});
    Result<> again;
    bool ended = false;
    const auto freeze = [] { return Bytes{}; };
    spaces[0]->bus.move("entity/x", "b.s3", freeze, [&](const Result<>& moved) {
      EXPECT_EQ(moved.error(), Errc::move_refused);
      full = false;
      spaces[0]->bus.move("entity/x", "b.s3", freeze, [&](const Result<>& result) {
        again = result;
        ended = true;
      });
    });
    while (!ended) co_await sleep(1ms);
    CO_OK(again);
  });
}

/// Its object has ended meanwhile: nobody would give the name up later.
TEST_F(MovesTest, ANameThatIsGivenUpWhileItMovesIsFreeWhenTheMoveHasEnded) {
  run([this]() -> Task {
    co_await connect();
    // Refused, and free for another process; then taken in, and the target's.
    for (const bool refused : {true, false}) {
      co_await place(0, "entity/x");
      if (refused) spaces[2]->bus.on_arrival("entity/x", {});  // takes nothing in
      std::optional<Result<>> moved, freed;
      const auto freeze = [&] {
        spaces[0]->bus.unbind("entity/x", [&](const Result<>& done) { freed = done; });
        return Counter().pack();
      };
      spaces[0]->bus.move("entity/x", "b.s3", freeze, [&](const Result<>& end) { moved = end; });
      while (!moved || !freed) co_await sleep(1ms);
      EXPECT_EQ(moved->has_value(), !refused);
      CO_OK(*freed);
      if (!refused) break;
      spaces[2]->bus.on_arrival("entity/x", {.arrived = [](Arrival&) { return Handlers{}; }});
      Handlers handlers;
      CO_OK(co_await spaces[1]->bus.bind("entity/x", handlers, use_awaitable));
      CO_OK(co_await spaces[1]->bus.unbind("entity/x", use_awaitable));
    }
    CO_OK(co_await spaces[2]->bus.unbind("entity/x", use_awaitable));
  });
}

/// The last word of a bus that its program ends may be that of a move.
TEST_F(MovesTest, TheCompletionOfOneThatIsGivenUpMayDestroyTheBus) {
  run([this]() -> Task {
    co_await connect();
    co_await place(0, "entity/x");
    bool ended = false;
    const auto freeze = [] { return Bytes{}; };
    spaces[2]->bus.on_arrival("entity/", {});  // takes nothing in
    spaces[0]->bus.move("entity/x", "b.s3", freeze, [&](const Result<>& moved) {
      EXPECT_EQ(moved.error(), Errc::move_refused);
      spaces[0].reset();
      ended = true;
    });
    while (!ended) co_await sleep(1ms);
  });
}

TEST_F(MovesTest, OfAChannelAreItsOwnMessagesOnly) {
  run([this]() -> Task {
    co_await connect();
    co_await place(0, "entity/x");
    SendOptions options;
    options.from = channel_id("entity/x");
    auto& bus = spaces[0]->bus;
    const auto sent = co_await bus.send_acknowledged("entity/y", {}, options, use_awaitable);
    EXPECT_EQ(sent.error(), Errc::denied);
    EXPECT_EQ(bus.send("service/s", "m", options).error(), Errc::denied);
    options.from = channel_id("entity/none");
    EXPECT_EQ(bus.send("entity/y", "m", options).error(), Errc::not_bound);
  });
}

TEST_F(MovesTest, CrashesOfDaemonsAreOnlyAPause) {
  run(
      [this]() -> Task {
        co_await connect();
        co_await place(0, "entity/x");
        int sent = 0;
        for (int round = 0; round < 12; ++round) {
          for (int i = 0; i < 100; ++i) {
            if (spaces[1]->bus.send("entity/x", "fixed " + std::to_string(sent))) ++sent;
          }
          const std::size_t from = place_of("entity/x");
          Result<> result;
          bool ended = false;
          boost::asio::co_spawn(loop,
                                spaces[from]->move("entity/x", full_names[(from + 2) % 3], result),
                                [&](std::exception_ptr) { ended = true; });
          co_await sleep(std::chrono::milliseconds(round % 4));
          if (round % 3 == 0) {
            cluster.crash_root();
            cluster.start_root();
          } else {
            const std::string host = round % 3 == 1 ? "a" : "b";
            cluster.crash_busd(host);
            cluster.start_busd(host);
          }
          while (!ended) co_await sleep(1ms);
        }
        CO_OK(co_await spaces[1]->bus.flush(20s, use_awaitable));
        const Counter& counter = spaces[place_of("entity/x")]->here.at("entity/x");
        EXPECT_EQ(counter.mistakes, 0);
        EXPECT_EQ(counter.expected.at("fixed"), sent);
        for (auto& space : spaces) EXPECT_EQ(space->undelivered, 0);
      },
      120s);
}

}  // namespace
}  // namespace starbus::bus
