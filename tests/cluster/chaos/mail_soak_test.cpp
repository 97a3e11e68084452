// Mail while daemons, posters and readers are killed all the time, and daemons replaced: each post
// is stored once, and read once and in order.
#include <gtest/gtest.h>

#include <csignal>
#include <iostream>
#include <map>
#include <random>

#include "tests/cluster/chaos/players.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

using boost::asio::awaitable;

/// The whole count with STARBUS_LONG (scripts/test --long), one in a hundred of it otherwise.
int kills() {
  return long_runs() ? 1'000 : 10;
}

/// A soak that does nothing shows nothing. Counted is what comes behind the first hundred of each
/// mailbox. Between two kills are 220 ms on average; a store with fsyncs of 50 ms that comes back
/// after a second stores a window of each mailbox (300) in every fifth of these pauses, which is
/// three times this; a machine with nothing else to do stores 6,000 in each.
constexpr std::uint64_t kLeastPerKill = 20;

/// Posts of the poster that is killed, before there is more to do.
constexpr int kPlayerPosts = 200;

class MailSoak : public ClusterTest {
 protected:
  /// A mailbox with its poster's and its reader's account of it.
  struct Box {
    std::string name;
    std::uint64_t posted = 0;  // under way, too
    std::uint64_t ended = 0;
    std::uint64_t cursor = 0;  // handled and saved in one step
    std::uint64_t acknowledging = 0;
    bool last = false;  // nothing is posted after this
    bool reading = true;
  };

  void post(Bus& bus, Box& box) {
    while (!stop_ && box.posted - box.ended < 100) post_one(bus, box);
  }
  void post_one(Bus& bus, Box& box) {
    const std::uint64_t number = ++box.posted;
    const std::string body = std::to_string(number);
    const auto ended = [this, &bus, &box, number](bus::Result<std::uint64_t> end) {
      EXPECT_TRUE(end) << end.error().to_string();
      if (end) {
        EXPECT_EQ(*end, number) << box.name << ": stored out of order, or twice";
      }
      ++box.ended;
      post(bus, box);
    };
    bus.post(box.name, body, {.ttl = 0ms}, ended);
  }
  bus::Task read(Bus& bus, Box& box) {
    const bus::Handlers handlers;
    CO_OK(co_await bus.bind(box.name, handlers, use_awaitable));
    auto mailbox = co_await bus.open_mailbox(box.name, {}, use_awaitable);
    CO_OK(mailbox);
    while (!box.last || box.cursor < box.posted) {
      const auto mail = co_await mailbox->next(use_awaitable);
      CO_OK(mail);
      // One poster, in order: so the number is the place, and what it wrote is the number.
      EXPECT_EQ(mail->number, box.cursor + 1);
      EXPECT_EQ(mail->text(), std::to_string(mail->number));
      box.cursor = mail->number;
      if (box.cursor % 100 == 0) {
        ++box.acknowledging;
        mailbox->acknowledge(box.cursor, [&box](const bus::Result<>& end) {
          EXPECT_TRUE(end) << end.error().to_string();
          --box.acknowledging;
        });
      }
    }
    CO_TRUE(co_await until(20s, [&] { return box.acknowledging == 0; }));
    box.reading = false;
  }

  struct Work {
    std::uint64_t posted = 0;  // and acknowledged
    std::uint64_t read = 0;
  };
  Work done() const {
    Work work;
    for (const Box& box : boxes) {
      work.posted += box.ended;
      work.read += box.cursor;
    }
    return work;
  }

