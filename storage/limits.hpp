/// Every bound of a store, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::storage {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_STORAGE_LIMITS(X)                                                                  \
  X(kMaxKey, 1024, "bytes", "a key is repeated in every table's index and compared at each read",  \
    "too_large", "BatchTest.SaysWhatIsWrongWithIt")                                                \
  X(kMaxValue, 17_MiB, "bytes", "the bus' largest record (16 MiB) and its envelope", "too_large",  \
    "BatchTest.SaysWhatIsWrongWithIt")                                                             \
  X(kMaxBatch, 20_MiB, "bytes", "the largest value with its overhead", "too_large")                \
  X(kReserveBatch, 64_KiB, "bytes",                                                                \
    "put by one batch that uses the reserve: bookkeeping is small; records may not eat the space " \
    "that LevelDB needs",                                                                          \
    "too_large", "ReserveTest.IsBoundedPerBatchAlsoWhenThereIsSpace")                              \
  X(kMaxBatchRanges, 64, "ranges", "erased by one batch: the writer looks each one up",            \
    "too_large", "BatchTest.SaysWhatIsWrongWithIt")                                                \
  X(kQueueBytes, 64_MiB, "bytes",                                                                  \
    "batches that wait for the disk are memory; three of "                                         \
    "the largest size fit",                                                                        \
    "would_block", "StoreTest.TheQueueIsBoundedInBytes")                                           \
  X(kQueueBatches, 65'536, "batches", "small batches cost more than their bytes", "would_block",   \
    "StoreTest.TheQueueIsBoundedInBatches")                                                        \
  X(kGroupBytes, 4_MiB, "bytes",                                                                   \
    "one fsync of this much takes tens of milliseconds on a plain disk; all in it wait for it",    \
    "the rest goes into the next group; a larger batch goes alone")                                \
  X(kGroupBatches, 8'192, "batches", "completions run one after the other on the writer's thread", \
    "the rest goes into the next group")                                                           \
  X(kRangeInline, 64, "keys", "an erased range of so many costs its commit less than an fsync",    \
    "the range is hidden at once and erased in chunks",                                            \
    "GroupTest.WhatIsPutAfterARangeIsNotHiddenByADamagedLog")                                      \
  X(kRangeCrowded, 1'024, "keys", "as kRangeInline, while half of kMaxErasing are hidden",         \
    "the range is hidden at once and erased in chunks",                                            \
    "GroupTest.OneBatchMayGoBeyondTheLimitOfHiddenRangesAndTheNextWaits")                          \
  X(kRangeLooked, 4'096, "keys", "looked up by the batches of one group: the others wait for it",  \
    "the rest goes into the next group")                                                           \
  X(kRangeChunk, 256, "keys", "erased at once: commits wait for it meanwhile",                     \
    "a rest, and the next chunk", "ErasePaceTest.PressesHarderTheLongerSomethingIsHidden")         \
  X(kRangeRest, 8, "times", "as long as a chunk took: others commit without waiting",              \
    "the next chunk; at once if there is no commit",                                               \
    "ErasePaceTest.RestsOnlyWhileSomebodyCommits")                                                 \
  X(kRangePatience, 10s, "that something is hidden: erasing must keep up with it",                 \
    "chunks become twice as large, and rests half as long, each time",                             \
    "ErasePaceTest.PressesHarderTheLongerSomethingIsHidden")                                       \
  X(kRangeHurry, 4'096, "keys",                                                                    \
    "largest chunk; also for a batch that puts where something is hidden",                         \
    "a rest, and the next chunk", "ErasePaceTest.PressesHarderTheLongerSomethingIsHidden")         \
  X(kMaxErasing, 64, "ranges", "hidden and being erased: they are stored with every group",        \
    "all are erased before the next batch that erases a range; one batch may go beyond it",        \
    "GroupTest.OneBatchMayGoBeyondTheLimitOfHiddenRangesAndTheNextWaits")                          \
  X(kPageRecords, 4'096, "records", "per page of a scan: bounded work and memory per call",        \
    "the page ends and says where the next one begins")                                            \
  X(kPageBytes, 4_MiB, "bytes",                                                                    \
    "per page; a first record larger than that comes "                                             \
    "alone",                                                                                       \
    "the page ends and says where the next one begins")                                            \
  X(kMaxSnapshots, 1'024, "snapshots", "each keeps every version since it was taken on the disk",  \
    "would_block", "StoreTest.SnapshotsAreBoundedAndMayOutliveTheStore")                           \
  X(kCompactHints, 64, "ranges", "waiting to be compacted: a hint may be lost",                    \
    "that of the fewest keys is dropped", "CompactorTest.OfTooManyTheSmallestIsForgotten")         \
  X(kCompactKeys, 65'536, "keys",                                                                  \
    "erased: to compact fewer costs more than it gains, and many at once hold up what is flushed", \
    "the range is compacted; fewer wait for more, or until nothing else is to do",                 \
    "CompactorTest.LargePiecesDoNotWait")                                                          \
  X(kCompactIdle, 1s, "without a commit: there is nothing else to do",                             \
    "everything erased in ranges is compacted")                                                    \
  X(kCompactPause, 5s,                                                                             \
    "between two of them while something is committed: each writes out what is in memory",         \
    "the next one begins")                                                                         \
  X(kWriteBuffer, 8_MiB, "bytes",                                                                  \
    "of LevelDB, twice in memory; also the logs that an open replays, well below a second",        \
    "a table is written")                                                                          \
  X(kBlockCache, 32_MiB, "bytes", "of LevelDB: the blocks that are read again",                    \
    "the least recently used block is dropped")                                                    \
  X(kBlockSize, 4_KiB, "bytes", "of LevelDB: the loss that one flipped bit on the disk can cause", \
    "the next block begins")                                                                       \
  X(kOpenTables, 500, "files",                                                                     \
    "of LevelDB: a descriptor and an index in memory each; 1 GiB of tables",                       \
    "the least recently used table is closed")                                                     \
  X(kHeadroom, 64_MiB, "bytes",                                                                    \
    "free space that LevelDB needs to flush, to compact and to open again",                        \
    "store_full; batches that only erase or use the reserve are taken down to a quarter of it")    \
  X(kSpaceRetry, 1s, "a full store looks for space again", "it looks again")                       \
  X(kProbe, 1_MiB, "bytes",                                                                        \
    "written and removed again before a full store reopens: quotas "                               \
    "do not show in the free space",                                                               \
    "the store stays full")                                                                        \
  X(kMaxDamage, 16, "messages", "of what an open had to leave out", "later ones are left out")     \
  X(kDamageNotes, 256, "notes", "of damage, in one store: they are read whenever it is opened",    \
    "the last one says that there are more")                                                       \
  X(kNoteRanges, 64, "ranges", "key ranges per note: a list for people, and for the repair",       \
    "the note says that records may be lost elsewhere")                                            \
  X(kNoteFile, 16_MiB, "bytes", "of the file of notes: keys and reasons are short",                \
    "the rest is not read")                                                                        \
  X(kLostFiles, 1024_MiB, "bytes",                                                                 \
    "of damaged originals in lost/: a disk that goes on failing must not fill itself",             \
    "the next ones are not kept, and the note says so")

STARBUS_LIMITS_OF(kLimits, STARBUS_STORAGE_LIMITS)

}  // namespace starbus::storage
