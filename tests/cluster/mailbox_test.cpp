// Reading mailboxes and logs: in order and once, wherever the reader goes on. For kill -9 see
// chaos/mail_soak_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/dead_letters.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using boost::asio::awaitable;
using bus::Mail;
using bus::Mailbox;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kBox = "player/1";
const bus::PostOptions kMailPlain;
const std::string kMailLog = "log/town";

class MailboxTest : public ClusterTest {
 protected:
  /// The texts of the next messages.
  static awaitable<std::vector<std::string>> take(bus::MailStream& stream, std::size_t count) {
    std::vector<std::string> texts;
    while (texts.size() < count) {
      const auto mail = co_await stream.next(use_awaitable);
      if (!mail) {
        texts.push_back(mail.error().to_string());
        break;
      }
      texts.emplace_back(mail->text());
    }
    co_return texts;
  }
  awaitable<void> post(Bus& bus, const std::string& box, int first, int last) {
    const bus::PostOptions options;
    for (int i = first; i <= last; ++i) {
      const std::string body = std::to_string(i);
      const auto number = co_await bus.post(box, body, options, use_awaitable);
      EXPECT_TRUE(number) << number.error().to_string();
    }
  }
  awaitable<void> bind(Bus& bus, const std::string& name) {
    const bus::Handlers handlers;
    const auto bound = co_await bus.bind(name, handlers, use_awaitable);
    EXPECT_TRUE(bound) << bound.error().to_string();
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
};

TEST_F(MailboxTest, WaitsForItsReaderAndThenComesAtOnce) {
  run([this]() -> bus::Task {
    Bus poster(loop, cluster.node("b", "poster"));
    CO_OK(co_await poster.connect(use_awaitable));
    co_await post(poster, kBox, 1, 3);
    Bus owner(loop, cluster.node("b", "owner"));
    CO_OK(co_await owner.connect(use_awaitable));
    co_await bind(owner, kBox);
    {
      auto box = co_await owner.open_mailbox(kBox, {}, use_awaitable);
      CO_OK(box);
      EXPECT_EQ(box->last(), 3u);
      const auto texts1 = co_await take(*box, 3);
      EXPECT_THAT(texts1, ElementsAre("1", "2", "3"));
      CO_OK(co_await box->acknowledge(2, use_awaitable));
    }
    bus::MailboxOptions cursor;
    {
      cursor.after = 1;  // of a database that was restored: its position shows that 2 is gone
      auto box = co_await owner.open_mailbox(kBox, cursor, use_awaitable);
      CO_OK(box);
      EXPECT_EQ(box->position(), 2u);
    }
    // Message 3 was handled, but its effects were not saved before this end.
    cursor.after = 2;
    auto box = co_await owner.open_mailbox(kBox, cursor, use_awaitable);
    CO_OK(box);
    const auto texts2 = co_await take(*box, 1);
    EXPECT_THAT(texts2, ElementsAre("3"));
    co_await post(poster, kBox, 4, 5);
    const auto texts3 = co_await take(*box, 2);
    EXPECT_THAT(texts3, ElementsAre("4", "5"));
    EXPECT_EQ(box->position(), 5u);
    const auto early = co_await box->acknowledge(6, use_awaitable);
    EXPECT_EQ(early.error(), Errc::cursor_ahead);
  });
}

// Numbers without a hole or a double, in the order of each poster.
TEST_F(MailboxTest, AHundredPostersShareItsNumbers) {
  run(
      [this]() -> bus::Task {
        constexpr std::size_t kPosters = 100;
        const std::size_t each = long_runs() ? 1'000 : 100;
        std::vector<std::unique_ptr<Bus>> posters;
        for (std::size_t i = 0; i < kPosters; ++i) {
          const std::string host = i % 2 == 0 ? "a" : "b";
          posters.push_back(
              std::make_unique<Bus>(loop, cluster.node(host, "poster-" + std::to_string(i))));
        }
        std::size_t ended = 0;
        const auto post_all = [&](std::size_t poster) -> bus::Task {
          CO_OK(co_await posters[poster]->connect(use_awaitable));
          for (std::size_t i = 0; i < each; ++i) {
            const std::string text = std::to_string(poster) + " " + std::to_string(i);
            const auto posted =
                co_await posters[poster]->post(kBox, text, kMailPlain, use_awaitable);
            CO_OK(posted);
          }
          ++ended;
        };
        for (std::size_t i = 0; i < kPosters; ++i) {
          const auto one = [&post_all, i]() -> bus::Task { co_await post_all(i); };
          spawn(one);
        }
        Bus owner(loop, cluster.node("b", "owner"));
        CO_OK(co_await owner.connect(use_awaitable));
        co_await bind(owner, kBox);
        auto box = co_await owner.open_mailbox(kBox, {}, use_awaitable);
        CO_OK(box);
        std::vector<std::size_t> next(kPosters);
        for (std::uint64_t number = 1; number <= kPosters * each; ++number) {
          const auto mail = co_await box->next(use_awaitable);
          CO_OK(mail);
          CO_TRUE(mail->number == number);
          std::size_t poster = 0, place = 0;
          std::istringstream(std::string(mail->text())) >> poster >> place;
          CO_TRUE(poster < kPosters && place == next[poster]);
          ++next[poster];
        }
        CO_TRUE(co_await until([&] { return ended == kPosters; }));
      },
      100s);
}

TEST_F(MailboxTest, OnlyItsOwnerReadsIt) {
  run([this]() -> bus::Task {
    Bus bus(loop, cluster.node("b", "x"));
    const auto early = co_await bus.open_mailbox(kBox, {}, use_awaitable);
    EXPECT_EQ(early.error(), Errc::unreachable);
    CO_OK(co_await bus.connect(use_awaitable));
    const auto unbound = co_await bus.open_mailbox(kBox, {}, use_awaitable);
    EXPECT_EQ(unbound.error(), Errc::not_bound);
    co_await bind(bus, kBox);
    bus::MailboxOptions ahead;
    ahead.after = 7;
    const auto too_far = co_await bus.open_mailbox(kBox, ahead, use_awaitable);
    EXPECT_EQ(too_far.error(), Errc::cursor_ahead);
    EXPECT_THAT(too_far.error().detail, ::testing::HasSubstr("this reader is at 7, the latest is"));
    auto box = co_await bus.open_mailbox(kBox, {}, use_awaitable);
    CO_OK(box);
    CO_OK(co_await bus.unbind(kBox, use_awaitable));
    const auto texts4 = co_await take(*box, 1);
    EXPECT_THAT(texts4, ElementsAre(::testing::StartsWith("not_bound")));
    const std::string text = "no log";
    const auto log = co_await bus.append(kBox, text, kMailPlain, use_awaitable);
    EXPECT_EQ(log.error(), Errc::denied);
  });
}

TEST_F(MailboxTest, GoesOnElsewhereExactly) {
  run([this]() -> bus::Task {
    Bus first(loop, cluster.node("a", "first"));
    Bus second(loop, cluster.node("b", "second"));
    CO_OK(co_await first.connect(use_awaitable));
    CO_OK(co_await second.connect(use_awaitable));
    co_await bind(first, kBox);
    auto box = co_await first.open_mailbox(kBox, {}, use_awaitable);
    CO_OK(box);
    co_await post(second, kBox, 1, 20);
    const auto texts8 = co_await take(*box, 10);
    EXPECT_EQ(texts8.back(), "10");
    // The player moves, its cursor with it.
    std::string cursor;
    bus::ArrivalHandlers arrivals;
    arrivals.arrived = [&](bus::Arrival& arrival) {
      cursor = std::string(bus::as_text(arrival.state));
      return bus::Handlers{};
    };
    second.on_arrival("player/", arrivals);
    const std::function<bus::Bytes()> freeze = [&] {
      const std::string text = std::to_string(box->position());
      return bus::Bytes(bus::as_bytes(text).begin(), bus::as_bytes(text).end());
    };
    const std::string target = "b.second";
    const auto moved = co_await first.move(kBox, target, freeze, use_awaitable);
    CO_OK(moved);
    EXPECT_EQ(cursor, "10");
    const auto texts5 = co_await take(*box, 1);
    EXPECT_THAT(texts5, ElementsAre(::testing::StartsWith("not_bound")));
    bus::MailboxOptions options;
    options.after = std::stoul(cursor);
    auto here = co_await second.open_mailbox(kBox, options, use_awaitable);
    CO_OK(here);
    const auto texts9 = co_await take(*here, 10);
    EXPECT_EQ(texts9.back(), "20");
  });
}

TEST_F(MailboxTest, WhatCannotBeHandledGoesToTheDeadLetters) {
  run([this]() -> bus::Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    co_await post(bus, kBox, 1, 3);
    co_await bind(bus, kBox);
    auto box = co_await bus.open_mailbox(kBox, {}, use_awaitable);
    CO_OK(box);
    (void)co_await take(*box, 3);
    const std::string reason = "no such item";
    CO_OK(co_await box->reject(2, reason, use_awaitable));
    const std::string& log = mail::dead_letters_log(bus::shard_of(bus::channel_id(kBox)));
    const auto page = co_await bus.read(log, 1, 10, use_awaitable);
    CO_OK(page);
    CO_TRUE(page->items.size() == 1);
    const auto letter = mail::decode_dead_letter(page->items[0].body);
    CO_OK(letter);
    EXPECT_EQ(letter->mailbox, kBox);
    EXPECT_EQ(letter->number, 2u);
    EXPECT_EQ(letter->reason, reason);
    EXPECT_EQ(bus::as_text(letter->body), "2");
  });
}

