// The two sides of a shard that moves, each against words that do not fit. What they do together,
// through crashes and full disks, is the simulator's (profile mail).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bus/core/wire/name.hpp"
#include "mail/shards/shard_export.hpp"
#include "mail/shards/shard_import.hpp"
#include "mail/shards/shard_offers.hpp"
#include "mail/store_limit.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Process kOther{2, 2, 2};
const std::string kMovedBox = "player/1";
const Lineage kLife = Epoch::of(1, 5);  // that of FilledStore
const std::uint8_t kShard = shard_of(channel_id(kMovedBox));
const std::uint8_t kAnother = static_cast<std::uint8_t>(kShard + 1);

Bytes bytes(std::string_view text) {
  const ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}

class MovingTest : public testing::Test {
 protected:
  /// The latest word of this kind; fails if there is none.
  template <class Record>
  Record said() const {
    for (auto word = words_.rbegin(); word != words_.rend(); ++word) {
      const auto kind = static_cast<bus::Kind>((*word)[sizeof(std::uint32_t)]);
      if (kind != Record::kKind) continue;
      return bus::decode<Record>(ByteView(*word).subspan(bus::kRecordHeader)).value();
    }
    ADD_FAILURE() << "it was not said";
    return {};
  }
  auto say() {
    return [this](const Process&, Lineage, ByteView record) {
      words_.emplace_back(record.begin(), record.end());
    };
  }
  PlaceRow place(std::uint8_t shard) const {
    const auto stored = store_.store().get(place_key(shard));
    return stored && *stored ? decode_place(**stored).value() : PlaceRow{};
  }

  mutable test::FilledStore store_;
  std::vector<Bytes> words_;
  std::uint64_t now_ = 1'000;
};

class ShardImportTest : public MovingTest {
 protected:
  ShardImportTest() : import_("a", way()) {}
  ShardImport::Way way() {
    return {.say = say(),
            .reply_lineage = [] { return Epoch::of(1, 1); },
            .serves = [this](std::uint8_t shard) { return shard == served_; },
            .keeps = [this](std::uint8_t shard) { return shard == served_; },
            .limit_passed = [this](const Totals& more) { return limit_passed(quota_, {}, more); },
            .erases = [this](std::uint8_t) { return erases_; },
            .owner = [this](std::uint8_t) { return owner_; },
            .store_of = [](const std::string&) { return std::optional(kOther); },
            .taken = [this](std::uint8_t shard) { served_ = shard; },
            .commit =
                [this](storage::Batch batch, const storage::Store::Completion& done) {
                  done(storage::test::commit(store_.store(), std::move(batch)));
                },
            .token = [this] { return ++token_; },
            .now_ms = [this] { return now_; },
            .trouble = [this](const std::string& text) { log_.push_back(text); }};
  }
  bus::ShardRows page(std::uint32_t number, bool last,
                      std::vector<bus::ShardChange> changes) const {
    return {token_, kShard, number, last, Epoch::of(1, 5), 1, 1, 4, std::move(changes)};
  }

  std::optional<ShardImport::Store> owner_ = ShardImport::Store{kOther, "b"};
  std::optional<std::uint8_t> served_;
  MailQuota quota_;
  std::vector<std::string> log_;
  bool erases_ = false;
  std::uint64_t token_ = 0;
  ShardImport import_;
};

TEST_F(ShardImportTest, TakesWhatItIsGiven) {
  ASSERT_TRUE(import_.begin({kShard}));
  EXPECT_FALSE(said<bus::ShardTake>().asks);
  const std::string key = box_key(kShard, channel_id(kMovedBox));
  import_.rows(kOther, page(1, false, {{bus::ShardChange::What::put, bytes(key), bytes("row")}}));
  EXPECT_EQ(place(kShard), (PlaceRow{Keeping::incoming, 1, "b"}));
  EXPECT_EQ(said<bus::ShardMore>().page, 1U);
  import_.rows(kOther, page(2, true, {}));
  EXPECT_EQ(place(kShard), (PlaceRow{Keeping::arrived, 1, "b"}));
  EXPECT_FALSE(served_);
  import_.given(kOther, {token_, kShard, Errc::ok, {}});
  EXPECT_EQ(place(kShard), (PlaceRow{Keeping::kept, 1, "b"}));
  EXPECT_EQ(served_, kShard);
  EXPECT_EQ(**store_.store().get(key), "row");
  EXPECT_EQ(import_.progress().state, MoveProgress::State::done);
  EXPECT_FALSE(import_.progress().shard) << "nothing is under way any more";
  EXPECT_EQ(import_.progress().from, "");
  EXPECT_EQ(import_.progress().doing, "");
}

