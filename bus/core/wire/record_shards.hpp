/// Records between two stores while a shard moves from one host to another: system messages
/// (data.hpp) from process channel to process channel, in one lane, so in order and once.
/// docs/design/protocol.md, "Shards that move". Since 1.1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {

/// Whether a record of this kind is one of this file.
inline bool is_shard(Kind kind) {
  return kind >= Kind::shard_take && kind <= Kind::shard_given;
}

/// Asks the store that has the shard to give it. Each attempt draws a new token. `asks`: the taker
/// has all of it on its disk, and asks whether the shard was given to it.
struct ShardTake {
  static constexpr Kind kKind = Kind::shard_take;
  std::uint64_t token = 0;
  std::uint8_t shard = 0;
  bool asks = false;
  std::string host;  // of the taker, for people
  Lineage lineage;   // `asks`: of the shard, as it has arrived
  Lineage reply;     // of the taker's process channel, so that answers need no PROBE
  template <class A>
  void fields(A& a) {
    a(token, shard, asks, host, lineage, reply);
  }
};

/// The shard of such a record, read from its first bytes without decoding a page; nullopt if the
/// record is of another kind or too short.
std::optional<std::uint8_t> shard_in(Kind kind, ByteView payload);

/// A change of a store's rows: put a key with its value, erase a key, or erase all keys in
/// [key, value).
struct ShardChange {
  enum class What : std::uint8_t { put = 1, erase = 2, erase_range = 3 };
  What what = What::put;
  Bytes key;
  Bytes value;
  friend bool operator==(const ShardChange&, const ShardChange&) = default;
  template <class A>
  void fields(A& a) {
    a(what, key, value);
  }
};

/// The next page, after the one before is on the taker's disk. First all rows as they were at one
/// moment, then the changes since, again and again; with `last`, the giver does not serve the shard
/// any more, and the taker has all of it.
struct ShardRows {
  static constexpr Kind kKind = Kind::shard_rows;
  std::uint64_t token = 0;
  std::uint8_t shard = 0;
  std::uint32_t page = 0;  // from 1
  bool last = false;
  Lineage lineage;             // of the shard, which it keeps
  std::uint64_t boxes = 0;     // in the shard now: mailboxes and logs,
  std::uint64_t messages = 0;  // their messages,
  std::uint64_t bytes = 0;     // and the bytes of the bodies
  std::vector<ShardChange> changes;
  template <class A>
  void fields(A& a) {
    a(token, shard, page, last, lineage, boxes, messages, bytes, changes);
  }
};

/// The page is on the taker's disk.
struct ShardMore {
  static constexpr Kind kKind = Kind::shard_more;
  std::uint64_t token = 0;
  std::uint8_t shard = 0;
  std::uint32_t page = 0;
  template <class A>
  void fields(A& a) {
    a(token, shard, page);
  }
};

/// ok: the shard belongs to the taker, and the giver's disk has recorded that. Anything else ends
/// this attempt (busy: another store takes it; no_owner: it is not here, or the attempt is
/// unknown).
struct ShardGiven {
  static constexpr Kind kKind = Kind::shard_given;
  std::uint64_t token = 0;
  std::uint8_t shard = 0;
  Errc status = Errc::ok;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(token, shard, status, detail);
  }
};

}  // namespace starbus::bus
