/// Every bound of the bus, with its reason, with what happens when it is reached, and with a test
/// that reaches it. Sizes are bytes, times are milliseconds. Change one that is visible on the wire
/// only with a protocol version.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/limits.hpp"

namespace starbus::bus {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_BUS_LIMITS(X)                                                                      \
  X(kMaxName, 255, "bytes", "a length fits one byte", "bad_name", "ChannelName.MayHave255Bytes")   \
  X(kMaxBody, 16_MiB, "bytes", "a record is copied and reassembled at every hop", "too_large",     \
    "OutcomesTest.TheLargestBodyArrivesAndALargerOneIsRefused")                                    \
  X(kMaxRecord, kMaxBody + 256_KiB, "bytes",                                                       \
    "the largest body, and the targets of the largest multicast", "the session ends: bad_bytes",   \
    "Session.CutsTheLargestRecordIntoChunks")                                                      \
  X(kMaxBundle, 256_KiB, "bytes", "one read buffer; a lost bundle is cheap to resend",             \
    "the session ends: bad_bytes", "Bundle.MayBeAsLargeAsItsLimit")                                \
  X(kBundleTarget, 64_KiB, "bytes", "amortises a system call over hundreds of records",            \
    "the bundle is closed and the next begins", "Session.NeverExceedsTheLinkClock")                \
  X(kChunk, 64_KiB, "bytes", "a large record must not hold up the control lane",                   \
    "larger records travel as chunks", "SourceQueuesTest.ALargeRecordComesAlone")                  \
  X(kLinkClock, 512_KiB, "bytes",                                                                  \
    "handed to the transport and not yet consumed: above that, lanes are scheduled by us",         \
    "the link waits; records queue per lane and source", "Session.NeverExceedsTheLinkClock")       \
  X(kBatchTime, 5ms,                                                                               \
    "that the bundles of a link keep the loop of a process: its timers and closures wait",         \
    "the next bundle comes in a later turn of the loop",                                           \
    "HandlingTest.ABundleThatTookLongLetsTheLoopDoOtherWorkBeforeTheNext")                         \
  X(kConsumedReport, 128_KiB, "bytes", "a quarter of the link clock, so that it never stalls",     \
    "the consumer reports at once", "Session.BothDirectionsFullDoNotWaitForEachOther")             \
  X(kChannelWindow, 1_MiB, "bytes", "unacknowledged per (sender, channel, lane)", "would_block",   \
    "OriginWindow.OfAChannelEndsExactlyAtItsLimit")                                                \
  X(kProcessWindow, 16_MiB, "bytes", "unacknowledged per sending process", "would_block",          \
    "OutcomesTest.TheWindowOfTheProcessBlocksTooAndIsSharedByChannels")                            \
  X(kDaemonQueue, 8_MiB, "bytes", "records that a daemon holds for one link and lane",             \
    "dropped with NACK overflow; the origin chokes and resends",                                   \
    "SourceQueuesTest.RefuseBeyondTheLimitOfTheLane")                                              \
  X(kQueuesTotal, 512_MiB, "bytes",                                                                \
    "records that a daemon holds for all links and data lanes; that of a busd with busroot apart", \
    "dropped with NACK overflow; the origin chokes and resends",                                   \
    "SourceQueuesTest.ManyLinksShareABound")                                                       \
  X(kControlQueue, 64_MiB, "bytes", "control records for one link; a table of 100,000 names fits", \
    "the session ends: overloaded; tables and snapshots start afresh",                             \
    "SourceQueuesTest.ControlHasALimitOfItsOwn")                                                   \
  X(kQueueAge, 10s, "a record that waited longer is better resent by its origin",                  \
    "dropped with NACK overflow", "SourceQueuesTest.DropWhatIsTooOldAndSayIt")                     \
  X(kHoldQueue, 1_MiB, "bytes", "records for one unknown name while busroot waits for tables",     \
    "dropped with NACK overflow", "HoldTest.IsBoundedPerNameAndInTotal")                           \
  X(kHoldTotal, 64_MiB, "bytes", "records for all unknown names while busroot waits",              \
    "dropped with NACK overflow", "HoldTest.IsBoundedPerNameAndInTotal")                           \
  X(kMaxGroup, 4096, "members", "one announcement is one record", "group_too_large",               \
    "OriginMulticast.RefusesMoreMembersThanTheLimit")                                              \
  X(kGiveUpAfter, 2s,                                                                              \
    "a member of a group is full at each announcement for so long: a burst fills windows, too",    \
    "under WhenFull::drop it gets no announcement of this process until it binds again",           \
    "GroupsTest.DropGivesUpAMemberThatStaysFullUntilItBindsAgain")                                 \
  X(kMaxInstances, 4096, "instances", "per shared name", "too_many_names",                         \
    "LimitsTest.ASharedNameHasAtMost4096Instances")                                                \
  X(kMaxNamesPerProcess, 200'000, "names", "default of max_names", "too_many_names",               \
    "HostSession.WelcomeSaysWhoTheProcessIs")                                                      \
  X(kMaxProcesses, 4096, "processes", "per busd", "too_many_processes",                            \
    "HostSessionLimited.ProcessesAreBounded")                                                      \
  X(kMaxHosts, 10'000, "hosts", "per busroot", "the session ends: too_many_processes",             \
    "RootTest.HostsAreBounded")                                                                    \
  X(kMaxWatches, 1024, "prefixes", "per process", "too_many_watches",                              \
    "HostUplink.WatchesAreBoundedPerProcess")                                                      \
  X(kWatchIdle, 60s,                                                                               \
    "watches of groups, shared names and hosts that the library keeps for operations to come",     \
    "one that no operation has used for so long is given up; when there are kMaxWatches, the "     \
    "longest unused",                                                                              \
    "GroupsTest.AnUnusedWatchIsGivenUpAndAHeldOneIsNot")                                           \
  X(kWatchBudget, 8'192, "rows", "snapshot rows per tick of a daemon: some ten milliseconds",      \
    "further snapshots wait for the next tick",                                                    \
    "RootWatching.RepeatedWatchesCostATickNoMoreThanItsBudget")                                    \
  X(kIncomplete, 256_MiB, "bytes",                                                                 \
    "unfinished chunked records that a daemon holds, all links together",                          \
    "a link of the program that holds the most is ended: overloaded",                              \
    "HostHostile.UnfinishedRecordsAreBoundedTogether")                                             \
  X(kStrangerRecord, 1_MiB, "bytes", "chunked records of a link before its hello",                 \
    "the session ends: bad_bytes", "HostHostile.AStrangerSendsNoLargeRecords")                     \
  X(kRequestBytes, 4_MiB, "bytes",                                                                 \
    "requests to busroot of one process in a tick of busd: all processes share its uplink",        \
    "further ones are dropped; processes repeat their requests",                                   \
    "HostHostile.RequestsOfOneProcessAreBounded")                                                  \
  X(kMaxWatchRows, 131'072, "names", "one snapshot", "watch_too_large",                            \
    "RootWatching.AWatchThatIsOrGrowsTooLargeIsRefused")                                           \
  X(kWatchRetryFirst, 1s, "until a program that must go on asks again for a refused watch",        \
    "doubles", "LastingWatchTest.ARefusedWatchIsAskedForAgain")                                    \
  X(kWatchRetryLongest, 30s, "longest pause of that", "stays there",                               \
    "LastingWatchTest.ARefusedWatchIsAskedForAgain")                                               \
  X(kMaxPendingCalls, 65'536, "calls", "per process", "would_block",                               \
    "LimitsTest.PendingCallsAreBounded")                                                           \
  X(kExpiredPass, 256, "calls", "whose deadline has passed, ended in one turn of the loop",        \
    "the rest in later turns: other work goes on between them",                                    \
    "CallsTest.DeadlinesThatEndAtOnceLeaveTheLoopFree")                                            \
  X(kReplyReserve, 1_MiB, "bytes",                                                                 \
    "of replies to one caller beyond the window of its channel: callers wait for them",            \
    "the library keeps the reply until there is room", "OriginWindow.RepliesHaveAReserve")         \
  X(kReplyReserveTotal, 16_MiB, "bytes",                                                           \
    "of all replies beyond the window of the process: slow receivers do not stop them",            \
    "the library keeps the reply until there is room", "OriginWindow.RepliesHaveAReserve")         \
  X(kKeptReplyBytes, 16_MiB, "bytes",                                                              \
    "of replies to one caller that the library keeps: the largest one fits",                       \
    "the caller gets handler_failed in place of the reply",                                        \
    "CallsTest.RepliesBeyondWhatIsKeptEndAsFailures")                                              \
  X(kKeptReplyTotal, 64_MiB, "bytes", "of replies to all callers that the library keeps",          \
    "as kKeptReplyBytes", "ReplyQueueTest.IsBoundedOverAllCallers")                                \
  X(kKeptReplies, 65'536, "replies",                                                               \
    "to one caller that the library keeps: as many as a process has calls",                        \
    "the reply is dropped, counted and reported; the caller ends at its deadline",                 \
    "ReplyQueueTest.DropsBeyondItsNumber")                                                         \
  X(kHandedSends, 65'536, "messages", "from other threads that the loop has not taken yet",        \
    "would_block", "SenderTest.IsBounded")                                                         \
  X(kHandedBytes, 16_MiB, "bytes", "of these, as the window of the process", "would_block",        \
    "SenderTest.IsBounded")                                                                        \
  X(kHandedPass, 256, "messages", "from other threads, sent in one turn of the loop",              \
    "the rest in later turns", "SenderTest.OtherWorkOfTheLoopGoesOn")                              \
  X(kWarningPause, 10s, "between two warnings of one kind: a flood must not fill a log",           \
    "the next warning tells how many there were", "ForgedReplies.AreCountedAndReportedSeldom")     \
  X(kMaxAclPrefixes, 256, "prefixes", "per role and direction", "bad_config",                      \
    "Records.BoundTheListsOfARole")                                                                \
  X(kLineageCache, 65'536, "streams", "idle streams whose lineage is remembered",                  \
    "the longest idle is forgotten and probed on next use",                                        \
    "Origin.ForgetsTheLongestIdleLineageBeyondTheCache")                                           \
  X(kFilterEntryLife, 2min, "longer than the lease and four queues of ten seconds",                \
    "the entry is forgotten", "OwnerTest.FilterEntriesAreForgottenAfterTheirLife")                 \
  X(kMaxLives, 16, "rows", "of earlier incarnations of one sender in the filter of a channel",     \
    "the earliest incarnation counts as dead: what comes of it later is dropped",                  \
    "OwnerTest.ASenderThatRestartsWithoutEndTakesABoundedNumberOfRows")                            \
  X(kMaxWithdrawn, 16'384, "messages",                                                             \
    "that their senders have given up and that have not arrived, of all channels of a process",    \
    "the longest known is handed to its handler if it comes", "OwnerWithdrawn.AreBounded")         \
  X(kMaxDeaths, 65'536, "processes", "whose end was seen within the life of a filter entry",       \
    "the end of the longest dead is forgotten", "OwnerTest.RemembersABoundedNumberOfDeaths")       \
  X(kHeartbeat, 1s, "each side speaks at least this often", "a heartbeat is sent",                 \
    "SessionTime.SpeaksAtLeastOncePerHeartbeat")                                                   \
  X(kSuspect, 3s, "three missed heartbeats", "shown as suspect; no name is freed",                 \
    "RootTest.ASilentSessionGivesWayAfterSuspicion")                                               \
  X(kLinkTimeout, 10s, "a half-open link must end by itself", "the session ends: silent",          \
    "HostSession.ASilentSessionEnds")                                                              \
  X(kMaxStrangers, 1'024, "links", "links of one daemon before their hello",                       \
    "the oldest of them is closed", "HostSession.LinksWhosePeersSayNothingAreBounded")             \
  X(kLease, 30s, "restart of a daemon, failover, a long pause",                                    \
    "names behind a lost link are freed", "HostSession.ALostSessionKeepsItsNamesForTheLease")      \
  X(kLeaseMargin, 1s, "a process fences itself before busroot frees its names",                    \
    "the process stops accepting this much before the lease ends",                                 \
    "ProcessMoves.WithoutBusrootTheProcessFencesItselfBeforeItsLeaseEnds")                         \
  X(kOutbox, 1_MiB, "bytes", "messages that a moving channel sends", "would_block",                \
    "ProcessMoves.TheOutboxIsBounded")                                                             \
  X(kMaxUndelivered, 64, "names and reasons",                                                      \
    "messages that did not arrive, as a process tells its busd in a second",                       \
    "others are counted, and not told by name", "UndeliveredTest.NamesAreBounded")                 \
  X(kDurableWindow, 4'096, "messages",                                                             \
    "unacknowledged on one stream to a durable channel: its owner keeps as many results",          \
    "would_block", "OriginDurable.HasAWindowOfMessages")                                           \
  X(kLongestLife, 24 * 86'400s, "times of expiry are 32-bit milliseconds that wrap",               \
    "a longer time-to-live is as this one", "OriginTime.ALifeHasALimit")                           \
  X(kMaxPostKey, 64, "bytes", "an idempotency key is stored beside its message", "too_large",      \
    "MailClientTest.AKeyHasALimit")                                                                \
  X(kMailWindow, 256_KiB, "bytes",                                                                 \
    "default of what a reader of mail lets come before it has taken it: two of its own answers "   \
    "are under way at any time",                                                                   \
    "the store waits for the reader", "MailReading.Window_LimitsUntilConsumed")                    \
  X(kMaxMailWindow, 1_MiB, "bytes", "the window of one stream, which brings it", "too_large",      \
    "MailReadersTest.AWindowHasALimit")                                                            \
  X(kMaxReaders, 65'536, "readers", "open mailboxes and logs of one process", "would_block",       \
    "MailReadersTest.AreBounded")                                                                  \
  X(kMaxRejects, 64, "messages", "rejected and not yet among the dead letters, of one reader",     \
    "would_block", "MailReaderTest.RejectionsUnderWayAreBounded")                                  \
  X(kFeedMessages, 1'024, "messages",                                                              \
    "the latest of a log that a feed keeps: who is online, or comes from another process, needs "  \
    "no more",                                                                                     \
    "older ones are read at the store", "FeedBookTest.KeepsTheLatestMessages")                     \
  X(kFeedBytes, 4_MiB, "bytes", "as kFeedMessages; the latest message always stays",               \
    "older ones are read at the store", "FeedBookTest.KeepsAsManyBytes")                           \
  X(kFeedListeners, 65'536, "listeners", "per feed: the players of a process, many times",         \
    "would_block", "FeedBookTest.ListenersAreBounded")                                             \
  X(kFeedBurst, 16, "messages", "to one listener in a row: others wait meanwhile",                 \
    "the next listener's turn", "FeedBookTest.ListenersTakeTurns")                                 \
  X(kFeedPass, 256, "messages", "given in one pass of the loop: other work waits meanwhile",       \
    "the next pass goes on", "LogFeedTest.OtherWorkOfTheLoopGoesOn")                               \
  X(kFeedPage, 64, "messages", "read at the store at once, for a listener that is far behind",     \
    "the next page; listeners take turns", "LogFeedTest.CatchesUpFromTheStore")                    \
  X(kFeedRetry, 1s, "pause after a read or an opening that failed", "it is tried again",           \
    "LogFeedTest.WaitsForItsStore")                                                                \
  X(kReaderRetryFirst, 50ms, "a store that is not ready is asked again", "doubles",                \
    "MailReaderTest.ABusyStoreIsAskedAgain")                                                       \
  X(kReaderAnswer, 2s,                                                                             \
    "a reader waits so long for an answer, which may have been lost with a session of its own",    \
    "it asks again, and waits twice as long", "MailReaderTest.AnAnswerThatIsLostIsAskedForAgain")  \
  X(kReaderRetryLongest, 1s, "longest pause of that", "stays there",                               \
    "MailReaderTest.ABusyStoreIsAskedAgain")                                                       \
  X(kDrainDeadline, 5s, "own messages of a channel that wants to move must be settled",            \
    "the move ends as busy", "ProcessMoves.AMoveThatCannotDrainEndsBusyAndSendsFromHere")          \
  X(kMaxMoves, 1024, "moves", "per process at a time: each may hold a whole state in memory",      \
    "busy", "ProcessMoves.AreBounded")                                                             \
  X(kReclaimAfter, 5s, "a frozen channel waits this long for its target",                          \
    "the source asks for it back, and again each request retry",                                   \
    "ProcessMoves.ASilentTargetIsReclaimedAfterItsTime")                                           \
  X(kMaxTraceHops, 16, "hops", "twice the longest way there and back", "it goes back: too_long",   \
    "HostTrace.OfTooManyHopsGoesBack")                                                             \
  X(kProbeFirst, 100ms, "least silence before a PROBE (or four round trips)", "PROBE the tail",    \
    "OriginTime.ProbesTheTailOfASilentStreamWithBackOff")                                          \
  X(kProbeLongest, 1s, "back-off of PROBE", "stays there",                                         \
    "OriginTime.ProbesTheTailOfASilentStreamWithBackOff")                                          \
  X(kChokeFirst, 10ms, "first back-off after an overflow", "PROBE",                                \
    "OriginTime.OverflowChokesToProbesUntilTheOwnerAnswers")                                       \
  X(kChokeLongest, 1s, "longest back-off after an overflow", "stays there",                        \
    "OriginTime.OverflowChokesToProbesUntilTheOwnerAnswers")                                       \
  X(kLeastInFlight, 16_KiB, "bytes",                                                               \
    "of a stream on their way behind overflows, each of which halves them",                        \
    "the rest waits at the sender; an eighth more with every round trip",                          \
    "OriginTime.HalfAsMuchIsOnItsWayBehindAnOverflow")                                             \
  X(kRequestRetry, 500ms, "directory requests are idempotent", "repeated until answered",          \
    "ProcessCoreTest.AGrantIsConfirmedUntilItIsAnswered")                                          \
  X(kReconnectFirst, 20ms, "first reconnect delay; jitter of half on top", "doubles",              \
    "Reconnect.TriesUntilSomebodyListens")                                                         \
  X(kReconnectLongest, 2s, "longest reconnect delay", "stays there", "Reconnect.BacksOffToABound") \
  X(kReconnectLocal, 100ms, "longest reconnect delay to a daemon of this host", "stays there",     \
    "Reconnect.KnocksOftenAtASocketOfThisHost")

STARBUS_LIMITS_OF(kLimits, STARBUS_BUS_LIMITS)

/// What a process knows of busroot is up to three heartbeats old: a lease must outlast that by far.
inline constexpr std::chrono::milliseconds kShortestLease = 10 * kHeartbeat;

}  // namespace starbus::bus
