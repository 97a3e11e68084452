/// Mail that entities handle: once and in order, whatever ends between handling and saving.
#include "bus/core/wire/post_head.hpp"
#include "mail/dead_letters.hpp"
#include "tests/nodes/mail/mail_home.hpp"

namespace starbus::nodes::entities {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<int> numbers(int last) {
  std::vector<int> all(static_cast<std::size_t>(last));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

class EntityMailTest : public EntityMailFixture {};

TEST_F(EntityMailTest, MailWaitsForItsEntityAndIsErasedWithTheSave) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    for (int i = 1; i <= 3; ++i) {
      const auto number = co_await post<&Player::gift>(y->endpoint, "player/ada", i);
      CO_OK(number);
      EXPECT_EQ(*number, static_cast<std::uint64_t>(i));
    }
    Player* const ada = co_await enter(*x);
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 6; }));
    const auto late = co_await post<&Player::gift>(*ada, entity::Ref<Player>("player/ada"), 4);
    CO_OK(late);
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 10; }));
    EXPECT_THAT(ada->state.seen.get(), ElementsAre(1, 2, 3, 4));
    EXPECT_TRUE(co_await until([&] { return store->figures().counters.stored == 4; }));
    EXPECT_EQ(store->figures().counters.settled, 0U) << "nothing is saved";
    CO_OK(co_await x->host.save_now(*ada, use_awaitable));
    EXPECT_TRUE(co_await settled(4));
    EXPECT_EQ(x->host.mail().handled, 4U);
    EXPECT_EQ(x->host.mail().skipped, 0U);
  });
}

TEST_F(EntityMailTest, AProcessThatEndsBeforeTheSaveHandlesItAgain) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    Player* ada = co_await enter(*x);
    CO_OK(co_await x->host.save_now(*ada, use_awaitable));
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 5));
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 5; }));
    co_await kill(x);
    ada = co_await enter(*y);
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 5; }));
    EXPECT_THAT(ada->state.seen.get(), ElementsAre(5));
  });
}

TEST_F(EntityMailTest, AProcessThatEndsAfterTheSaveHandlesItOnce) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    Player* ada = co_await enter(*x);
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 5));
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 5; }));
    CO_OK(co_await x->host.save_now(*ada, use_awaitable));
    co_await kill(x);
    ada = co_await enter(*y);
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 2));
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 7; }));
    EXPECT_EQ(y->host.mail().handled, 1U);
    ada->destroy();
    EXPECT_TRUE(co_await settled(2)) << "the last save settles it";
    EXPECT_TRUE(co_await until([&] { return y->host.unsaved() == 0; }));
  });
}

TEST_F(EntityMailTest, MailGoesOnWhereItsEntityHasMoved) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    Player* ada = co_await enter(*x);
    const entity::OnlineId id = ada->online_id();
    constexpr int kMessages = 60;
    int posted = 0;
    for (int i = 1; i <= kMessages; ++i) {
      post<&Player::gift>(y->endpoint, "player/ada", i)(
          [&posted](const bus::Result<std::uint64_t>& number) { posted += number ? 1 : 0; });
      if (i % 20 != 0) continue;
      MailHome& from = i == 40 ? *y : *x;
      MailHome& to = i == 40 ? *x : *y;
      const auto moved = co_await from.host.move(*from.host.entities().find_as<Player>(id),
                                                 i == 40 ? "a.x" : "b.y", use_awaitable);
      CO_OK(moved);
      EXPECT_NE(to.host.entities().find(id), nullptr);
    }
    ada = y->host.entities().find_as<Player>(id);
    EXPECT_TRUE(co_await until([&] { return ada->state.seen.size() == kMessages; }));
    EXPECT_EQ(ada->state.seen.get(), numbers(kMessages));
    EXPECT_TRUE(co_await until([&] { return posted == kMessages; }));
    // Nothing that no save has was erased by the moves.
    co_await kill(y);
    y = std::make_unique<MailHome>(loop, cluster.node("b", "z"), shelf, 5'000);
    CO_OK(co_await y->bus.connect(use_awaitable));
    ada = co_await enter(*y);
    EXPECT_TRUE(co_await until([&] { return ada->state.seen.size() == kMessages; }));
    EXPECT_EQ(ada->state.seen.get(), numbers(kMessages));
  });
}

TEST_F(EntityMailTest, APoisonedMessageIsPutAsideAndLaterOnesGoOn) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await y->bus.post("player/ada", "no mail method", {}, use_awaitable));
    CO_OK(co_await post<&Player::wild>(y->endpoint, "player/ada"));
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 3));
    Player* const ada = co_await enter(*x);
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 3; }));
    EXPECT_EQ(x->host.mail().put_aside, 2U);
    EXPECT_EQ(x->host.mail().failed, 1U + kMailAttempts);
    const Inbox& inbox = *ada->component<Inbox>();
    EXPECT_EQ(inbox.cursor(), 3U);
    EXPECT_TRUE(co_await until([&] { return inbox.aside().empty(); })) << "saved, then rejected";
    const std::uint8_t shard = bus::shard_of(bus::channel_id("player/ada"));
    const auto letters = co_await y->bus.read(mail::dead_letters_log(shard), 1, 10, use_awaitable);
    CO_OK(letters);
    EXPECT_EQ(letters->items.size(), 2U);
    EXPECT_THAT(std::string(letters->items.back().text()), HasSubstr("a wild handler"));
  });
}

