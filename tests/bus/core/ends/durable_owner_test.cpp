/// Durable channels: nothing is said of a message before the disk has it.
#include "bus/core/ends/durable_owner.hpp"

#include <gmock/gmock.h>

#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ChannelId kShard{7, 7};
const Process kAlice{1, 1, 1};
const Process kBob{1, 2, 1};
const Lineage kLife = Epoch::of(1, 5);
const StreamId kStream{kShard, kAlice, Lane::call};

class DurableOwnerTest : public testing::Test, private DurableEvents {
 protected:
  DurableOwnerTest() { owner.activate(kShard, kLife, {}); }

  void data(std::uint64_t prev, std::uint64_t seq, std::string_view letters,
            Lineage lineage = kLife) {
    Bytes items;
    Writer writer(items);
    for (const char& letter : letters) {
      writer.put(letter == '-' ? kTombstone : 1U);
      writer.put(&letter == letters.data() ? 0U : 1U);
      if (letter != '-') writer.bytes(as_bytes({&letter, 1}));
    }
    owner.on_run({Lane::call, static_cast<std::uint16_t>(letters.size()), kAlice, kShard, lineage,
                  prev, seq, items});
  }
  void probe(std::uint64_t seq, const Process& origin = kAlice) {
    owner.on_probe({Lane::call, origin, kShard, seq});
  }
  /// The disk has everything up to `last`; each message since got its seq times ten.
  void sync(std::uint64_t last) {
    std::vector<PostResult> results;
    while (synced < last) {
      ++synced;
      results.push_back({synced, Errc::ok, synced * 10});
    }
    owner.stored(kStream, last, results);
  }
  /// "posted 3: 1=10 2=20 3=30", "gap 3", "overflow 4".
  std::vector<std::string> answers() {
    owner.flush();
    return std::exchange(said, {});
  }

  std::string handled;
  std::vector<std::string> said;
  std::uint64_t synced = 0;
  DurableOwner owner{*this, [this](ByteView bytes) {
                       for (const WireRecord& record : cut_records(bytes)) note(record);
                     }};

 private:
  void on_item(const StreamId& stream, std::uint64_t, ByteView body, bool tombstone) override {
    EXPECT_EQ(stream, kStream);
    handled += tombstone ? "-" : as_text(body);
  }
  void on_repeat(const StreamId& stream) override {
    const std::vector<PostResult> kept = {{synced, Errc::ok, synced * 10}};
    owner.answer(stream, kept);
  }
  void note(const WireRecord& record) {
    if (record.kind == Kind::nack) {
      const Nack nack = read_record<Nack>(record);
      said.push_back(std::string(name_of(nack.reason)) + " " +
                     std::to_string(nack.reason == NackReason::gap ? nack.last : nack.seq));
      return;
    }
    const Posted posted = read_record<Posted>(record);
    std::string text = (posted.complete ? "all " : "posted ") + std::to_string(posted.last) + ":";
    for (const PostResult& result : posted.results) {
      text += " " + std::to_string(result.seq) + "=" + std::to_string(result.number);
    }
    said.push_back(text);
  }
};

TEST_F(DurableOwnerTest, AnswersWhenTheDiskHasIt) {
  data(0, 1, "ab");
  data(2, 3, "c");
  EXPECT_EQ(handled, "abc");
  EXPECT_THAT(answers(), IsEmpty());
  sync(2);
  EXPECT_THAT(answers(), ElementsAre("posted 2: 1=10 2=20"));
  sync(3);
  EXPECT_THAT(answers(), ElementsAre("posted 3: 3=30"));
}

TEST_F(DurableOwnerTest, WhatIsWrittenAndNotSyncedGetsNoAnswerEvenIfAskedFor) {
  data(0, 1, "a");
  data(0, 1, "a");
  probe(1);
  EXPECT_THAT(answers(), IsEmpty());
  EXPECT_EQ(handled, "a");
  EXPECT_EQ(owner.counters().duplicates, 1u);
}

TEST_F(DurableOwnerTest, ARepeatOfWhatIsDurableHearsAllThatIsKept) {
  data(0, 1, "ab");
  sync(2);
  answers();
  data(0, 1, "a");
  probe(2);
  EXPECT_THAT(answers(), ElementsAre("all 2: 2=20")) << "once per batch";
  EXPECT_EQ(handled, "ab");
}

TEST_F(DurableOwnerTest, AGapIsSaidWhenTheDiskHasCaughtUp) {
  data(0, 1, "a");
  data(2, 3, "c");
  EXPECT_EQ(handled, "a");
  EXPECT_THAT(answers(), IsEmpty()) << "the origin would send all of it again";
  sync(1);
  EXPECT_THAT(answers(), ElementsAre("posted 1: 1=10", "gap 1"));
  data(2, 3, "c");
  EXPECT_THAT(answers(), ElementsAre("gap 1", "all 1: 1=10"));
  probe(9);
  EXPECT_THAT(answers(), ElementsAre("gap 1", "all 1: 1=10"));
}

TEST_F(DurableOwnerTest, AFirstProbeLearnsTheLineage) {
  probe(4, kBob);
  EXPECT_THAT(answers(), ElementsAre("gap 0"));
}

TEST_F(DurableOwnerTest, AnotherLineageIsRefused) {
  data(0, 1, "a", Epoch::of(1, 4));
  EXPECT_THAT(answers(), ElementsAre("lineage 1"));
  EXPECT_EQ(handled, "");
}

TEST_F(DurableOwnerTest, GoesOnFromTheRowsOfTheDisk) {
  const std::vector<FilterRow> rows = {{kAlice, Lane::call, 5}};
  owner.activate(kShard, kLife, rows);
  synced = 5;
  data(0, 4, "xy");
  EXPECT_EQ(handled, "");
  EXPECT_THAT(answers(), ElementsAre("all 5: 5=50"));
  data(5, 6, "z");
  EXPECT_EQ(handled, "z");
}

TEST_F(DurableOwnerTest, TombstonesKeepTheirPlace) {
  data(0, 1, "-a");
  EXPECT_EQ(handled, "-a");
  owner.stored(kStream, 2, std::vector<PostResult>{{2, Errc::ok, 1}});
  EXPECT_THAT(answers(), ElementsAre("posted 2: 2=1"));
}

TEST_F(DurableOwnerTest, WhatTheDiskRefusedComesAgain) {
  data(0, 1, "abcd");
  sync(1);
  answers();
  owner.refused(kStream, 2);  // the second is on its way
  EXPECT_THAT(answers(), ElementsAre("overflow 4"));
  handled.clear();
  data(0, 1, "abcd");
  EXPECT_EQ(handled, "cd") << "the second is not taken twice";
}

TEST_F(DurableOwnerTest, ManyResultsTravelInPiecesThatStandAlone) {
  const std::size_t many = Posted::kMostResults + 10;
  data(0, 1, std::string(many, 'm'));
  sync(many);
  const auto pieces = answers();
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_THAT(pieces[0], testing::StartsWith("posted 1024: 1=10"));
  EXPECT_THAT(pieces[1], testing::StartsWith("posted 1034: 1025=10250"));
}

TEST_F(DurableOwnerTest, AfterItWasGivenUpNothingIsSaid) {
  data(0, 1, "a");
  owner.deactivate(kShard);
  sync(1);
  data(1, 2, "b");
  probe(1);
  EXPECT_THAT(answers(), IsEmpty());
}

}  // namespace
}  // namespace starbus::bus