TEST_F(ShardImportTest, WaitsUntilWhatWasHereOfTheShardIsErased) {
  erases_ = true;
  ASSERT_TRUE(import_.begin({kShard}));
  for (int i = 0; i < 100; ++i) {
    now_ += 1'000;
    import_.tick();
  }
  EXPECT_TRUE(words_.empty());
  EXPECT_TRUE(import_.progress().goes_on()) << import_.progress().error;
  EXPECT_THAT(import_.progress().doing, HasSubstr("erased"));
  erases_ = false;
  import_.tick();
  EXPECT_EQ(said<bus::ShardTake>().shard, kShard);
}

TEST_F(ShardImportTest, WritesNothingButRowsOfTheShard) {
  using What = bus::ShardChange::What;
  const std::string other = box_key(kAnother, channel_id(kMovedBox));
  const std::string mark = place_key(kShard);
  const std::string own = kind_prefix('m', kShard);
  const std::vector<bus::ShardChange> wrong = {
      {What::put, bytes(other), bytes("row")},
      {What::erase, bytes(other), {}},
      {What::erase_range, bytes(own), bytes(other)},
      {What::erase_range, bytes(other), bytes(own)},
      {What::put, bytes(own + "short"), bytes("row")},
      {What::put, bytes(message_key(kShard, channel_id(kMovedBox), 1) + "!"), bytes("row")},
      {What::put, bytes(mark), bytes(encode(PlaceRow{}))},
      {What::put, {}, bytes("row")},
      {What::erase_range, {}, {}},
  };
  store_.put(other, "another's");
  for (const bus::ShardChange& change : wrong) {
    ASSERT_TRUE(import_.begin({kShard}));
    import_.rows(kOther, page(1, false, {change}));
    EXPECT_EQ(import_.progress().state, MoveProgress::State::failed);
    EXPECT_THAT(import_.progress().error, HasSubstr("rows that are not the shard's"));
    EXPECT_EQ(place(kShard).keeping, Keeping::elsewhere);
    EXPECT_EQ(**store_.store().get(other), "another's");
  }
}

TEST_F(ShardImportTest, ListensToItsGiverAndItsAttemptOnly) {
  ASSERT_TRUE(import_.begin({kShard}));
  EXPECT_EQ(import_.begin({kAnother}).error(), Errc::busy);
  const auto put = [](std::string_view key) {
    return std::vector<bus::ShardChange>{{bus::ShardChange::What::put, bytes(key), bytes("row")}};
  };
  const std::string key = box_key(kShard, channel_id(kMovedBox));
  import_.rows({3, 3, 3}, page(1, false, put(key)));
  import_.rows(kOther, page(2, false, put(key)));
  bus::ShardRows earlier = page(1, false, put(key));
  earlier.token = 99;
  import_.rows(kOther, earlier);
  import_.given(kOther, {token_, kShard, Errc::ok, {}});  // before all has arrived
  EXPECT_FALSE(store_.store().get(key)->has_value());
  EXPECT_FALSE(served_);
}

TEST_F(ShardImportTest, AsksAboutWhatHadArrivedAndErasesAPart) {
  import_.found(kShard, {Keeping::arrived, 7, "b"}, kLife);
  import_.tick();
  now_ += in_ms(kImportAskAgain);
  import_.tick();
  EXPECT_TRUE(said<bus::ShardTake>().asks);
  EXPECT_EQ(said<bus::ShardTake>().token, 7U);
  import_.given(kOther, {7, kShard, Errc::no_owner, "the shard was not given in that attempt"});
  EXPECT_EQ(place(kShard).keeping, Keeping::elsewhere);
  EXPECT_FALSE(served_);
  import_.found(kAnother, {Keeping::incoming, 8, "b"}, {});
  const std::string key = box_key(kAnother, channel_id(kMovedBox));
  store_.put(key, "a part");
  import_.tick();
  EXPECT_FALSE(store_.store().get(key)->has_value());
  EXPECT_EQ(place(kAnother).keeping, Keeping::elsewhere);
}

