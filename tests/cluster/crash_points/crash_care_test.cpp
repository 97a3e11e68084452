// kill -9 of busd at the points at which its mail store changes the disk while a shard moves away
// and comes back under traffic, and while messages, idempotency keys and the places of senders grow
// too old. Otherwise as crash_points_test.cpp.
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/dead_letters.hpp"
#include "tests/cluster/crash_points/planned_crashes.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kFewSampled = 3;  // of the short form, which is to take well below a minute
constexpr std::size_t kFewTwice = 2;
/// More than kBuriedAtOnce: the walk comes by twice, and at all other rows in between.
constexpr std::size_t kStale = 20;
constexpr auto kBeyondAge = std::chrono::hours(24 * 31);  // of [mail] age, and of keys and senders
constexpr std::string_view kFirst = "first", kSecond = "second";

std::uint8_t shard_of(const std::string& box) {
  return bus::shard_of(bus::channel_id(box));
}

const std::string kMoved = "player/moved";
const std::string kStaleBox = "player/stale";
/// In the shard of kStaleBox, so that one walk comes by at both.
const std::string& keyed_box() {
  static const std::string name = [] {
    for (int i = 0;; ++i) {
      std::string candidate = "player/keyed-" + std::to_string(i);
      if (shard_of(candidate) == shard_of(kStaleBox)) return candidate;
    }
  }();
  return name;
}

/// Few shards: the walk through them takes 300 ms for each.
CrashHosts hosts() {
  const std::string shards =
      std::to_string(shard_of(kMoved)) + "', '" + std::to_string(shard_of(kStaleBox));
  return {.a = "age = '30d'\nshards = ['" + shards + "']\n", .b = "[mail]\n"};
}

class CrashCare : public PlannedCrashes {
 protected:
  CrashCare() : PlannedCrashes(hosts()) {}

  bus::Task work_with(Bus& poster, Bus& reader) override {
    const auto made = std::make_unique<Boxes>();
    Boxes& boxes = *made;
    co_await post_all(poster, boxes);
    if (!HasFailure()) co_await move_there_and_back(poster, boxes);
    if (!HasFailure()) co_await read_moved(reader, boxes);
    if (!HasFailure()) co_await grow_old(poster, boxes);
    if (!HasFailure()) co_await use_key_again(poster, reader);
    if (!HasFailure()) boxes.moved.verify();
    if (HasFailure()) std::cerr << boxes.moved.state() << '\n' << boxes.stale.state() << std::endl;
  }

 private:
  struct Boxes {
    MailAccount moved{{.name = kMoved, .count = 12}};
    MailAccount stale{{.name = kStaleBox, .count = kStale}};
  };
  const bus::PostOptions keyed_{.key = "trade-77", .ttl = 0ms};

  bus::Task post_all(Bus& poster, Boxes& boxes) {
    enter(Phase::posting);
    post(poster, boxes.stale);
    post(poster, boxes.moved);
    const auto number = co_await poster.post(keyed_box(), kFirst, keyed_, use_awaitable);
    CO_OK(number);
    EXPECT_EQ(*number, 1U);
    CO_TRUE(co_await until(kPatience, [&] { return boxes.stale.ended() && boxes.moved.ended(); }));
  }

