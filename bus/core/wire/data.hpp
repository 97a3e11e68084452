/// The records that carry messages, laid out so that a daemon forwards them without decoding.
///
/// DATA is a *run*: consecutive messages of one origin to one channel in one lane, under one
/// header. A sender packs what is ready into runs, so routing costs once per run and not once per
/// message.
///
/// Offsets within the payload, after length and kind:
// clang-format off
///        0    1  lane
///        1    1  zero
///        2    2  count      messages in the run, at least 1
///        4   16  origin     host u32, slot u32, incarnation u64; stamped by the origin's busd
///       20   16  channel
///       36    8  lineage
///       44    8  prev       of the first message: the sequence that must be handled before it, or 0
///       52    8  seq        of the first message
///       60    -  messages: {u32 size | tombstone bit 31 | system bit 30, u32 step, body}
// clang-format on
///
/// `step` is seq minus the seq before it in the run (0 for the first); `prev` of every later
/// message is the seq before it. A tombstone stands for a message that expired: it keeps the chain,
/// has no body and reaches no handler. A system message (bit 30) is for the library at its target
/// and not for a handler: its body is one encoded record, State or StateRefused.
///
/// MULTICAST: {lane u8, zero u8, count u16, origin 16, count x {channel 16, lineage 8, prev 8, seq
/// 8}, body}: one body, each target an ordinary stream with its own prev and seq.
///
/// CHUNK: {lane u8, flags u8 (1 first, 2 last), [u32 total size if first], bytes}: a record larger
/// than kChunk, cut up for one link and lane; the pieces of one record are not interleaved with
/// another's in the same lane.
#pragma once

#include <optional>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// Sizes and flags of the layouts above. kItemHeader and kTargetSize are of one message of a run
/// and of one target of a multicast.
inline constexpr std::size_t kRunHeader = 60;
inline constexpr std::size_t kItemHeader = 8;
inline constexpr std::size_t kOriginOffset = 4;  // in DATA and in MULTICAST
inline constexpr std::uint32_t kTombstone = 0x8000'0000;
inline constexpr std::uint32_t kSystem = 0x4000'0000;
inline constexpr std::uint32_t kSizeMask = ~(kTombstone | kSystem);
inline constexpr std::size_t kMulticastHeader = 20;
inline constexpr std::size_t kTargetSize = 40;

/// The fixed part of a run. `items` are the bytes after it, not yet checked.
struct Run {
  Lane lane = Lane::call;
  std::uint16_t count = 0;
  Process origin;
  ChannelId channel;
  Lineage lineage;
  std::uint64_t prev = 0;
  std::uint64_t seq = 0;
  ByteView items;
  bool system = false;  // set by decode_run: some message is for the library of its target
};

/// Checks the header and that every message lies within the run: the only pass over the sizes, made
/// where a record comes from a party that may be hostile. bad_bytes otherwise.
Result<Run> decode_run(ByteView payload);
/// The header alone, for records that were checked when they entered this process.
Run view_run(ByteView payload);

/// One message of a run. `body` points into the payload.
struct Item {
  std::uint64_t prev = 0;
  std::uint64_t seq = 0;
  bool tombstone = false;
  bool system = false;
  ByteView body;
};

/// Walks over the messages of a checked run, in order. Refers to the payload; a plain value.
class RunReader {
 public:
  explicit RunReader(const Run& run)
      : rest_(run.items), left_(run.count), prev_(run.prev), seq_(run.seq) {}
  /// The next message; nullopt after the last.
  std::optional<Item> next();

 private:
  ByteView rest_;
  std::uint16_t left_;
  std::uint64_t prev_;
  std::uint64_t seq_;
};

/// Appends a DATA record whose messages are already encoded in `items`.
void encode_run(const Run& run, Bytes& out);
/// Its first half: everything before the messages, of which `items_size` bytes will follow.
void encode_run_header(const Run& run, std::size_t items_size, Bytes& out);

/// Where the origin of a DATA, MULTICAST or PROBE payload stands is fixed; this stamps it.
void stamp_origin(std::byte* at, const Process& origin);
Process load_origin(const std::byte* at);

/// One receiver of a multicast, with the place of the message in that stream.
struct Target {
  ChannelId channel;
  Lineage lineage;
  std::uint64_t prev = 0;
  std::uint64_t seq = 0;
};

/// One body for many targets: at most kMaxGroup.
struct Multicast {
  Lane lane = Lane::call;
  Process origin;
  std::vector<Target> targets;
  ByteView body;  // points into the decoded bytes
};

/// bad_bytes if the payload is not one multicast with at least one target.
Result<Multicast> decode_multicast(ByteView payload);
void encode_multicast(const Multicast& multicast, Bytes& out);

/// One piece of a record that is larger than kChunk.
struct Chunk {
  Lane lane = Lane::call;
  bool first = false;
  bool last = false;
  std::uint32_t total = 0;  // if first: size of the whole record, its kind byte included
  ByteView bytes;           // the first piece begins with the kind byte
};

/// bad_bytes if the payload is not one chunk, or names a size of 0 or above kMaxRecord.
Result<Chunk> decode_chunk(ByteView payload);
void encode_chunk(const Chunk& chunk, Bytes& out);

}  // namespace starbus::bus
