#include "bus/core/routers/row_set.hpp"

#include <gtest/gtest.h>

#include "bus/core/limits.hpp"

namespace starbus::bus {
namespace {

WatchRow row(const std::string& name, std::uint64_t n, std::uint32_t slot = 1) {
  return {true, name, Process{1, slot, 1}, "a.one", Epoch::of(1, n), Epoch::of(1, n)};
}

WatchRow gone(const std::string& name) {
  WatchRow row;
  row.present = false;
  row.name = name;
  return row;
}

WatchRows snapshot(std::vector<WatchRow> rows, bool first = true, bool last = true) {
  return {"a/", first, last, std::move(rows)};
}

WatchRows delta(WatchRow row) {
  return {"a/", false, false, {std::move(row)}};
}

TEST(RowSet, IsCompleteAfterTheLastPiece) {
  RowSet set;
  EXPECT_TRUE(set.apply(snapshot({row("a/1", 1)}, true, false)).empty());
  EXPECT_FALSE(set.complete());
  EXPECT_TRUE(set.rows().empty());
  EXPECT_EQ(set.apply(snapshot({row("a/2", 2)}, false, true)).size(), 2u);
  EXPECT_TRUE(set.complete());
  EXPECT_EQ(set.rows().size(), 2u);
}

TEST(RowSet, AnEmptySnapshotIsComplete) {
  RowSet set;
  EXPECT_TRUE(set.apply(snapshot({})).empty());
  EXPECT_TRUE(set.complete());
}

TEST(RowSet, ASecondSnapshotYieldsTheDifference) {
  RowSet set;
  set.apply(snapshot({row("a/gone", 1), row("a/same", 2), row("a/moved", 3), row("a/newer", 4)}));
  const auto changes = set.apply(
      snapshot({row("a/same", 2), row("a/moved", 3, 2), row("a/newer", 9), row("a/new", 5)}));
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].name, "a/gone");
  EXPECT_FALSE(changes[0].present);
  EXPECT_EQ(changes[1].name, "a/moved");
  EXPECT_EQ(changes[1].owner.slot, 2u);
  EXPECT_EQ(changes[2].name, "a/new");
  EXPECT_EQ(changes[3].name, "a/newer");
  EXPECT_EQ(set.rows().size(), 4u);
}

TEST(RowSet, ADeltaIsReportedOnlyIfItChangesAnything) {
  RowSet set;
  set.apply(snapshot({row("a/1", 1)}));
  EXPECT_TRUE(set.apply(delta(row("a/1", 1))).empty());
  EXPECT_TRUE(set.apply(delta(gone("a/2"))).empty());
  EXPECT_EQ(set.apply(delta(row("a/1", 2))).size(), 1u);
  const auto changes = set.apply(delta(gone("a/1")));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_FALSE(changes[0].present);
  EXPECT_TRUE(set.rows().empty());
}

TEST(RowSet, DeltasBetweenThePiecesTakeEffectWithTheSnapshot) {
  RowSet set;
  set.apply(snapshot({row("a/1", 1)}));
  set.apply(snapshot({row("a/1", 1)}, true, false));
  EXPECT_TRUE(set.apply(delta(gone("a/1"))).empty());
  EXPECT_TRUE(set.apply(delta(row("a/2", 2))).empty());
  EXPECT_TRUE(set.rows().contains("a/1"));
  const auto changes = set.apply(snapshot({}, false, true));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_FALSE(set.rows().contains("a/1"));
  EXPECT_TRUE(set.rows().contains("a/2"));
}

TEST(RowSet, ANewFirstPieceForgetsAnUnfinishedSnapshot) {
  RowSet set;
  set.apply(snapshot({row("a/1", 1)}, true, false));
  set.apply(snapshot({row("a/2", 1)}));
  EXPECT_EQ(set.rows().size(), 1u);
  EXPECT_TRUE(set.rows().contains("a/2"));
}

TEST(RowSet, IsBounded) {
  RowSet set;
  set.apply(snapshot({}));
  for (std::uint64_t i = 0; i < kMaxWatchRows; ++i) set.apply(delta(row(std::to_string(i), 1)));
  EXPECT_FALSE(set.overflowed());
  EXPECT_TRUE(set.apply(delta(row("one more", 1))).empty());
  EXPECT_TRUE(set.overflowed());
  EXPECT_EQ(set.rows().size(), kMaxWatchRows);
}

TEST(RowSet, IsSentInPieces) {
  RowSet set;
  std::vector<WatchRow> rows;
  for (int i = 0; i < 600; ++i) rows.push_back(row(std::to_string(i), 1));
  set.apply(snapshot(rows));
  std::vector<WatchRows> pieces;
  SnapshotPlace place;
  do pieces.push_back(next_piece("p/", set.rows(), place, 256));
  while (!pieces.back().last);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_TRUE(pieces[0].first && !pieces[0].last);
  EXPECT_FALSE(pieces[1].first || pieces[1].last);
  EXPECT_TRUE(!pieces[2].first && pieces[2].last);
  RowSet copy;
  for (WatchRows& piece : pieces) copy.apply(std::move(piece));
  EXPECT_EQ(copy.rows().size(), 600u);
}

}  // namespace
}  // namespace starbus::bus