  /// Whoever dies in the middle is asked again; posts go on all the time.
  bus::Task move_there_and_back(Bus& poster, Boxes& boxes) {
    enter(Phase::moving);
    for (Daemon* const to : {&other(), &store()}) {
      boxes.moved.go_on(20);
      post(poster, boxes.moved);
      CO_TRUE(co_await until(kPatience, [&] { return has_come(*to); }));
    }
    CO_TRUE(co_await until(kPatience, [&] { return boxes.moved.ended(); }));
  }
  /// How many shards a host says that it serves; it may say so half a second late. -1: nothing.
  static int held(Daemon& host) {
    const auto status = host.json("/status");
    const auto mail = status.is_object() ? status.find("mail") : status.end();
    if (mail == status.end() || !mail->is_object()) return -1;
    return mail->value("shards_held", -1);  // not said while the store is being opened
  }
  /// False: asked for, or on its way. What the one that gives it says was so after it came there.
  bool has_come(Daemon& to) {
    const bool back = &to == &store();
    if (held(store()) == (back ? 2 : 1) && held(other()) == (back ? 0 : 1)) return true;
    const auto move = to.json("/mail/move");
    const std::string state = move.is_object() ? move.value("state", "") : "";
    if (state.empty() || state == "running" || state == "stopping") return false;
    const std::string shard = std::to_string(shard_of(kMoved));
    http_post((back ? other() : store()).admin(),
              "/mail/offer?shards=" + shard + "&to=" + (back ? "a" : "b"));
    http_post(to.admin(), "/mail/move?shards=" + shard);
    return false;
  }

  bus::Task read_moved(Bus& reader, Boxes& boxes) {
    enter(Phase::reading);
    co_await bind(reader, kMoved);
    co_await read(reader, boxes.moved, boxes.moved.last());
  }

  /// Nothing is under way: a sender whose place is forgotten must have heard of all that it sent.
  bus::Task grow_old(Bus& bus, Boxes& boxes) {
    enter(Phase::ageing);
    set_clock_ahead(kBeyondAge);
    const std::string& log = mail::dead_letters_log(shard_of(kStaleBox));
    const auto limit = std::chrono::steady_clock::now() + kPatience;
    while (true) {
      CO_TRUE(std::chrono::steady_clock::now() < limit);
      const auto page = co_await bus.read(log, 1, 100, use_awaitable);
      if (page && page->last >= kStale + 1) {
        expect_letters(*page, boxes.stale);
        co_return;
      }
      CO_TRUE(!co_await until(10ms, [] { return false; }));
    }
  }
  static void expect_letters(const bus::LogPage& page, const MailAccount& box) {
    EXPECT_EQ(page.items.size(), kStale + 1) << "each once, and that of the other mailbox";
    std::uint64_t number = 0;
    for (const bus::Mail& item : page.items) {
      const auto letter = mail::decode_dead_letter(item.body);
      ASSERT_TRUE(letter) << letter.error().to_string();
      EXPECT_EQ(letter->reason, "too old");
      if (letter->mailbox == keyed_box()) continue;
      EXPECT_EQ(letter->mailbox, box.name());
      EXPECT_EQ(letter->number, ++number) << "in their order";
      bus::Mail old;
      old.number = letter->number;
      old.body.assign(letter->body.begin(), letter->body.end());
      box.expect_as_told(old);
    }
    EXPECT_EQ(number, kStale);
  }

  /// Its first message is not to be read any more, nor does its key count.
  bus::Task use_key_again(Bus& poster, Bus& reader) {
    const auto number = co_await poster.post(keyed_box(), kSecond, keyed_, use_awaitable);
    CO_OK(number);
    EXPECT_EQ(*number, 2U);
    const auto again = co_await poster.post(keyed_box(), kSecond, keyed_, use_awaitable);
    CO_OK(again);
    EXPECT_EQ(*again, 2U) << "that one counts from now on";
    enter(Phase::closing);
    co_await bind(reader, keyed_box());
    auto mailbox = co_await reader.open_mailbox(keyed_box(), behind(1), use_awaitable);
    CO_OK(mailbox);
    const auto mail = co_await mailbox->next(use_awaitable);
    CO_OK(mail);
    EXPECT_EQ(mail->number, 2U);
    EXPECT_EQ(mail->text(), kSecond);
  }
};

TEST_F(CrashCare, MovesAndAgesWithoutLosingDoublingOrServingTwice) {
  rehearse({});
  if (HasFailure()) return;
  if (plan_given()) return play_all();
  keep({Phase::moving, Phase::ageing});
  if (long_runs()) {
    plan_all();
  } else {
    plan_situations(false);
    plan_sample(kFewSampled, kFewTwice);
  }
  play_all();
}

}  // namespace
}  // namespace starbus::cluster_test
