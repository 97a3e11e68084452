/// Every bound of scripted players, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::bots {

// X(constant, value, unit, reason, when reached, the test that reaches it)
#define STARBUS_BOT_LIMITS(X)                                                                      \
  X(kBots, 100'000, "bots", "of one process: each has a connection", "the script is refused",      \
    "BotScript.EachBoundIsRefusedByNameAndLine")                                                   \
  X(kSays, 32, "tables", "[[say]] of a script: each bot has a time-table for each",                \
    "the script is refused", "BotScript.EachBoundIsRefusedByNameAndLine")                          \
  X(kHears, 32, "tables", "[[hear]] of a script", "the script is refused",                         \
    "BotScript.EachBoundIsRefusedByNameAndLine")                                                   \
  X(kStates, 4, "tables", "[[state]] of a script: each has rows that are made when compiling",     \
    "the script is refused", "BotScript.EachBoundIsRefusedByNameAndLine")                          \
  X(kStateFields, 24, "fields", "of a [[state]], likewise", "the script is refused",               \
    "BotStates.MistakesNameLineAndWhatToWrite")                                                    \
  X(kPortals, 64, "portals", "[[travel.portal]] of a script", "the script is refused",             \
    "BotScript.TravelsAndLeavesAreChecked")                                                        \
  X(kLettersKept, 4'096, "letters", "of one bot and [[say]] whose end a process remembers",        \
    "the oldest is forgotten, and counted", "Letters.AreBounded")                                  \
  X(kPastKept, 1'024, "values", "of a field that grows, by which it is known how old one is",      \
    "the oldest is forgotten", "OwnWatch.ThePastIsBounded")                                        \
  X(kPayloadBytes, 60'000, "bytes", "of a payload: a request has 64 KiB", "the script is refused", \
    "BotScript.EachBoundIsRefusedByNameAndLine")                                                   \
  X(kPerSecond, 1'000, "requests", "of a [[say]] in a second and of a bot",                        \
    "the script is refused", "BotScript.EachBoundIsRefusedByNameAndLine")                          \
  X(kOrigins, 64, "origins", "whose numbers a bot remembers",                                      \
    "the one that was silent longest is forgotten", "NumberCheck.OriginsAreBounded")               \
  X(kLetIn, 16'384, "bots", "that were let in, of whom a loop knows when they had asked",          \
    "the one that asked first is forgotten", "QueueCheck.WhoWereLetInAreBounded")                  \
  X(kTexts, 16, "texts", "of errors that a summary shows", "others count as `others`",             \
    "BotFigures.TextsAreBounded")                                                                  \
  X(kToldMost, 10'000, "violations", "that are told in full: --violations",                        \
    "the command line is refused", "BotCommandLine.WrongOnesAreRefused")                           \
  X(kThreads, 64, "loops", "of one process", "the command line is refused",                        \
    "BotCommandLine.WrongOnesAreRefused")                                                          \
  X(kCatchUp, 4, "times", "its rate that a bot which is late may have: gates bound frames",        \
    "it stays late for longer", "BotSchedule.CatchesUpAtABoundedRate")

STARBUS_LIMITS_OF(kBotLimits, STARBUS_BOT_LIMITS)

}  // namespace starbus::bots
