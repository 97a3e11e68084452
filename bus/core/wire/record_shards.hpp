/// What two stores say to each other while a shard goes from one host to another: system messages
/// (data.hpp) from process channel to process channel, in one lane, so in order and once.
/// docs/design/protocol.md, "Shards that move". Since 1.1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {

inline bool is_shard(Kind kind) {
  return kind >= Kind::shard_take && kind <= Kind::shard_given;
}

/// To the store that has the shard: give it to me. Each attempt draws a new token. `asks`: that
/// attempt is at its end here, all is on the disk: has it been given to me?
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

/// The shard that a record of these is about; none: it is none of these. All begin alike, and a
/// page need not be read to know.
std::optional<std::uint8_t> shard_in(Kind kind, ByteView payload);

/// Of a store: a key with its value, a key without, or all keys in [key, value).
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

/// The next page, once the one before is on the taker's disk. First all rows as they were at one
/// moment, then what has changed since, again and again; with `last`, nobody serves the shard any
/// more, and the taker has all of it.
struct ShardRows {
  static constexpr Kind kKind = Kind::shard_rows;
  std::uint64_t token = 0;
  std::uint8_t shard = 0;
  std::uint32_t page = 0;  // from 1
  bool last = false;
  Lineage lineage;             // which the shard goes on under
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

/// ok: the shard is the taker's, which is on the giver's disk. Anything else: it is not, and this
/// attempt is over (busy: another one takes it; no_owner: it is not here, or the attempt unknown).
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