TEST_F(MailboxTest, LogsHaveManyReadersWithTheirOwnCursors) {
  run([this]() -> bus::Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    bus::LogOptions from_start;
    from_start.after = 0;
    auto early = co_await bus.follow(kMailLog, from_start, use_awaitable);
    CO_OK(early);
    for (const std::string text : {"one", "two"}) {
      CO_OK(co_await bus.append(kMailLog, text, kMailPlain, use_awaitable));
    }
    auto late = co_await bus.follow(kMailLog, {}, use_awaitable);
    CO_OK(late);
    EXPECT_EQ(late->position(), 2u) << "a new reader starts at what there is";
    const std::string third = "three";
    const auto number = co_await bus.append(kMailLog, third, kMailPlain, use_awaitable);
    CO_OK(number);
    EXPECT_EQ(*number, 3u);
    const auto texts6 = co_await take(*late, 1);
    EXPECT_THAT(texts6, ElementsAre("three"));
    const auto texts7 = co_await take(*early, 3);
    EXPECT_THAT(texts7, ElementsAre("one", "two", "three"));
    const auto page = co_await bus.read(kMailLog, 2, 1, use_awaitable);
    CO_OK(page);
    EXPECT_EQ(page->last, 3u);
    CO_TRUE(page->items.size() == 1);
    EXPECT_EQ(page->items[0].number, 2u);
    EXPECT_EQ(page->items[0].text(), "two");
  });
}