TEST_F(ShardImportTest, TakesNothingThatTheQuotaOfItsStoreHasNoRoomFor) {
  const std::string key = box_key(kShard, channel_id(kMovedBox));
  const auto take = [&](Totals has) {
    EXPECT_TRUE(import_.begin({kShard}));
    bus::ShardRows first =
        page(1, false, {{bus::ShardChange::What::put, bytes(key), bytes("row")}});
    first.boxes = has.boxes;
    first.messages = has.messages;
    first.bytes = has.bytes;
    import_.rows(kOther, first);
  };
  quota_.total_boxes = 2;
  quota_.total_messages = 5;
  quota_.total_bytes = 100;
  const std::uint64_t endless = ~std::uint64_t{0};
  const std::vector<std::pair<Totals, std::string>> too_much = {
      {{3, 5, 100}, "total_boxes"},    {{endless, 5, 100}, "total_boxes"},
      {{2, 6, 100}, "total_messages"}, {{2, endless, 100}, "total_messages"},
      {{2, 5, 101}, "total_bytes"},    {{2, 5, endless}, "total_bytes"}};
  for (const auto& [has, setting] : too_much) {
    take(has);
    EXPECT_EQ(import_.progress().state, MoveProgress::State::failed) << setting;
    EXPECT_THAT(import_.progress().error, HasSubstr("store_full"));
    EXPECT_THAT(import_.progress().error, HasSubstr(setting));
    EXPECT_EQ(import_.progress().from, "") << "it has ended; the error names the host";
    ASSERT_FALSE(log_.empty());
    EXPECT_THAT(log_.back(), HasSubstr("[mail] " + setting));
    EXPECT_FALSE(store_.store().get(key)->has_value());
    EXPECT_FALSE(store_.store().get(place_key(kShard))->has_value())
        << "as if it was never asked for";
  }
  take({2, 5, 100});
  EXPECT_TRUE(import_.progress().goes_on()) << "it just fits";
}

TEST_F(ShardImportTest, GivesUpWhatGrowsBeyondTheQuotaOnItsWay) {
  quota_.total_messages = 5;
  ASSERT_TRUE(import_.begin({kShard}));
  const std::string key = box_key(kShard, channel_id(kMovedBox));
  import_.rows(kOther, page(1, false, {{bus::ShardChange::What::put, bytes(key), bytes("row")}}));
  bus::ShardRows second = page(2, false, {});
  second.messages = 6;
  import_.rows(kOther, second);
  EXPECT_EQ(import_.progress().state, MoveProgress::State::failed);
  EXPECT_THAT(import_.progress().error, HasSubstr("total_messages"));
  EXPECT_FALSE(store_.store().get(key)->has_value()) << "what was here of it is erased";
  EXPECT_EQ(place(kShard).keeping, Keeping::elsewhere);
}

TEST_F(ShardImportTest, TheLastPageIsTakenSinceItsGiverStandsStill) {
  quota_.total_messages = 5;
  ASSERT_TRUE(import_.begin({kShard}));
  import_.rows(kOther, page(1, false, {}));
  bus::ShardRows last = page(2, true, {});
  last.messages = 6;
  import_.rows(kOther, last);
  EXPECT_EQ(place(kShard).keeping, Keeping::arrived);
}

