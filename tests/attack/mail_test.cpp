/// The attacker: a node that was taken over, on host "a", whose role allows everything. It wants
/// the mail that the store of host "b" keeps: to take it, to read it, to lock its owner out.
#include "bus/core/wire/record_mail.hpp"

#include <gtest/gtest.h>

#include "bus/core/wire/record_shards.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "mail/mail_store_thread.hpp"
#include "tests/attack/attack_fixture.hpp"
#include "tests/storage/support.hpp"

namespace starbus::attack {
namespace {

using bus::Epoch;
using bus::Errc;
using bus::Kind;
using namespace std::chrono_literals;

constexpr const char* kBox = "player/42";
constexpr const char* kStore = "process/b.store";

class TakenMail : public AttackTest {
 protected:
  TakenMail() {
    mail::MailStoreSettings settings;
    settings.host = "b";
    settings.folder = folder_.path() / "mail";
    for (unsigned shard = 0; shard < bus::kShards; ++shard) {
      settings.shards.push_back(static_cast<std::uint8_t>(shard));
    }
    settings.scrub.rate = 0;
    settings.endpoint = door("b");
    mail::MailStoreHooks hooks;
    hooks.trouble = [](const std::string&) {};
    hooks.note = [](const std::string&) {};
    hooks.stopped = [](const storage::Error&) {};
    store_ = std::make_unique<mail::MailStoreThread>(settings, hooks);
  }
  ~TakenMail() override {
    cluster.crash_busd("b");  // the store waits for no daemon
    store_.reset();
  }
  static std::uint8_t shard() { return bus::shard_of(bus::channel_id(kBox)); }

  /// The honest owner of the mailbox, and three messages in it.
  boost::asio::awaitable<bool> begin() {
    const auto connected = co_await owner.connect(use_awaitable);
    const auto bound = co_await owner.bind(kBox, bus::kNoHandlers, use_awaitable);
    for (const char* text : {"one", "two", "three"}) {
      const auto posted = co_await owner.post(kBox, text, {}, use_awaitable);
      if (!posted) co_return false;
    }
    co_return connected&& bound;
  }
  /// The messages that the owner reads from the beginning.
  boost::asio::awaitable<std::string> read_all(std::size_t count) {
    auto box = co_await owner.open_mailbox(kBox, {}, use_awaitable);
    if (!box) co_return box.error().to_string();
    std::string texts;
    for (std::size_t i = 0; i < count; ++i) {
      const auto mail = co_await box->next(use_awaitable);
      if (!mail) co_return mail.error().to_string();
      texts += std::string(mail->text()) + " ";
    }
    co_return texts;
  }
  /// It sees the store, as any process does that watches.
  boost::asio::awaitable<bus::Lineage> look(Attacker& evil) {
    evil.say(bus::Watch{kStore});
    bus::Lineage lineage;
    EXPECT_TRUE(co_await until([&] {
      for (const auto& rows : evil.heard<bus::WatchRows>()) {
        for (const auto& one : rows.rows) {
          if (one.name == kStore) lineage = one.lineage;
        }
      }
      return bool(lineage);
    }));
    co_return lineage;
  }
  /// Records of this kind among the messages that it got.
  template <class Record>
  static std::vector<Record> got(const Attacker& evil) {
    std::vector<Record> all;
    for (const std::string& body : evil.messages()) {
      const bus::ByteView bytes = bus::as_bytes(body);
      if (bytes.size() < bus::kRecordHeader) continue;
      if (static_cast<Kind>(bytes[sizeof(std::uint32_t)]) != Record::kKind) continue;
      auto record = bus::decode<Record>(bytes.subspan(bus::kRecordHeader));
      if (record) all.push_back(std::move(*record));
    }
    return all;
  }

