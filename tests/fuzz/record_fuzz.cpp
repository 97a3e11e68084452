/// Every record but DATA, MULTICAST and CHUNK: the first byte is the kind, the rest its payload.
/// What is accepted must be written back to exactly the same bytes.
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_mail.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "bus/core/wire/record_shards.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus {
namespace {

/// False if this is not of that kind.
template <class Record>
bool try_kind(Kind kind, ByteView payload) {
  if (kind != Record::kKind) return false;
  const auto record = decode<Record>(payload);
  if (!record) {
    require(record.error() == Errc::bad_bytes);
    return true;
  }
  Bytes again;
  encode(*record, again);
  const ByteView written = ByteView(again).subspan(kRecordHeader);
  if constexpr (requires { Record::kExtensible; }) {  // the rest: fields of a newer version
    require(written.size() <= payload.size());
    payload = payload.first(written.size());
  }
  require(std::ranges::equal(written, payload));
  return true;
}

template <class... Records>
bool try_kinds(Kind kind, ByteView payload) {
  return (try_kind<Records>(kind, payload) || ...);
}

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  if (size == 0) return 0;
  const auto kind = static_cast<Kind>(data[0]);
  const bool tried =
      try_kinds<Hello, Welcome, Reset, Bye, Heartbeat, Probe, Ack, Nack, Open, Room, ProcessUp,
                Table, TableEnd, ProcessDead, RowsTaken, Bind, Attached, Refused, Active, ActiveOk,
                Unbind, Unbound, Freed, FreedOk, Move, MoveOk, NoMove, Attach, Reclaim, Reclaimed,
                Moved, State, StateRefused, Watch, Unwatch, WatchRows, WatchRefused, Query,
                RoleQuery, Answer, HopTrace, Vitals, UndeliveredReport, Withdraw, Resume, Posted,
                MailOpen, MailOpened, MailItems, MailConsumed, MailAck, MailAcked, MailEnd,
                ShardTake, ShardRows, ShardMore, ShardGiven, MailAttempts, MailRefused>(
          kind, fuzz_input(data + 1, size - 1));
  const bool elsewhere = kind == Kind::data || kind == Kind::multicast || kind == Kind::chunk;
  require(tried || elsewhere ||
          name_of(kind) == "unknown");  // a new kind belongs into the list above
  return 0;
}