TEST_F(ShardImportTest, SaysWhatWasOnItsWayWhenTheLastStoreEnded) {
  import_.found(kShard, {Keeping::arrived, 7, "b"}, kLife);
  import_.tick();
  ASSERT_TRUE(import_.begin({kAnother}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(import_.progress().shard, kShard);
    EXPECT_EQ(import_.progress().from, "b");
    EXPECT_EQ(import_.progress().doing, "waits for b");
    now_ += in_ms(kImportAskAgain);
    import_.tick();
  }
  import_.given(kOther, {7, kShard, Errc::ok, {}});
  EXPECT_FALSE(import_.progress().shard);
  EXPECT_EQ(import_.progress().from, "");
  import_.tick();
  EXPECT_EQ(import_.progress().shard, kAnother);
}

TEST_F(ShardImportTest, GivesUpAfterSomeAttempts) {
  ASSERT_TRUE(import_.begin({kShard}));
  for (std::size_t attempt = 1; attempt <= kImportAttempts; ++attempt) {
    EXPECT_EQ(words_.size(), attempt);
    now_ += in_ms(kImportPatience);
    import_.tick();
    EXPECT_TRUE(import_.progress().goes_on()) << "it waits for an answer to attempt " << attempt;
    now_ += 1;
    import_.tick();  // gives the attempt up
    now_ += in_ms(kImportPause) - 1;
    import_.tick();
    EXPECT_EQ(words_.size(), attempt) << "it rests";
    now_ += 1;
    import_.tick();
  }
  EXPECT_EQ(words_.size(), kImportAttempts);
  EXPECT_EQ(import_.progress().state, MoveProgress::State::failed);
  EXPECT_THAT(import_.progress().error, HasSubstr("no answer"));
}

TEST_F(ShardImportTest, LooksForAnOwnerForAWhile) {
  owner_.reset();
  ASSERT_TRUE(import_.begin({kShard}));
  now_ += in_ms(kImportSeek) - 1;
  import_.tick();
  EXPECT_TRUE(import_.progress().goes_on());
  now_ += 1;
  import_.tick();
  EXPECT_EQ(import_.progress().state, MoveProgress::State::failed);
  EXPECT_THAT(import_.progress().error, HasSubstr("no host serves it"));
}

class ShardExportTest : public MovingTest {
 protected:
  ShardExportTest() : exports_(store_.store(), way()) {
    store_.fill(kMovedBox, 0, 3);
    offers_.offer({kShard, kAnother}, "b", now_);
  }
  ShardExport::Way way() {
    return {
        .say = say(),
        .serves = [this](std::uint8_t shard) { return served_ && shard == kShard; },
        .store_of = [this](const std::string& host) -> std::optional<Process> {
          const auto store = stores_.find(host);
          return store == stores_.end() ? std::nullopt : std::optional(store->second);
        },
        .offered = [this](std::uint8_t shard,
                          const std::string& host) { return offers_.allows(shard, host, now_); },
        .freeze = [this](std::uint8_t) { served_ = false; },
        .begun = [] { return 0; },
        .thaw = [this](std::uint8_t) { served_ = true; },
        .mark = [this](std::uint8_t, const PlaceRow& row) { marked_ = row; },
        .now_ms = [this] { return now_; },
        .trouble = [](const std::string&) {}};
  }
  bus::ShardTake take() const { return {7, kShard, false, "b", kLife, Epoch::of(1, 1)}; }
  /// Until the shard stands still and the last page was said.
  void copy() {
    exports_.take(kOther, take());
    exports_.settled(0);
    while (served_) exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
    exports_.settled(0);
    ASSERT_TRUE(said<bus::ShardRows>().last);
  }

  bool served_ = true;
  std::map<std::string, Process> stores_{{"b", kOther}, {"c", {3, 3, 3}}};
  ShardOffers offers_;
  std::optional<PlaceRow> marked_;
  ShardExport exports_;
};

TEST_F(ShardExportTest, GivesWhenTheLastPageIsThere) {
  copy();
  EXPECT_FALSE(marked_);
  exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  EXPECT_EQ(marked_, (PlaceRow{Keeping::elsewhere, 7, "b"}));
  exports_.marked(kShard, {});
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::ok);
  EXPECT_FALSE(served_);
}

TEST_F(ShardExportTest, ServesAgainWhenNothingIsHeard) {
  copy();
  now_ += in_ms(kExportFrozenPatience) + 1;
  exports_.tick();
  EXPECT_TRUE(served_);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::busy);
  // The target's word comes late: it was not given, and it will not be.
  exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  EXPECT_FALSE(marked_);
  bus::ShardTake asks = take();
  asks.asks = true;
  exports_.take(kOther, asks);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::no_owner);
}

TEST_F(ShardExportTest, GivesUpATakerThatSaysNothing) {
  exports_.take(kOther, take());
  exports_.settled(0);
  now_ += in_ms(kExportPatience);
  exports_.tick();
  EXPECT_EQ(exports_.count(), 1U);
  now_ += 1;
  exports_.tick();
  EXPECT_EQ(exports_.count(), 0U);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::busy);
  EXPECT_TRUE(served_) << "it was never frozen";
}

