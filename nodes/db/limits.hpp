/// Every bound of the document store, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::db {

// X(constant, value, unit, reason, when reached[, hit by])
#define STARBUS_DB_LIMITS(X)                                                                       \
  X(kMaxName, 64, "bytes", "of a collection, an index or a request id: part of keys",              \
    "bad_request")                                                                                 \
  X(kMaxId, 128, "bytes", "of a document's id: at the end of each of its index rows",              \
    "bad_request")                                                                                 \
  X(kMaxDocument, 1_MiB, "bytes", "as CBOR: it is read and written as a whole", "too_large",       \
    "Document.OnlyJsonWithinTheLimits")                                                            \
  X(kMaxElements, 65'536, "values", "per document, at all levels: each is an allocation",          \
    "too_large", "Document.OnlyJsonWithinTheLimits")                                               \
  X(kMaxDepth, 32, "levels", "of objects and arrays: each is a stack frame or more", "too_large",  \
    "Document.OnlyJsonWithinTheLimits")                                                            \
  X(kMaxPath, 256, "bytes", "of a dotted path: it is named in every request", "bad_request",       \
    "Update.PathsAndSizesAreBounded")                                                              \
  X(kMaxPathDepth, 16, "names", "per path; below kMaxDepth, so that a set can make its way",       \
    "bad_request", "Update.PathsAndSizesAreBounded")                                               \
  X(kMaxChanges, 64, "operators", "per update: each walks its path", "too_large",                  \
    "Update.PathsAndSizesAreBounded")                                                              \
  X(kMaxPaths, 64, "paths", "per projection: each walks its path", "too_large")                    \
  X(kMaxWrites, 128, "writes", "per request: it is one commit, and others wait for it",            \
    "too_large", "DatabaseTest.BadRequestsAreRefusedAtOnce")                                       \
  X(kMaxRequest, 4_MiB, "bytes", "per request, or of the documents that it makes", "too_large")    \
  X(kMaxCollections, 1'024, "collections", "their counts are kept in memory", "too_many",          \
    "Limits.RefusesCollectionsAboveLimit")                                                         \
  X(kMaxIndexes, 16, "indexes", "per collection: each write changes all of them", "too_many",      \
    "DatabaseTest.LimitsOfIndexesAndOfWhatWaits")                                                  \
  X(kMaxIndexFields, 4, "fields", "per index: its row must fit into a key of the store",           \
    "bad_request")                                                                                 \
  X(kIndexText, 96, "bytes", "of a text in an index row, for the same reason",                     \
    "texts that agree so far count as equal there, and come in the order of ids",                  \
    "IndexKey.SortsAsValuesDo")                                                                    \
  X(kPageDocuments, 1'000, "documents", "per page of a query: the owner's thread waits for it",    \
    "the page ends and says where the next one begins")                                            \
  X(kPageBytes, 4_MiB, "bytes", "per page; a first document always comes",                         \
    "the page ends and says where the next one begins",                                            \
    "Limits.APageEndsByItsBytesAndTheNextGoesOn")                                                  \
  X(kCountRows, 65'536, "rows", "counted in a range at once: the owner's thread waits for it",     \
    "the count ends and says where the next one begins")                                           \
  X(kMaxToken, 1'024, "bytes", "of a continuation token: it is a key of the store", "bad_request") \
  X(kWaitingRequests, 65'536, "requests", "that were taken and not answered: they are memory",     \
    "busy", "Limits.RequestsWithoutAnAnswerAreBounded")                                            \
  X(kWaitingBytes, 64_MiB, "bytes", "of documents that wait for the disk", "busy")                 \
  X(kBatchRequests, 4'096, "requests", "per commit: all of them wait for its fsync",               \
    "the rest waits for the next batch")                                                           \
  X(kBatchBytes, 4_MiB, "bytes", "per commit, of documents and index rows",                        \
    "the rest waits for the next batch")                                                           \
  X(kFullRequests, 64, "requests", "per commit on a full disk: it has room for little",            \
    "the rest waits for the next batch", "Limits.AFullDiskCommitsLittleAtATime")                   \
  X(kBuildDocuments, 256, "documents", "indexed by one commit: writes wait meanwhile",             \
    "the next ones come with the next commit")                                                     \
  X(kBuildBytes, 1_MiB, "bytes", "read for an index by one commit",                                \
    "the next ones come with the next commit")                                                     \
  X(kRequestAge, 10min, "that the answer to a request id is kept: retries come sooner",            \
    "it is forgotten as others come; a retry is a new request then")                               \
  X(kMaxRequests, 1'000'000, "requests", "whose answers are kept: some 150 bytes each, on disk",   \
    "the oldest is forgotten")                                                                     \
  X(kForgotten, 4, "times", "as many old answers as new ones a commit erases at most",             \
    "the rest goes with the next commits")                                                         \
  X(kWireBytes, 12_MiB, "bytes", "of a request or an answer on the bus, below its own",            \
    "too_large")                                                                                   \
  X(kOutstandingRequests, 4'096, "requests", "per RemoteDatabase: they are memory", "busy",        \
    "Remote.IsBoundedAndSaysBusy")                                                                 \
  X(kOutstandingBytes, 16_MiB, "bytes", "all of these together; a first one always comes", "busy") \
  X(kFlightBytes, 512_KiB, "bytes",                                                                \
    "of these that are on their way: half a window of the bus, so that none is refused there",     \
    "the next ones wait in the client", "Remote.IsBoundedAndSaysBusy")                             \
  X(kRemoteDeadline, 30s, "that a request is tried, unless configured: a restart",                 \
    "outcome_unknown or unavailable")                                                              \
  X(kLongestDeadline, 5min, "of a request: half of kRequestAge", "it counts as this")              \
  X(kAttempt, 5s, "without an answer: it is lost, or the node stands still", "it is sent again")   \
  X(kRepeatFirst, 20ms, "until a failed attempt is repeated", "doubles")                           \
  X(kRepeatLongest, 500ms, "longest pause of that", "stays there")                                 \
  X(kCallerRequests, 16'384, "requests", "per process, not answered yet", "busy",                  \
    "IntakeTest.OneProcessHasItsShareAndOthersHaveTheirs")                                         \
  X(kCallerBytes, 32_MiB, "bytes", "all of these together; a first one always comes", "busy")      \
  X(kInboxRequests, 65'536, "requests", "of all processes, not answered yet", "busy")              \
  X(kInboxBytes, 64_MiB, "bytes", "all of these together", "busy")                                 \
  X(kReplyBytes, 64_MiB, "bytes", "of answers whose callers' windows are full",                    \
    "the answer is dropped and counted; its caller asks again")                                    \
  X(kReplyAge, 5s, "that such an answer waits: its caller has asked again by then",                \
    "as kReplyBytes")                                                                              \
  X(kIdentityPage, 64, "entries", "of log/db.NAME, read at once: it has one per store",            \
    "the rest is read next", "IdentityCheckTest.LongLogIsReadPageByPage")                          \
  X(kIdentityWait, 5s, "for an answer of the log that has the identity of the store",              \
    "asked again after kIdentityRetry: until then the node is not ready")                          \
  X(kIdentityRetry, 1s, "until that log is asked again", "again, as long as it takes",             \
    "IdentityCheckTest.WaitsForALogThatIsAway")

STARBUS_LIMITS_OF(kLimits, STARBUS_DB_LIMITS)

}  // namespace starbus::nodes::db
