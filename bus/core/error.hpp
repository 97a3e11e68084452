/// The catalogue of everything that can go wrong, and the one result type.
///
/// Every failure that a caller, an operator or the wire can see is one `Errc`. The table below is
/// the only place where a code, its name, its meaning and its cure are written; docs/errors.md is
/// checked against it by a test. Errors are values: no function of the bus throws for bad input.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starbus::bus {

/// Stable numbers: they travel on the wire and stand in logs. Never reuse one.
// X(code, number, meaning, what to do)
#define STARBUS_ERRORS(X)                                                                         \
  X(no_owner, 1, "nobody owns the channel; the message was never handled",                        \
    "bind the channel, or treat the object as absent")                                            \
  X(owner_lost, 2,                                                                                \
    "the owner ended before it acknowledged; handled at most once, outcome unknown",              \
    "ask the new owner for the state, or repeat with an idempotency key")                         \
  X(denied, 3, "the access list of this host forbids it for the role of this process",            \
    "extend the role's bind or send list in busd's configuration")                                \
  X(deadline, 4, "the deadline passed first; a call may still run at its target",                 \
    "raise the deadline, or look at the target's load with bustop")                               \
  X(expired, 5, "the time-to-live passed before the message was acknowledged",                    \
    "raise the time-to-live, or accept that stale messages are dropped")                          \
  X(would_block, 6, "a window is full: the receiver or the bus is slower than this sender",       \
    "wait for Bus::room, or send less")                                                           \
  X(too_large, 7, "the message exceeds the largest record", "split it, or hand over a reference") \
  X(bad_name, 8, "not a channel name: kind/name, 1..255 bytes of UTF-8, no control characters",   \
    "correct the name")                                                                           \
  X(already_bound, 9, "the channel has an owner; the message names it",                           \
    "use another name, or end the present owner")                                                 \
  X(not_bound, 10, "this process does not own the channel", "bind it first")                      \
  X(too_many_names, 11, "the quota of names for this process is used up",                         \
    "raise max_names of the role, or bind fewer names")                                           \
  X(closed, 12, "the bus object is closing or closed", "do not use it after close()")             \
  X(no_handler, 13, "the owner has no handler for calls on this channel",                         \
    "bind the channel with a call handler")                                                       \
  X(handler_failed, 14, "the handler refused or failed; the message holds its reason",            \
    "read the reason; the bus delivered the call")                                                \
  X(group_too_large, 15, "the group has more members than one announcement may reach",            \
    "use a log, or split the group")                                                              \
  X(watch_too_large, 16, "the prefix matches more names than one watch may hold",                 \
    "watch a longer prefix")                                                                      \
  X(too_many_watches, 17, "this process watches too many prefixes", "share watches")              \
  X(lease_lost, 18,                                                                               \
    "this process was cut off from busroot for as long as its lease; its names may have new "     \
    "owners",                                                                                     \
    "bind anew; look for a long pause of the process, its busd or busroot")                       \
  X(name_taken, 19, "a living process or host already uses this name",                            \
    "give each node of a host, and each host, its own name")                                      \
  X(version_mismatch, 20, "the peer speaks a protocol version that this side does not",           \
    "upgrade host by host, at most one minor version apart")                                      \
  X(bad_bytes, 21, "the peer sent bytes that are not the protocol; its session was ended",        \
    "look for a foreign or broken program at that address")                                       \
  X(unauthorized, 22, "the peer's key, user or role is not on the list",                          \
    "add the public key to busroot's allow list, or the user to the role")                        \
  X(too_many_processes, 23, "this host's busd serves as many processes as it may",                \
    "raise max_processes, or spread the nodes")                                                   \
  X(unreachable, 24, "no daemon answers at the endpoint", "start it, or correct the endpoint")    \
  X(bad_config, 25, "the configuration is not valid", "correct the line that the message names")  \
  X(io_error, 26, "the operating system refused", "read the reason in the message")               \
  X(shutting_down, 27, "the peer is shutting down", "wait for its restart; links reconnect")      \
  X(superseded, 28, "a newer session of the same peer replaced this one",                         \
    "none: the newer serves")                                                                     \
  X(overloaded, 29, "control traffic outgrew its queue; the session starts afresh",               \
    "bind or watch fewer names at once")                                                          \
  X(silent, 30, "the peer sent nothing for longer than the link timeout",                         \
    "look for a stopped process or a cut link")                                                   \
  X(busy, 31, "the channel is moving, or its own messages are not acknowledged yet",              \
    "try again later")                                                                            \
  X(move_refused, 32, "the target process did not take the channel's state",                      \
    "register an arrival handler there, or choose another target")                                \
  X(rolled_back, 33,                                                                              \
    "the target ended before the move was confirmed and may have run: the channel goes on here "  \
    "from its frozen state, as a new lineage",                                                    \
    "treat what the channel did since the freeze as lost")                                        \
  X(store_full, 34, "the mail store is full: its disk, or its quota; the message was not stored", \
    "free space on that host, or raise [mail] total_bytes: the detail says which; a disk "        \
    "with space takes messages again by itself")                                                  \
  X(mailbox_full, 35, "the mailbox has as many messages or bytes as its quota allows",            \
    "let its reader acknowledge, raise the quota, or purge it")                                   \
  X(corrupt, 36,                                                                                  \
    "what the store has on its disk is damaged at this place; all else is served until a "        \
    "compaction meets the damage, which stops the store",                                         \
    "see busd's log; stop busd, starbus-mail check, then repair, or restore a backup")            \
  X(cursor_ahead, 37, "the reader has numbers that its mailbox or log does not have yet",         \
    "the store was restored from an older backup, or lost: open from its last number, knowing "   \
    "that mail is missing")

enum class Errc : std::uint16_t {
  ok = 0,
#define X(code, number, meaning, cure) code = number,
  STARBUS_ERRORS(X)
#undef X
};

struct ErrorInfo {
  Errc code;
  std::string_view name;
  std::string_view meaning;
  std::string_view cure;
};

/// The whole catalogue, in order of number.
std::span<const ErrorInfo> error_catalogue();

/// "no_owner"; "ok" for ok; "unknown" for a number that this version does not know.
std::string_view name_of(Errc code);

/// True for a number in the catalogue (ok excluded): for decoders.
bool known_error(std::uint16_t number);

/// A failure as a value: the code for programs, the text for people. Cheap without text.
struct Error {
  Errc code = Errc::ok;
  std::string detail;

  Error() = default;
  Error(Errc c) : code(c) {}  // NOLINT: an Errc is an Error without detail
  Error(Errc c, std::string text) : code(c), detail(std::move(text)) {}

  /// "already_bound: entity/7 is owned by hostA.space-1"
  std::string to_string() const;
  friend bool operator==(const Error& a, Errc b) { return a.code == b; }
};

/// Reading the value of a failed Result is a programming error and throws this.
class BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& error) : std::logic_error(error.to_string()) {}
};
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw BadResult(error);
}

template <class T = void>
using Result = boost::system::result<T, Error>;

}  // namespace starbus::bus
