/// The bounds of shares: what one user of a host, or one host at busroot, may hold of a daemon that
/// it shares with others (accounts.hpp). Constants; any thread.
#pragma once

#include "base/limits.hpp"

namespace starbus::bus {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SHARE_LIMITS(X)                                                                    \
  X(kShare, 8, "times",                                                                            \
    "an account holds at most so many times what is left: alone, 8/9 of all; a newcomer has room", \
    "the account is refused, and no other one", "Shares.ANewcomerAlwaysHasRoom")                   \
  X(kMaxNamesPerHost, 250'000, "names",                                                            \
    "default of what one host may hold: busroot keeps some 75 MB of them",                         \
    "too_many_names; rows of a table beyond it are left out", "RootShares.AHostHasALimitOfNames")  \
  X(kLinkReserve, 64_KiB, "bytes", "a link that reads is served however full others' queues are",  \
    "the total of all queues counts", "SourceQueuesTest.AnEmptyLinkHasRoomWhateverOthersHold")     \
  X(kReplyRoom, 4_MiB, "bytes",                                                                    \
    "ACK, POSTED and NACK in the control queue of one link, by shares",                            \
    "further ones are dropped; origins probe", "HostAttack.FalseAcknowledgementsEndNoSession")     \
  X(kReplyCredit, 16'384, "replies", "of a session beyond two for each message that it was given", \
    "further ones are dropped but for kSpareReplies",                                              \
    "HostAttack.AcknowledgementsAreNoMoreThanMessages")                                            \
  X(kSpareReplies, 1'000, "replies", "a second, of a process beyond that: none waits for ever",    \
    "further ones are dropped; origins probe", "HostAttack.AcknowledgementsAreNoMoreThanMessages") \
  X(kRequestRoom, 16_MiB, "bytes", "requests that wait for busroot's link",                        \
    "requests are dropped, by shares, and repeated; watches wait",                                 \
    "HostAttack.RequestsOfOneUserLeaveRoomForOthers")                                              \
  X(kRequestsOfTick, 64_KiB, "bytes",                                                              \
    "of requests to busroot in a tick of busd (50 ms), where several users have links: some "      \
    "20,000 names a second, of which the messages of others notice little at busroot",             \
    "requests are dropped, by shares, and repeated; watches wait",                                 \
    "HostAttack.RequestsOfOneUserArePaced")                                                        \
  X(kTableRoom, 8_MiB, "bytes", "tables that wait for busroot's link",                             \
    "they leave in pages as it takes them", "HostAttack.ALargeTableLeavesInPages")                 \
  X(kHellosPerSecond, 1'000, "hellos",                                                             \
    "of new processes of one user: each costs a line of the journal",                              \
    "overloaded; the library connects again", "HostAttack.HellosOfOneUserAreBounded")              \
  X(kUserLines, 50, "lines",                                                                       \
    "of the log, a second, about processes of one user: in kUserLogReport half of the names that " \
    "busd counts lines of",                                                                        \
    "further ones are left out and counted", "HostAttack.LinesAboutOneUserAreBounded")             \
  X(kUserLogReport, 10'000ms, "between two lines that say how many were left out of one user",     \
    "the next report", "HostAttack.LinesAboutOneUserAreBounded")                                   \
  X(kWatchTurn, 256, "rows",                                                                       \
    "of snapshots of watches in one turn of a daemon's loop: messages wait some 300 microseconds", \
    "the snapshot goes on in a later turn, and deltas come between its pieces",                    \
    "RootWatching.ASnapshotIsSentInTurns")                                                         \
  X(kReportedRows, 8, "rows",                                                                      \
    "users in /status, and programs of each, by each of two orders: many users make no long "      \
    "answer",                                                                                      \
    "the lighter ones are left out", "HostAccounts.AReportNamesTheHeaviestOfManyUsers")

STARBUS_LIMITS_OF(kShareLimits, STARBUS_SHARE_LIMITS)

}  // namespace starbus::bus