TEST_F(ShardExportTest, PagesAreBounded) {
  store_.fill(kMovedBox, 0, 2 * kExportPageRows);
  exports_.take(kOther, take());
  exports_.settled(0);
  std::size_t rows = 0;
  std::size_t largest = 0;
  while (served_) {
    const auto page = said<bus::ShardRows>();
    rows += page.changes.size();
    largest = std::max(largest, page.changes.size());
    exports_.more(kOther, {7, kShard, page.page});
  }
  EXPECT_GT(rows, 2 * kExportPageRows);
  EXPECT_LE(largest, kExportPageRows);
  std::size_t bytes = 0;
  for (const Bytes& word : words_) bytes = std::max(bytes, word.size());
  EXPECT_LE(bytes, kExportPageBytes + 16 * kExportPageRows) << "lengths stand before the rows";
}

TEST_F(ShardExportTest, PagesOfRangesAreBounded) {
  exports_.take(kOther, take());
  for (std::size_t i = 0; i < kExportPageRanges + 1; ++i) {
    exports_.changed(kShard, storage::Batch::Kind::erase_range, "m" + std::to_string(i), "n");
  }
  exports_.settled(0);
  while (served_) exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  exports_.settled(0);
  EXPECT_EQ(said<bus::ShardRows>().changes.size(), kExportPageRanges);
  exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  EXPECT_EQ(said<bus::ShardRows>().changes.size(), 1U);
}

/// Posts come as fast as they are copied: without an end it would never be given.
TEST_F(ShardExportTest, FreezesAfterSomeRoundsWhateverTheLoad) {
  exports_.take(kOther, take());
  exports_.settled(0);
  std::size_t change = 0;
  std::size_t pages = 0;
  for (; served_ && pages < 1'000; ++pages) {
    for (std::size_t i = 0; i <= kExportFreezeAt; ++i) {
      exports_.changed(kShard, storage::Batch::Kind::put, "m" + std::to_string(++change), {});
    }
    exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  }
  EXPECT_FALSE(served_);
  EXPECT_GE(pages, kExportRounds);
}

TEST(ChangedRowsTest, AreBounded) {
  ChangedRows changed;
  bool taken = true;
  for (std::size_t i = 0; i < kExportChanges; ++i) {
    taken = changed.add(storage::Batch::Kind::erase_range, "m", "n") && taken;
  }
  EXPECT_TRUE(taken);
  EXPECT_FALSE(changed.add(storage::Batch::Kind::erase_range, "m", "n"));
}

TEST_F(ShardExportTest, RemembersWhatItHasGiven) {
  store_.put(place_key(kShard), encode(PlaceRow{Keeping::elsewhere, 7, "b"}));
  served_ = false;
  bus::ShardTake asks = take();
  asks.asks = true;
  exports_.take(kOther, asks);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::ok);
  asks.token = 8;
  exports_.take(kOther, asks);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::no_owner);
}

TEST_F(ShardExportTest, SaysNothingOfWhatItDoesNotKnow) {
  store_.erase(shard_key(kShard));  // a new disk, or one of another time
  served_ = false;
  bus::ShardTake asks = take();
  asks.asks = true;
  exports_.take(kOther, asks);
  EXPECT_TRUE(words_.empty()) << "its target has the only copy, and would erase it";
}

TEST_F(ShardExportTest, WritesAMarkAgainIfItMayBeThere) {
  copy();
  exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  exports_.marked(kShard, storage::Error(storage::Errc::io_error, "fsync"));
  words_.clear();
  marked_.reset();
  now_ += in_ms(kExportMarkAgain) + 1;
  exports_.tick();
  EXPECT_TRUE(marked_);
  // A certain refusal of the second says nothing of the first.
  exports_.marked(kShard, storage::Error(storage::Errc::store_full));
  EXPECT_TRUE(words_.empty());
  EXPECT_FALSE(served_);
  exports_.marked(kShard, {});
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::ok);
}

TEST_F(ShardExportTest, RefusesWhatItDoesNotServeAndASecondTaker) {
  bus::ShardTake another = take();
  another.shard = kAnother;
  exports_.take(kOther, another);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::no_owner);
  exports_.take(kOther, take());
  offers_.offer({kShard}, "c", now_);  // the operator thinks again
  bus::ShardTake second = take();
  second.host = "c";
  exports_.take({3, 3, 3}, second);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::busy);
}

