/// Every bound of a node's entities, with its reason and with what happens when it is reached.
#pragma once

#include <cstdint>

#include "base/limits.hpp"

namespace starbus::nodes::entities {

// X(constant, value, unit, reason, when reached)
#define STARBUS_ENTITY_HOST_LIMITS(X)                                                             \
  X(kIdWait, 5s, "for the answer to one question for online ids, before a node is ready",         \
    "it is asked again, for as long as it takes; the log says so")                                \
  X(kTick, 100ms, "between two ticks, unless configured: a longer delay is visible",              \
    "the next tick")                                                                              \
  X(kTickEntities, 512, "entities", "synced in one turn of the loop: other work waits meanwhile", \
    "the rest follows in the next turn")                                                          \
  X(kTickTime, 5ms, "of syncing, and again of saving, in one turn of the loop",                   \
    "as kTickEntities; due saves follow in the next tick")                                        \
  X(kSnapshotKept, 1s,                                                                            \
    "that a snapshot of an entity is kept for others who begin to watch it: a crowd that enters", \
    "it is encoded again")                                                                        \
  X(kSnapshotKeptBytes, 256_KiB, "bytes", "of such a one", "it is encoded for each")              \
  X(kSnapshotsKept, 16'384, "snapshots", "of all entities at a time: each has a line in a table", \
    "the oldest go")                                                                              \
  X(kSnapshotCache, 8_MiB, "bytes", "of all of them: 10,000 entities of some 800 bytes",          \
    "the oldest go")                                                                              \
  X(kSaveEvery, 1min,                                                                             \
    "from the first unsaved change to its save, unless configured: the changes that a crash "     \
    "may take",                                                                                   \
    "it is saved in the next tick that has room for it")                                          \
  X(kSaveSpread, 25, "percent",                                                                   \
    "of the interval of saves, by which each entity is saved earlier by a share of its own: "     \
    "those that were made at once are not saved at once",                                         \
    "the share follows from the online id")                                                       \
  X(kSavesUnderWay, 256, "saves", "with the store at a time: they are memory twice over",         \
    "further ones wait for their turn")                                                           \
  X(kMaxSaves, 4'096, "saves", "of living entities that wait or are under way: each is a copy",   \
    "the others are saved later")                                                                 \
  X(kMaxUnsavedEnds, 4'096, "entities", "that have ended and are not stored: their only copies",  \
    "entities with saved properties are neither made nor published: busy; none is dropped")       \
  X(kSaveRetry, 250ms, "until a save that has failed is tried again",                             \
    "again, until kSaveDeadline; not if the reason does not pass")                                \
  X(kSaveRetryMost, 10s, "until the last save of an entity that has ended is tried again",        \
    "again, as long as the node lives: kSaveRetry is doubled up to this")                         \
  X(kSaveDeadline, 15s, "of saving a living entity, and for an answer to one attempt",            \
    "logged, and counted as unsaved; due again later. A last save is tried again")                \
  X(kNamedUnsaved, 100, "entities",                                                               \
    "that are not saved, one a line of the log: when the store is away, and when the node ends",  \
    "the rest is counted")                                                                        \
  X(kShownUnsaved, 20, "entities", "that have ended and are not stored, in /entities",            \
    "the oldest are shown, and all are counted")                                                  \
  X(kLeastSaveTime, 1s, "for a save after one that has just met kSaveDeadline",                   \
    "as kSaveDeadline")                                                                           \
  X(kMaxSearchable, 16, "properties", "of a type: as many as a collection may have indexes",      \
    "none of them is stored as a value, and the log says so")                                     \
  X(kSearchableValue, 1'024, "bytes", "per value, as CBOR: an index has the beginning of it",     \
    "it is left out, and counted")                                                                \
  X(kMoveWait, 5s,                                                                                \
    "that a move waits for the coroutines and calls of its entity, unless told: as long as a "    \
    "call waits for its answer",                                                                  \
    "the move ends as busy, and names some of them; the entity stays")                            \
  X(kArrivalWait, 1min,                                                                           \
    "that an entity is kept which was accepted and is not granted: twice the lease",              \
    "it is given up; a grant that still comes makes it again")                                    \
  X(kArrivalGrace, 3s, "that a drain waits for entities that were accepted and are not granted",  \
    "as kArrivalWait")                                                                            \
  X(kActivationRetry, 1s, "until an activation that failed on arrival is tried again",            \
    "again, kActivationTries times")                                                              \
  X(kActivationTries, 10, "tries", "of these: a cause that has not passed by then does not pass", \
    "the entity is saved as it arrived, and its name is given up")                                \
  X(kHeldMessages, 1'024, "messages",                                                             \
    "for an entity whose activation is tried again: the messages of a second",                    \
    "calls end as busy; messages are dropped, and counted")                                       \
  X(kMaxEntering, 4'096, "callers",                                                               \
    "wait for entities that enter: a login wave, while a store loads", "would_block")             \
  X(kEntryWait, 35s,                                                                              \
    "for an entity to enter in another process, unless told: a load there tries for 30 s",        \
    "deadline; it may still enter there, and a second request finds it")                          \
  X(kEntryTries, 3, "nodes", "that are tried, one after the other, when the chosen one is gone",  \
    "the error of the last one")                                                                  \
  X(kLetters, 100, "letters", "of a postbox: what a player reads through",                        \
    "the one that matters least leaves: see Postbox::deliver")                                    \
  X(kLetterTitle, 128, "bytes", "of a letter's sender, and of its title: a line in a list",       \
    "the letter is refused")                                                                      \
  X(kLetterBody, 4'096, "bytes", "of a letter's text: all of them travel with their player",      \
    "the letter is refused")                                                                      \
  X(kLetterItems, 16, "items", "attached to a letter: what a screen shows",                       \
    "the letter is refused")                                                                      \
  X(kLetterSweep, 10min, "between two looks for letters whose time is over, at most",             \
    "the next look; until then it is there, and cannot be claimed")                               \
  X(kMailAttempts, 5, "attempts",                                                                 \
    "at one message, by its handler, or of processes that ended with it: a bad hour is shorter",  \
    "it is put aside for the dead letters, with the reason; the next one is handled")             \
  X(kMailRetry, 1s, "until a message whose handler failed, or a mailbox, is tried again",         \
    "again: it is doubled up to kMailRetryMost")                                                  \
  X(kMailRetryMost, 30s, "as kMailRetry, at most; and until a settlement is tried again",         \
    "again, for as long as the entity lives here")                                                \
  X(kMailAside, 16, "messages", "of an entity, put aside and not yet among the dead letters",     \
    "the next one that fails waits, with all after it, until there is room")                      \
  X(kMailReason, 200, "bytes", "why a message was put aside: it is saved with the entity",        \
    "the rest is left out")                                                                       \
  X(kMailAckWait, 5s,                                                                             \
    "for the settlement of mail after the last save of an entity: its name is kept for so long",  \
    "the next life of the entity settles it")                                                     \
  X(kAccountWords, 1'024, "words", "to accounts that the bus has not taken yet",                  \
    "the oldest is dropped, and counted; accounts ask gates what is true")                        \
  X(kClientPass, 1s,                                                                              \
    "between two looks at the clients of entities: who is away, which gates live",                \
    "the next look")                                                                              \
  X(kGateUnseen, 3s,                                                                              \
    "that the process of a client's gate owns no name before it is dead: a watch may be late",    \
    "the client is away: kAwayTime")                                                              \
  X(kShownEntities, 100, "entities", "on one page of the admin server, with one line for each",   \
    "the page says where the next one begins")                                                    \
  X(kBusiestEntities, 100, "entities", "per list of the busiest: people read them",               \
    "a request for more is refused")                                                              \
  X(kWaitReport, 1s, "between two lines of the log that name what a drain waits for",             \
    "the next line")                                                                              \
  X(kNamedWaiters, 5, "entities", "named in such a line, and in a status", "the rest is counted")

STARBUS_LIMITS_OF(kEntityHostLimits, STARBUS_ENTITY_HOST_LIMITS)

}  // namespace starbus::nodes::entities