TEST_F(MailboxTest, AProcessThatStandsStillHoldsUpNobodyElse) {
  const std::string still_name = "player/still";
  boost::asio::io_context still_loop;  // runs only while it is told to: then its process is stopped
  Bus still(still_loop, cluster.node("b", "still"));
  std::optional<Mailbox> still_box;
  boost::asio::co_spawn(
      still_loop,
      [&]() -> awaitable<void> {
        CO_OK(co_await still.connect(use_awaitable));
        co_await bind(still, still_name);
        auto box = co_await still.open_mailbox(still_name, {}, use_awaitable);
        CO_OK(box);
        still_box = std::move(*box);
      },
      boost::asio::detached);
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (!still_box && std::chrono::steady_clock::now() < limit) still_loop.run_one_for(100ms);
  ASSERT_TRUE(still_box);
  run([&]() -> bus::Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    // On its way to who does not acknowledge it: more than the window of the store's process.
    const std::string large(15 * 1024 * 1024, 'x');
    CO_OK(co_await bus.post(still_name, large, kMailPlain, use_awaitable));
    co_await bind(bus, kBox);
    auto box = co_await bus.open_mailbox(kBox, {}, use_awaitable);
    CO_OK(box);
    co_await post(bus, kBox, 1, 50);
    std::vector<std::string> texts;
    bool done = false;
    spawn([&]() -> awaitable<void> {
      texts = co_await take(*box, 50);
      done = true;
    });
    CO_TRUE(co_await until(5s, [&] { return done; }));
    EXPECT_EQ(texts.back(), "50");
  });
}

class MailQuotaTest : public ClusterTest {
 protected:
  /// Why the store has refused it.
  static std::string refusal(const bus::Result<std::uint64_t>& posted) {
    return posted ? "stored" : posted.error().to_string();
  }
  Cluster cluster{{.more = {{"a",
                             "[mail]\nshards = ['0-255']\nbox_messages = 1\nbox_bytes = 10\n"
                             "total_bytes = 20\n"}}}};
};

TEST_F(MailQuotaTest, ARefusalSaysWhichLimitItWas) {
  run([this]() -> bus::Task {
    Bus poster(loop, cluster.node("b", "poster"));
    CO_OK(co_await poster.connect(use_awaitable));
    const std::string small = "one";
    const std::string large(12, 'x');
    const std::string other = "player/2";
    const std::string larger(30, 'x');
    const auto first = co_await poster.post(kBox, small, kMailPlain, use_awaitable);
    EXPECT_EQ(refusal(first), "stored");
    const auto second = co_await poster.post(kBox, small, kMailPlain, use_awaitable);
    EXPECT_EQ(second.error(), bus::Errc::mailbox_full);
    EXPECT_THAT(refusal(second), HasSubstr("player/1: it has as many messages as [mail] box_me"));
    const auto third = co_await poster.post(other, large, kMailPlain, use_awaitable);
    EXPECT_EQ(third.error(), bus::Errc::mailbox_full);
    EXPECT_THAT(refusal(third), HasSubstr("player/2: with this it would have more bytes"));
    const auto fourth = co_await poster.append(kMailLog, larger, kMailPlain, use_awaitable);
    EXPECT_EQ(fourth.error(), bus::Errc::store_full);
    EXPECT_THAT(refusal(fourth), HasSubstr("log/town: [mail] total_bytes of its host is used up"));
  });
}

}  // namespace
}  // namespace starbus::cluster_test