// A process sends what a store sends, in the name of a host that the shard is offered to.
TEST_F(ShardExportTest, GivesNothingToAProcessThatIsNoStore) {
  const Process attacker{2, 66, 1};
  bus::ShardTake request = take();
  exports_.take(attacker, request);
  exports_.settled(0);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::busy);
  EXPECT_EQ(words_.size(), 1U) << "no page";
  EXPECT_EQ(exports_.count(), 0U);
  for (const char* host : {"", "x", "b.evil"}) {
    request.host = host;
    exports_.take(attacker, request);
    EXPECT_EQ(exports_.count(), 0U);
  }
  EXPECT_TRUE(served_);
}

// It knows, or guesses, the number of a move that is under way.
TEST_F(ShardExportTest, AProcessThatIsNoStoreCannotTakeAMoveOver) {
  copy();
  const auto pages = words_.size();
  bus::ShardTake asks = take();
  asks.asks = true;
  exports_.take({2, 66, 1}, asks);
  exports_.more({2, 66, 1}, {7, kShard, said<bus::ShardRows>().page});
  EXPECT_EQ(words_.size(), pages);
  EXPECT_FALSE(marked_);
  exports_.more(kOther, {7, kShard, said<bus::ShardRows>().page});
  EXPECT_EQ(marked_, (PlaceRow{Keeping::elsewhere, 7, "b"}));
}

// The store of a host that was taken over asks for what no operator has offered to it.
TEST_F(ShardExportTest, GivesAStoreOnlyWhatIsOfferedToItsHost) {
  bus::ShardTake request = take();
  request.host = "c";
  const auto refused = [&] {
    exports_.take({3, 3, 3}, request);
    exports_.settled(0);
    EXPECT_EQ(exports_.count(), 0U);
    EXPECT_THAT(said<bus::ShardGiven>().detail, HasSubstr("starbus-mail offer"));
    return said<bus::ShardGiven>().status;
  };
  EXPECT_EQ(refused(), Errc::denied) << "it is offered to b";
  offers_.offer({kShard}, "c", now_);
  offers_.withdraw({kShard});
  EXPECT_EQ(refused(), Errc::denied);
  offers_.offer({kShard}, "c", now_);
  now_ += in_ms(kOfferLife);
  EXPECT_EQ(refused(), Errc::denied) << "it is too old";
  offers_.offer({kShard}, "c", now_);
  offers_.given(kShard);
  EXPECT_EQ(refused(), Errc::denied) << "it has been given before, and came back";
  offers_.offer({kShard}, "c", now_);
  exports_.take({3, 3, 3}, request);
  EXPECT_EQ(exports_.count(), 1U);
}

TEST_F(ShardImportTest, AnotherProcessCannotEndTheMove) {
  import_.found(kShard, {Keeping::arrived, 7, "b"}, kLife);
  import_.tick();
  now_ += in_ms(kImportAskAgain);
  import_.tick();
  import_.given({2, 66, 1}, {7, kShard, Errc::ok, {}});
  EXPECT_FALSE(served_);
  EXPECT_TRUE(words_.size() == 1) << "it waits for its giver";
}

TEST(ShardOffersTest, ShowsWhatIsOfferedByHost) {
  ShardOffers offers;
  offers.offer({1, 2, 40}, "b", 5);
  offers.offer({2}, "c", 6);
  EXPECT_EQ(offers.by_host(7),
            (std::map<std::string, std::vector<std::uint8_t>>{{"b", {1, 40}}, {"c", {2}}}));
  EXPECT_EQ(offers.by_host(5 + in_ms(kOfferLife)).size(), 1U);
  EXPECT_FALSE(offers.allows(3, "", 7)) << "to nobody";
}

TEST_F(ShardExportTest, DoesNotGiveWhatItCannotRead) {
  store_.move_into_a_table();
  ASSERT_TRUE(store_.flip_at(test::body_of(kMovedBox, 2)));
  store_.open();
  ShardExport source(store_.store(), way());
  source.take(kOther, take());
  source.settled(0);
  EXPECT_EQ(said<bus::ShardGiven>().status, Errc::corrupt);
  EXPECT_TRUE(served_);
}

}  // namespace
}  // namespace starbus::mail
