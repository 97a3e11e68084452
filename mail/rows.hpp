/// How mail lies in the store: keys and values, byte by byte as in docs/guide/mail.md. Integers in
/// keys are big-endian, so that they sort; in values little-endian.
///
///   P shard                          PlaceRow: a shard that has moved, or moves
///   S shard                          ShardRow
///   m shard id                       BoxRow: one mailbox or log
///   b shard id number                MessageRow
///   k shard id hash                  KeyRow: an idempotency key of one sender, or with one body
///   k shard id key                   KeyRow: the same, of any sender, as earlier versions wrote it
///   f shard origin lane              StreamRow: one sender's stream to this shard
///   r shard origin lane seq          ResultsRow: what became of the messages up to seq
///
/// Decoding trusts nothing: a malformed row is nullopt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mail/types.hpp"

namespace starbus::mail {

/// No mailbox reaches this number, nor so many bytes: that takes two thousand years at a million
/// messages a second. A row beyond it is invalid, so sums and loops over numbers cannot overflow.
inline constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 56;

/// A mailbox or a log.
struct BoxRow {
  PostTarget kind = PostTarget::mailbox;
  std::string name;
  std::uint64_t last = 0;   // the latest number; numbering starts at 1
  std::uint64_t floor = 0;  // messages up to it are erased: acknowledged, or trimmed
  // Bytes of all bodies ever stored, up to `last` and up to `floor`. So an acknowledgement reads
  // one row, and not all that it erases, to know what is left.
  std::uint64_t total = 0;
  std::uint64_t floor_total = 0;
  Epoch reader{};  // the highest epoch that a reader came with

  std::uint64_t count() const { return last - floor; }
  std::uint64_t bytes() const { return total - floor_total; }
  /// Whether its kind is certain. That of a log without a message is not: earlier versions made the
  /// row when a reader opened it, and opening must not take a name.
  bool decided() const { return kind == PostTarget::mailbox || last != 0; }
};

/// Error text for a request of the other kind.
inline const char* denial(PostTarget kind) {
  return kind == PostTarget::log ? "it is a log" : "it is a mailbox";
}

/// Totals of a shard, or of the whole store.
struct Totals {
  std::uint64_t boxes = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  // of their bodies

  /// Adds one mailbox or log.
  void add(const BoxRow& row) {
    ++boxes;
    messages += row.count();
    bytes += row.bytes();
  }
  Totals& operator+=(const Totals& other) {
    boxes += other.boxes;
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

/// "1 mailboxes and logs, 2 messages, 3 bytes of bodies"
std::string describe(const Totals& totals);

/// The lineage and the sums of a shard.
struct ShardRow {
  Lineage lineage{};  // what the shard was last owned under
  Totals totals{};
};

/// Where a shard is. This row overrides the configuration.
enum class Keeping : std::uint8_t {
  incoming = 1,  // only a part of it is here: useless
  arrived = 2,   // all of it is here, and only `host` knows whether it was given to this store
  kept = 3,      // here
  elsewhere = 4  // given to `host`, or found there
};
struct PlaceRow {
  Keeping keeping = Keeping::kept;
  std::uint64_t token = 0;  // of the move (ShardTake); 0: of none
  std::string host;         // the other one
  friend bool operator==(const PlaceRow&, const PlaceRow&) = default;
};

/// False if the rows here are useless, since another store has the shard.
inline bool is_here(const PlaceRow& row) {
  return row.keeping == Keeping::kept || row.keeping == Keeping::arrived;
}

/// One message; views into the value that was decoded.
struct MessageRow {
  std::uint64_t time_ms = 0;  // when it was stored, of the wall clock
  std::uint64_t total = 0;    // of bodies in its box up to this one
  std::string_view trace;     // empty, or 24 bytes
  std::string_view body;
};

/// An idempotency key: the number that its message got, and when.
struct KeyRow {
  std::uint64_t number = 0;
  std::uint64_t time_ms = 0;
};

/// The latest sequence of one sender that is stored.
struct StreamRow {
  std::uint64_t last = 0;
  std::uint64_t time_ms = 0;  // when it was written
};

/// The keys of the rows above.
std::string place_key(std::uint8_t shard);
std::string shard_key(std::uint8_t shard);
std::string box_key(std::uint8_t shard, const ChannelId& id);
std::string message_key(std::uint8_t shard, const ChannelId& id, std::uint64_t number);
std::string post_key(std::uint8_t shard, const ChannelId& id, std::string_view key);
/// What stands for an idempotency key in its two rows, 16 bytes each. A post is a repetition if one
/// node of one host said the key before, in whichever incarnation, or if anybody said it with the
/// same body: whoever guesses a key cannot make another message vanish.
std::string key_of_sender(const Process& sender, std::string_view key);
std::string key_of_content(std::string_view key, bus::ByteView body);
std::string stream_key(std::uint8_t shard, const Process& origin, bus::Lane lane);
std::string results_key(std::uint8_t shard, const Process& origin, bus::Lane lane,
                        std::uint64_t seq);
/// The kinds of rows that move with a shard: all but those about the shard itself.
inline constexpr std::string_view kMovingKinds = "bfkmr";
/// All rows of one kind and shard lie in [prefix, end).
std::string kind_prefix(char kind, std::uint8_t shard);
std::string prefix_end(std::string prefix);

/// The fields of the key of a stream's row, or of its results (then with the seq).
struct StreamKey {
  Process origin;
  bus::Lane lane = bus::Lane::call;
  std::uint64_t seq = 0;
};
std::optional<StreamKey> read_stream_key(std::string_view key);

std::string encode(const PlaceRow& row);
std::string encode(const ShardRow& row);
std::string encode(const BoxRow& row);
void encode(const BoxRow& row, Bytes& out);  // appends
std::string encode(const MessageRow& row);
void encode(const MessageRow& row, Bytes& out);  // appends
std::string encode(const KeyRow& row);
std::string encode(const StreamRow& row);
std::string encode(const std::vector<PostResult>& results);

/// Each is nullopt if the value is malformed.
std::optional<PlaceRow> decode_place(std::string_view value);
std::optional<ShardRow> decode_shard(std::string_view value);
std::optional<BoxRow> decode_box(std::string_view value);
std::optional<MessageRow> decode_message(std::string_view value);  // views into `value`
std::optional<KeyRow> decode_key(std::string_view value);
std::optional<StreamRow> decode_stream(std::string_view value);
/// Appends.
bool decode_results(std::string_view value, std::vector<PostResult>& out);

}  // namespace starbus::mail
