/// Every bound of the mail store, with its reason and with what happens when it is reached.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/limits.hpp"
#include "bus/core/limits.hpp"

namespace starbus::mail {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_MAIL_LIMITS(X)                                                                     \
  X(kMailWaitingBytes, 64_MiB, "bytes", "messages that wait for the next batches are memory",      \
    "the post is dropped and counted as overflow; its sender sends it again",                      \
    "WaitingQueueTest.WaitingPostsAreBoundedInBytes")                                              \
  X(kMailWaitingRequests, 65'536, "requests", "of operators: each is a purge", "would_block",      \
    "WaitingQueueTest.WaitingRequestsAreBounded")                                                  \
  X(kBatchMessages, 8'192, "messages", "of one batch: their senders wait for one fsync",           \
    "the rest goes into the next batch", "WaitingQueueTest.ABatchIsBounded")                       \
  X(kBatchRequests, 2'048, "requests",                                                             \
    "of readers in one batch: some milliseconds of work, which is all that posts wait for",        \
    "the rest goes into the next batch", "WaitingQueueTest.ABatchIsBounded")                       \
  X(kRefusedMessages, 128, "messages",                                                             \
    "of a batch that only notes refusals on a full disk: their rows fit storage's kReserveBatch",  \
    "the rest goes into the next batch", "BatchBuilderTest.ARefusingBatchFitsTheReserve")          \
  X(kBatchBytes, 4_MiB, "bytes", "of the messages of one batch",                                   \
    "the rest goes into the next batch; a larger message goes alone",                              \
    "WaitingQueueTest.ABatchIsBounded")                                                            \
  X(kBatchHeavy, 2 * kBatchBytes, "bytes",                                                         \
    "of a batch with its rows; with one more message, and the rows that are added at the end, "    \
    "still below storage's kMaxBatch",                                                             \
    "the remaining items wait for the next batch",                                                 \
    "BatchBuilderTest.ItemsWithoutRoomGoBackToTheQueue")                                           \
  X(kVoidRows, 8'192, "rows", "of streams of an earlier lineage, erased by one batch",             \
    "the rest goes into the next batch; the shard is open when all are gone",                      \
    "MailTest.RowsOfAnEarlierLineageAreErasedBatchByBatch")                                        \
  X(kErasedSingly, 32, "messages", "erased one by one: a range costs the store more",              \
    "more make a range", "MailAge.ManyLogsGrowOldAtOnce")                                          \
  X(kRangesOfOne, 2, "ranges",                                                                     \
    "erased by one operation at most: a dead letter trims the shard's log, then the mailbox",      \
    "the operation waits for the next batch", "MailAge.ManyLogsGrowOldAtOnce")                     \
  X(kSweepPause, 100ms, "between two steps of the sweeper, which reads from the disk",             \
    "the next step begins", "MailAge.AClockThatIsSetBackDoesNotEndTheSweeping")                    \
  X(kSweepPage, 64, "rows", "that one step of the sweeper looks at", "the next step goes on",      \
    "MailAge.ManyLogsGrowOldAtOnce")                                                               \
  X(kBuriedAtOnce, 16, "messages",                                                                 \
    "of one mailbox that a batch turns into dead letters by age: each copies its body",            \
    "the others follow in later batches", "MailAge.OldMessagesGoToTheDeadLetters")                 \
  X(kTotalBytes, 65'536_MiB, "bytes",                                                              \
    "of all bodies, unless [mail] total_bytes says otherwise: others need the disk, too",          \
    "store_full", "MailTest.AStoreIsFullByItsQuota")                                               \
  X(kTotalBoxes, 10'000'000, "mailboxes",                                                          \
    "and logs, unless [mail] total_boxes says otherwise: each stays, some 300 bytes on the disk",  \
    "store_full", "MailTest.AStoreHasAsManyMessagesAndBoxesAsItsQuotaAllows")                      \
  X(kKeyLife, 24h, "that an idempotency key counts: callers retry within a day",                   \
    "the key is erased, and a repeated post is stored again",                                      \
    "MailAge.AnIdempotencyKeyCountsForItsTimeWhetherItsRowIsStillThereOrNot")                      \
  X(kStreamLife, 24h,                                                                              \
    "that the stream of a silent sender is kept; a living one has its answers within its lease",   \
    "its row is erased", "MailAge.SilentStreamsAreKnownForADay")                                   \
  X(kAttemptBoxes, 65'536, "mailboxes",                                                            \
    "of a generation whose delivery attempts are counted, some 8 MiB",                             \
    "the oldest generation is forgotten: counts begin at 1 again",                                 \
    "AttemptsTest.IsBoundedAndTheLatestAreKnown")                                                  \
  X(kCachedBoxes, 131'072, "mailboxes", "of a generation in memory, some 20 MiB",                  \
    "the oldest generation is forgotten, and read from the disk when asked for",                   \
    "BoxCacheTest.IsBounded")                                                                      \
  X(kReaderRequests, 65'536, "requests", "of all readers: some 25 MiB, taken within a second",     \
    "busy; the library asks again", "ReaderRequestsTest.AllOfThemAreBounded")                      \
  X(kReaderRequestsOfProcess, 8'192, "requests",                                                   \
    "of the readers of one process, which opens all its mailboxes again after a restart",          \
    "busy; the library asks again", "ReaderRequestsTest.OneProcessFillsItsOwnShareAndNobodyElses") \
  X(kStoreReaders, 1'000'000, "readers", "of one store: its players, some 300 MiB", "busy",        \
    "MailReading.Readers_OfAllProcesses_AreBounded")                                               \
  X(kReadersOfProcess, 2 * bus::kMaxReaders, "readers",                                            \
    "of one process: a library has kMaxReaders, and earlier sessions may not have ended yet",      \
    "busy", "MailReading.Readers_OfOneProcess_AreBounded")                                         \
  X(kReaderPageBytes, 56_KiB, "bytes", "of messages in one record to a reader: within one bundle", \
    "the next record goes on", "MailReading.Pages_AreBoundedInBytesAndMessages")                   \
  X(kReaderPageRecords, 512, "messages", "in one record to a reader", "the next record goes on",   \
    "MailReading.Pages_AreBoundedInBytesAndMessages")                                              \
  X(kReaderTurnBytes, 1_MiB, "bytes", "sent to readers in one turn: then posts have theirs",       \
    "the next turn goes on", "MailReading.Turn_SendsABoundedNumberOfBytes")                        \
  X(kMostUnheard, 2 * bus::kMaxBody, "bytes",                                                      \
    "said to one process and not acknowledged: at most a message of the largest size, and "        \
    "answers",                                                                                     \
    "its questions are dropped; the library asks again",                                           \
    "MailServiceTest.WhoAsksAndAcknowledgesNothingIsNotAnsweredWithoutEnd")                        \
  X(kShardRetry, 1s, "after busroot refused the name of a shard: its holder may go",               \
    "the store asks again")                                                                        \
  X(kShardRelease, 20ms, "until busroot has taken back the name of a shard that just ended",       \
    "the store asks again")                                                                        \
  X(kExportPageBytes, 48_KiB, "bytes", "of rows in one record of a moving shard: within a bundle", \
    "the next record goes on", "ShardExportTest.PagesAreBounded")                                  \
  X(kExportPageRows, 512, "rows", "in one record of a moving shard", "the next record goes on",    \
    "ShardExportTest.PagesAreBounded")                                                             \
  X(kExportPageRanges, 32, "ranges", "in one record: below storage's kMaxBatchRanges",             \
    "the next record goes on", "ShardExportTest.PagesOfRangesAreBounded")                          \
  X(kExportFreezeAt, 256, "rows", "changed and not sent: so few are sent while posts wait",        \
    "the shard is frozen", "ShardExportTest.FreezesAfterSomeRoundsWhateverTheLoad")                \
  X(kExportRounds, 8, "rounds", "of sending what changed meanwhile, whatever the load",            \
    "the shard is frozen", "ShardExportTest.FreezesAfterSomeRoundsWhateverTheLoad")                \
  X(kExportPatience, 1min, "for a target that says nothing", "the move is given up",               \
    "ShardExportTest.GivesUpATakerThatSaysNothing")                                                \
  X(kExportFrozenPatience, 5s, "likewise while posts wait", "the move is given up",                \
    "ShardExportTest.ServesAgainWhenNothingIsHeard")                                               \
  X(kOfferLife, 24h,                                                                               \
    "that an offer of shards to another host counts: a forgotten one is a standing permission",    \
    "it is forgotten; the shards are not given",                                                   \
    "ShardExportTest.GivesAStoreOnlyWhatIsOfferedToItsHost")                                       \
  X(kExportMarkAgain, 1s, "for an answer to the mark of a move", "it is sent again",               \
    "ShardExportTest.WritesAMarkAgainIfItMayBeThere")                                              \
  X(kExportChanges, 1'000'000, "rows",                                                             \
    "changed while a shard moves, some 100 MiB: the target's disk cannot keep up with the posts",  \
    "the move is given up", "ChangedRowsTest.AreBounded")                                          \
  X(kImportPatience, 30s, "for a source that says nothing", "the attempt is given up",             \
    "ShardImportTest.GivesUpAfterSomeAttempts")                                                    \
  X(kImportAttempts, 5, "attempts", "for one shard: daemons may be restarted meanwhile",           \
    "the move is reported as failed", "ShardImportTest.GivesUpAfterSomeAttempts")                  \
  X(kImportPause, 1s, "between two attempts", "the next attempt begins",                           \
    "ShardImportTest.GivesUpAfterSomeAttempts")                                                    \
  X(kImportAskAgain, 1s, "for an answer, when all has arrived", "it is asked for again",           \
    "ShardImportTest.AsksAboutWhatHadArrivedAndErasesAPart")                                       \
  X(kImportSeek, 10s, "without an owner of the shard: one may be on its way",                      \
    "the shard is opened empty, or the move is refused",                                           \
    "ShardImportTest.LooksForAnOwnerForAWhile")                                                    \
  X(kStoreOpenAgain, 1s, "between two attempts to open the store", "the next attempt",             \
    "MailStoreThreadTest.AStoreThatAnotherHasOpenIsTriedAgain")                                    \
  X(kStoreRepairs, 3, "repairs",                                                                   \
    "of one store by itself in kRepairWindow: the disk keeps failing",                             \
    "the store stays stopped, and an operator is asked for",                                       \
    "MailStoreThreadTest.FailingDisk_StopsTheStore")                                               \
  X(kRepairWindow, 1h, "in which kStoreRepairs are counted", "they count no more")                 \
  X(kGoneTables, 3, "files",                                                                       \
    "missing when the store repairs itself: if more are, the disk did not lose them; the folder "  \
    "is being copied, or another one is mounted",                                                  \
    "the store stays stopped, and an operator is asked for",                                       \
    "MailStoreThreadTest.WhereMoreAreGoneNothingIsTouched")                                        \
  X(kRepairSteps, 100, "steps", "of a repair that are logged; a file in lost/ has all",            \
    "later ones are only in the file")                                                             \
  X(kDamageShown, 16, "notes", "of damage in the figures: the log has all", "they are counted")    \
  X(kDamageBoxes, 8, "mailboxes", "named in one of these", "they are counted",                     \
    "ScrubberTest.NumbersAreThoseBetweenTheKeysAndStillKept")                                      \
  X(kScrubRate, 4_MiB, "bytes per s", "that the scrubber reads: 100 GiB in seven hours",           \
    "it rests", "ScrubberTest.IsSlowAndEndsAtOnce")                                                \
  X(kScrubPlaces, 1'000, "places", "of damage that are counted one by one; a bad disk has more",   \
    "neighbours are counted as one")                                                               \
  X(kScrubShown, 16, "findings", "in the figures: the log has the others", "they are counted",     \
    "ScrubberTest.ALostTableIsToldThoughItIsOpen")                                                 \
  X(kScrubBoxes, 100, "mailboxes", "named of one place: a lost table may have thousands",          \
    "they are counted", "ScrubberTest.NumbersAreThoseBetweenTheKeysAndStillKept")                  \
  X(kDamagedBlocks, 1'000, "blocks", "counted one by one in a scan; a bad disk has more",          \
    "neighbours are counted as one")                                                               \
  X(kOldestPage, 64, "mailboxes", "read at once when the oldest mail is looked for", "it rests",   \
    "OldestMailTest.RestsAfterEachPage")                                                           \
  X(kOldestRest, 100ms, "between two pages, or nine times as long as a page took",                 \
    "the next page", "OldestMailTest.RestsAfterEachPage")                                          \
  X(kStoreQuestions, 64, "questions", "of operators that wait for the disk", "would_block",        \
    "Queries.AnswersInTurnAndRefusesTooMany")                                                      \
  X(kFiguresPause, 500ms, "between two figures of the store: the loop waits for neither",          \
    "the next figures")                                                                            \
  X(kMostFindings, 1'000, "findings", "listed in one report, which is for people",                 \
    "they are counted", "CheckTest.ReportsAreBounded")                                             \
  X(kMostBoxes, 1'000, "mailboxes", "of one page: a screen has fewer", "the next page goes on",    \
    "Inspect.PagesAreBounded")                                                                     \
  X(kMostBoxesRead, 100'000, "mailboxes", "read for one page, if a prefix is rare",                \
    "the page ends and says where the next one begins")                                            \
  X(kMostPeeked, 1'000, "messages", "of one page", "the next page goes on",                        \
    "Inspect.PagesAreBounded")                                                                     \
  X(kPeekBytes, 1_MiB, "bytes", "of bodies of one page; the first message always comes",           \
    "the next page goes on", "Inspect.ALargeMessageComesAlone")                                    \
  X(kFoundBoxes, 1'000'000, "mailboxes", "whose rows are found in damaged blocks",                 \
    "later ones are not restored")                                                                 \
  X(kCorrectedRows, 10'000, "rows",                                                                \
    "in which a wrong bit is looked for: bodies may look like rows", "later ones are lost")        \
  X(kMostMarked, 1'000'000, "messages", "in a gap of one mailbox: a larger one is no disk damage", \
    "it is left and reported", "CarryNumbersTest.TooMuchIsNotMarked")                              \
  X(kMostUnknown, 65'536, "messages",                                                              \
    "after the latest number of a mailbox in a damaged key: LevelDB's log has fewer writes",       \
    "the key is not believed", "RepairMailTest.ANumberFarAwayIsLeftAlone")                         \
  X(kLongestFacts, 4_KiB, "bytes", "of the file that describes a backup", "it is malformed",       \
    "BackupFacts.ACutFileIsNone")

STARBUS_LIMITS_OF(kLimits, STARBUS_MAIL_LIMITS)

/// A time as its count of milliseconds, which is what the rows of the store and its clocks have.
constexpr std::uint64_t in_ms(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

}  // namespace starbus::mail