TEST_F(EntityMailTest, AttemptsAreCountedThroughRestarts) {
  x = std::make_unique<MailHome>(loop, cluster.node("a", "w"), shelf, 0, true, 1h);
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    Player::refusals = 100;
    Player* ada = co_await enter(*x);
    CO_OK(co_await post<&Player::stubborn>(y->endpoint, "player/ada", 9));
    EXPECT_TRUE(co_await until([&] { return ada->component<Inbox>()->failures() == 1; }));
    CO_OK(co_await x->host.save_now(*ada, use_awaitable));
    co_await kill(x);
    ada = co_await enter(*y);
    EXPECT_TRUE(co_await until([&] { return y->host.mail().put_aside == 1; }));
    EXPECT_THAT(Player::attempts, ElementsAre(1, 2, 3, 4, 5)) << "one there, four here";
    EXPECT_EQ(ada->state.gold, 0);
  });
}

TEST_F(EntityMailTest, AHandlerMayEndItsEntity) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    static_cast<void>(co_await enter(*x));
    CO_OK(co_await post<&Player::leave>(y->endpoint, "player/ada", 7));
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 1));
    EXPECT_TRUE(co_await until([&] { return x->host.entities().size() == 0; }));
    Player* const ada = co_await enter(*y);
    EXPECT_TRUE(co_await until([&] { return ada->state.gold == 8; }));
    EXPECT_THAT(ada->state.seen.get(), ElementsAre(1));
    EXPECT_EQ(y->host.mail().handled, 1U);
  });
}

TEST_F(EntityMailTest, KeysCountOnceAndLateMailIsNotHandled) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    const MailOptions key{.key = "trade-7"};
    const auto first = co_await post<&Player::gift>(y->endpoint, "player/ada", key, 4);
    CO_OK(first);
    const auto again = co_await post<&Player::gift>(y->endpoint, "player/ada", key, 4);
    CO_OK(again);
    EXPECT_EQ(*first, *again);
    const MailOptions late{.valid_for = 1ms};
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", late, 100));
    boost::asio::steady_timer pause(loop, 3ms);
    co_await pause.async_wait(use_awaitable);
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 1));
    Player* const ada = co_await enter(*x);
    EXPECT_TRUE(co_await until([&] { return ada->state.seen.size() == 2; }));
    EXPECT_THAT(ada->state.seen.get(), ElementsAre(4, 1));
    EXPECT_EQ(x->host.mail().expired, 1U);
  });
}

TEST_F(EntityMailTest, WithoutAStoreOfEntitiesNoMailboxIsOpened) {
  x = std::make_unique<MailHome>(loop, cluster.node("a", "w"), shelf, 0, false);
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await post<&Player::gift>(y->endpoint, "player/ada", 5));
    Player* const ada = co_await enter(*x);
    CO_OK(co_await x->bus.flush(5s, use_awaitable));
    EXPECT_EQ(ada->state.gold, 0);
    EXPECT_EQ(x->host.mail().handled, 0U);
  });
}

// --- notices -------------------------------------------------------------------------------------

TEST_F(EntityMailTest, EachEntityHearsANoticeOnceAlsoIfItComesLater) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await begin());
    const NoticeOptions all;
    const NoticeOptions present{.only_present = true};
    CO_OK(co_await announce<&Player::hear>(y->endpoint, all, std::string("before the world")));
    Player* ada = co_await enter(*x);
    EXPECT_TRUE(co_await until([&] { return ada->component<Notices>()->begun(); }));
    CO_OK(co_await announce<&Player::hear>(y->endpoint, all, std::string("one")));
    EXPECT_TRUE(co_await until([&] { return ada->state.heard.size() == 1; }));
    ada->destroy();
    EXPECT_TRUE(co_await until([&] { return x->host.entities().size() == 0; }));
    CO_OK(co_await announce<&Player::hear>(y->endpoint, present, std::string("who is there")));
    const NoticeOptions short_lived{.valid_for = 1ms};
    CO_OK(co_await announce<&Player::hear>(y->endpoint, short_lived, std::string("too late")));
    CO_OK(co_await announce<&Player::hear>(y->endpoint, all, std::string("two")));
    // Elsewhere, where the feed begins now.
    ada = co_await enter(*y);
    EXPECT_TRUE(co_await until([&] { return ada->state.heard.size() == 2; }));
    CO_OK(co_await announce<&Player::hear>(x->endpoint, present, std::string("three")));
    EXPECT_TRUE(co_await until([&] { return ada->state.heard.size() == 3; }));
    EXPECT_THAT(ada->state.heard.get(), ElementsAre("one", "two", "three"));
    EXPECT_EQ(y->host.notices().passed, 2U);
    // Who is new begins at the end, and who moves hears nothing twice.
    Player* const bob = co_await enter(*y, "player/bob");
    EXPECT_TRUE(co_await until([&] { return bob->component<Notices>()->begun(); }));
    const entity::OnlineId id = ada->online_id();
    CO_OK(co_await y->host.move(*ada, "a.x", use_awaitable));
    CO_OK(co_await announce<&Player::hear>(y->endpoint, all, std::string("four")));
    ada = x->host.entities().find_as<Player>(id);
    EXPECT_TRUE(co_await until([&] { return ada->state.heard.size() == 4; }));
    EXPECT_TRUE(co_await until([&] { return bob->state.heard.size() == 1; }));
    EXPECT_THAT(ada->state.heard.get(), ElementsAre("one", "two", "three", "four"));
    EXPECT_THAT(bob->state.heard.get(), ElementsAre("four"));
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