  /// Replaces each daemon in order by a new process, as an upgrade does.
  awaitable<void> replace_daemons() {
    for (const std::string name : {"root", "a", "b"}) {
      Daemon& daemon = cluster.daemon(name);
      CO_TRUE(co_await until(20s, [&] { return daemon.serves(); }));
      EXPECT_EQ(daemon.take_over(10s), std::optional(0)) << "the earlier one ends well";
    }
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
  Players players{cluster};
  std::vector<Box> boxes{{"player/1"}, {"player/2"}, {"guild/1"}};
  bool stop_ = false;
};

TEST_F(MailSoak, KilledProcesses_PostsAreReadOnceInOrder) {
  const int count = kills();
  run(
      [this, count]() -> bus::Task {
        Bus poster(loop, cluster.node("b", "poster"));
        Bus reader(loop, cluster.node("b", "reader"));
        CO_OK(co_await poster.connect(use_awaitable));
        CO_OK(co_await reader.connect(use_awaitable));
        for (Box& box : boxes) {
          spawn([this, &reader, &box]() -> awaitable<void> { co_await read(reader, box); });
          post(poster, box);
        }
        std::mt19937 random(std::random_device{}());
        CO_TRUE(co_await until(60s, [&] {
          return std::ranges::all_of(
              boxes, [](const Box& box) { return box.ended >= 100 && box.cursor >= 100; });
        }));
        int player_posts = kPlayerPosts;
        std::map<std::string, int> kills;
        const Work before = done();
        for (int i = 0; i < count && !HasFailure(); ++i) {
          static const char* const kDaemons[] = {"a", "b", "root", "a"};  // the store most often
          const std::size_t which = i < 3 ? static_cast<std::size_t>(i) : random();
          const std::string daemon = kDaemons[which % std::size(kDaemons)];
          cluster.daemon(daemon).restart();
          ++kills[daemon];
          // Beside them a poster or a reader; if both were too fast, there is more to do.
          if (players.tend(player_posts)) player_posts += kPlayerPosts;
          random() % 2 == 0 ? players.kill_poster() : players.kill_reader();
          const auto pause = std::chrono::milliseconds(20 + random() % 400);
          CO_TRUE(!co_await until(pause, [] { return false; }));
          if (i % 100 == 99) std::cout << i + 1 << " kills" << std::endl;
        }
        co_await replace_daemons();
        const Work work = done();
        stop_ = true;
        EXPECT_EQ(kills["a"] + kills["b"] + kills["root"], count);
        EXPECT_EQ(kills.size(), 3U) << "each of the daemons is killed";
        const std::uint64_t least = kLeastPerKill * static_cast<std::uint64_t>(count);
        EXPECT_GE(work.posted - before.posted, least) << "posts acknowledged while daemons died";
        EXPECT_GE(work.read - before.read, least) << "messages read while daemons died";
        // Everything is read without another post that would wake a reader.
        CO_TRUE(co_await until(60s, [&] {
          return std::ranges::all_of(boxes, [](const Box& box) {
            return box.ended == box.posted && box.cursor == box.posted;
          });
        }));
        for (Box& box : boxes) {
          box.last = true;
          post_one(poster, box);
        }
        CO_TRUE(co_await until(60s, [&] {
          return std::ranges::none_of(boxes, [](const Box& box) { return box.reading; });
        }));
        CO_TRUE(co_await until(100s, [&] { return players.tend(player_posts); }));
        players.expect_all(player_posts);
        std::uint64_t messages = 0;
        for (const Box& box : boxes) {
          EXPECT_EQ(box.ended, box.posted) << box.name;
          EXPECT_EQ(box.cursor, box.posted) << box.name;
          messages += box.posted;
        }
        std::cout << messages << " messages through " << count << " kills, "
                  << work.posted - before.posted << " of them stored and "
                  << work.read - before.read << " read meanwhile" << std::endl;
      },
      std::chrono::seconds(60 + 2 * count));
}

TEST_F(MailSoak, PlayersKilledAtEachStep_PostAndReadOnce) {
  constexpr int kCount = 30;
  const auto ends = [&](const std::string& host, const std::string& what, int code,
                        const std::vector<std::string>& death = {}) {
    EXPECT_EQ(players.start(host, what, kCount, death)->wait(20s), code) << players.last_log();
  };
  ends("a", "post", -SIGKILL, {"before", "5"});
  ends("b", "post", -SIGKILL, {"posted", "10"});
  ends("b", "post", -SIGKILL, {"posted", "11"});
  ends("a", "read", -SIGKILL, {"before", "3"});
  ends("b", "read", -SIGKILL, {"saved", "3"});
  ends("b", "read", -SIGKILL, {"acknowledged", "6"});
  ends("a", "post", 0);
  ends("a", "read", -SIGKILL, {"saved", "20"});
  ends("b", "read", 0);
  players.expect_all(kCount);
}

}  // namespace
}  // namespace starbus::cluster_test
