/// The one list of all kinds of records, and their names and numbers on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starbus::bus {

/// CODED(kind, number on the wire, struct) is a record with a list of fields, which encode() and
/// decode() of record.hpp follow. UNCODED(kind, number) has a layout of its own, in data.hpp.
/// Numbers never change and are never used again.
// clang-format off
#define STARBUS_RECORDS(CODED, UNCODED)                                                         \
  /* session */                                                                                 \
  CODED(hello, 1, Hello)                                                                        \
  CODED(welcome, 2, Welcome)                                                                    \
  CODED(reset, 3, Reset)                                                                        \
  CODED(bye, 4, Bye)                                                                            \
  CODED(heartbeat, 5, Heartbeat)                                                                \
  /* messages */                                                                                \
  UNCODED(data, 10)                                                                             \
  CODED(probe, 11, Probe)                                                                       \
  UNCODED(multicast, 12)                                                                        \
  CODED(ack, 13, Ack)                                                                           \
  CODED(nack, 14, Nack)                                                                         \
  UNCODED(chunk, 15)                                                                            \
  CODED(open, 16, Open)                                                                         \
  CODED(room, 17, Room)                                                                         \
  CODED(posted, 18, Posted)                                                                     \
  CODED(withdraw, 19, Withdraw)                                                                 \
  /* tables */                                                                                  \
  CODED(process_up, 20, ProcessUp)                                                              \
  CODED(table, 21, Table)                                                                       \
  CODED(table_end, 22, TableEnd)                                                                \
  CODED(process_dead, 23, ProcessDead)                                                          \
  CODED(rows_taken, 24, RowsTaken)                                                              \
  /* requests to busroot and its answers */                                                     \
  CODED(bind, 30, Bind)                                                                         \
  CODED(attached, 31, Attached)                                                                 \
  CODED(refused, 32, Refused)                                                                   \
  CODED(active, 33, Active)                                                                     \
  CODED(active_ok, 34, ActiveOk)                                                                \
  CODED(unbind, 35, Unbind)                                                                     \
  CODED(unbound, 36, Unbound)                                                                   \
  CODED(freed, 37, Freed)                                                                       \
  CODED(freed_ok, 38, FreedOk)                                                                  \
  CODED(resume, 39, Resume)                                                                     \
  /* moves */                                                                                   \
  CODED(move, 40, Move)                                                                         \
  CODED(move_ok, 41, MoveOk)                                                                    \
  CODED(no_move, 42, NoMove)                                                                    \
  CODED(attach, 43, Attach)                                                                     \
  CODED(reclaim, 44, Reclaim)                                                                   \
  CODED(reclaimed, 45, Reclaimed)                                                               \
  CODED(moved, 46, Moved)                                                                       \
  CODED(state, 47, State)                                                                       \
  CODED(state_refused, 48, StateRefused)                                                        \
  /* watches */                                                                                 \
  CODED(watch, 50, Watch)                                                                       \
  CODED(unwatch, 51, Unwatch)                                                                   \
  CODED(watch_rows, 52, WatchRows)                                                              \
  CODED(watch_refused, 53, WatchRefused)                                                        \
  /* administration */                                                                          \
  CODED(query, 60, Query)                                                                       \
  CODED(answer, 61, Answer)                                                                     \
  CODED(trace, 62, HopTrace)                                                                    \
  CODED(vitals, 63, Vitals)                                                                     \
  CODED(undelivered, 64, UndeliveredReport)                                                     \
  CODED(role_query, 65, RoleQuery)                                                              \
  /* between readers of stored mail and its store: system messages, since 1.1 */                \
  CODED(mail_open, 70, MailOpen)                                                                \
  CODED(mail_opened, 71, MailOpened)                                                            \
  CODED(mail_items, 72, MailItems)                                                              \
  CODED(mail_consumed, 73, MailConsumed)                                                        \
  CODED(mail_ack, 74, MailAck)                                                                  \
  CODED(mail_acked, 75, MailAcked)                                                              \
  CODED(mail_end, 76, MailEnd)                                                                  \
  /* between two stores, while a shard moves: likewise */                                       \
  CODED(shard_take, 77, ShardTake)                                                              \
  CODED(shard_rows, 78, ShardRows)                                                              \
  CODED(shard_more, 79, ShardMore)                                                              \
  CODED(shard_given, 80, ShardGiven)                                                            \
  /* from a store to its readers, who pass over what they do not know: likewise */              \
  CODED(mail_attempts, 81, MailAttempts)                                                        \
  CODED(mail_refused, 82, MailRefused)
// clang-format on

/// The kind of a record: its fifth byte on the wire.
enum class Kind : std::uint8_t {
#define STARBUS_CODED_KIND(kind, number, Record) kind = number,
#define STARBUS_UNCODED_KIND(kind, number) kind = number,
  STARBUS_RECORDS(STARBUS_CODED_KIND, STARBUS_UNCODED_KIND)
#undef STARBUS_CODED_KIND
#undef STARBUS_UNCODED_KIND
};

/// The kind as the table spells it; "unknown" for a number that is not in the table.
std::string_view name_of(Kind kind);

inline constexpr std::size_t kRecordHeader = 5;  // u32 length, u8 kind

}  // namespace starbus::bus