  storage::test::TempFolder folder_;
  std::unique_ptr<mail::MailStoreThread> store_;
  Bus owner{loop, cluster.node("a", "owner")};
};

/// It asks for the shard as a store does that is to have it: as any process, and as the process
/// that a store of its host would be.
TEST_F(TakenMail, AShardIsNotGivenToWhoAsksForIt) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        for (const std::string name : {"evil", "store"}) {
          const auto evil = node(name);
          const std::string own = "process/a." + name;
          EXPECT_TRUE(co_await until([&] { return bool(evil->granted(own)); }));
          const bus::Lineage lineage = co_await look(*evil);
          std::uint64_t seq = 0;
          for (const char* claims : {"a", "b", "c", ""}) {
            const bus::ShardTake take{7, shard(), false, claims, {}, evil->granted(own)};
            evil->say_to_library(kStore, take, ++seq, lineage);
          }
          EXPECT_TRUE(co_await until([&] { return got<bus::ShardGiven>(*evil).size() == 4; }))
              << name;
          for (const auto& answer : got<bus::ShardGiven>(*evil)) {
            EXPECT_NE(answer.status, Errc::ok);
          }
          evil->say_to_library(kStore, bus::ShardMore{7, shard(), 0}, ++seq, lineage);
          evil->say_to_library(kStore, bus::ShardMore{7, shard(), 1}, ++seq, lineage);
          co_await pass(200ms);
          EXPECT_TRUE(got<bus::ShardRows>(*evil).empty());
        }
        EXPECT_EQ(co_await read_all(3), "one two three ");
        CO_OK(co_await owner.post(kBox, "four", {}, use_awaitable));
      },
      50s);
}

/// Under the highest epoch no later owner could have opened the mailbox again.
TEST_F(TakenMail, OnlyTheOwnerOpensAMailboxWhateverEpochIsNamed) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        const auto evil = node("evil");
        EXPECT_TRUE(co_await until([&] { return bool(evil->granted("process/a.evil")); }));
        const bus::Lineage lineage = co_await look(*evil);
        std::uint64_t seq = 0;
        for (const auto target : {bus::PostTarget::mailbox, bus::PostTarget::log}) {
          for (const std::uint64_t epoch : {~std::uint64_t{0}, std::uint64_t{1}}) {
            bus::MailOpen open;
            open.token = 7 + seq;
            open.target = target;
            open.name = kBox;
            open.epoch = {epoch};
            open.settled = target == bus::PostTarget::mailbox ? 3 : 0;
            open.window = 1'000'000;
            open.reply = evil->granted("process/a.evil");
            evil->say_to_library(kStore, open, ++seq, lineage);
          }
        }
        EXPECT_TRUE(co_await until([&] { return got<bus::MailOpened>(*evil).size() == 4; }));
        for (const auto& answer : got<bus::MailOpened>(*evil)) EXPECT_NE(answer.status, Errc::ok);
        EXPECT_TRUE(got<bus::MailItems>(*evil).empty());
        EXPECT_EQ(co_await read_all(3), "one two three ");
      },
      50s);
}

/// A host that was taken over has no busd that would look at what its processes say.
TEST_F(TakenMail, AHostOpensNoMailboxOfAnother) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        const auto evil = host();
        evil->bind("process/evil.n");
        EXPECT_TRUE(co_await until([&] { return bool(evil->granted("process/evil.n")); }));
        const bus::Lineage lineage = co_await look(*evil);
        std::uint64_t seq = 0;
        for (const std::uint64_t epoch : {std::uint64_t{1}, ~std::uint64_t{0}}) {
          bus::MailOpen open;
          open.token = 7 + seq;
          open.name = kBox;
          open.epoch = {epoch};
          open.window = 1'000'000;
          open.reply = evil->granted("process/evil.n");
          evil->say_to_library(kStore, open, ++seq, lineage);
        }
        co_await pass(500ms);
        EXPECT_TRUE(got<bus::MailItems>(*evil).empty());
        EXPECT_EQ(co_await read_all(3), "one two three ");
      },
      50s);
}

/// It guesses the key under which an honest process will post, and posts first.
TEST_F(TakenMail, NoHonestPostVanishesUnderAGuessedKey) {
  run(
      [this]() -> Task {
        EXPECT_TRUE(co_await begin());
        Bus evil(loop, cluster.node("a", "evil"));
        CO_OK(co_await evil.connect(use_awaitable));
        bus::PostOptions options;
        options.key = "trade-1";
        CO_OK(co_await evil.post(kBox, "forged", options, use_awaitable));
        const auto honest = co_await owner.post(kBox, "honest", options, use_awaitable);
        CO_OK(honest);
        EXPECT_EQ(*honest, 5U);
        EXPECT_EQ(co_await read_all(5), "one two three forged honest ");
      },
      50s);
}

}  // namespace
}  // namespace starbus::attack
