/// Records of the protocol: the meaning and the sender of each, and its fields in wire order.
/// docs/design/protocol.md describes the exchanges.
///
///   record_kind.hpp     the table of all kinds
///   record_session.hpp  hello, welcome, reset, bye, heartbeat
///   record_replies.hpp  probe, ack, nack, open, room
///   record_names.hpp    tables, and requests to busroot with their answers
///   record_watches.hpp  watches
/// and, to be included where they are needed: data.hpp (messages), record_moves.hpp,
/// record_mail.hpp (durable channels), record_readers.hpp (readers of mail), record_shards.hpp
/// (shards that move), record_admin.hpp.
///
/// A record is {u32 length of the rest, u8 kind, payload}. Each struct lists its fields once, in
/// `fields`; encoding and decoding both follow that list. Texts and lists carry their length;
/// decoding refuses lengths beyond the record, unknown enumerators and trailing bytes. Hello and
/// Welcome, which are read before a version is agreed on, are extensible: a newer minor version may
/// append fields, and an older one ignores them.
#pragma once

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/record_names.hpp"
#include "bus/core/wire/record_replies.hpp"
#include "bus/core/wire/record_session.hpp"
#include "bus/core/wire/record_watches.hpp"

namespace starbus::bus {

/// Appends the record, header included. Texts longer than 255 bytes are cut: only free text may be.
template <class Record>
void encode(const Record& record, Bytes& out);

/// Decodes a payload: the bytes after the kind. bad_bytes if it is not exactly one such record.
template <class Record>
Result<Record> decode(ByteView payload);

}  // namespace starbus::bus
