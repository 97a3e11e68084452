/// The stream to a client, as its home says it to the gate: parts with numbers of their own, many
/// sessions in one message (a bundle), each body once. docs/design/sessions.md has the bytes.
///
/// A section is what one session gets. It begins with a handle, 32 bits that the home chooses; the
/// first section with a new handle introduces it: session, turn, bind, run, subject. Whatever of
/// these changes is introduced again. Decoding trusts nothing. Pure functions; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"
#include "entity/client/ids.hpp"

namespace starbus::entity::sessions {

/// What a part is for the client. The numbers travel.
enum class PartKind : std::uint8_t {
  full = 1,   ///< n = 1: a FullState
  call = 2,   ///< a method of the client's interface with its arguments
  news = 3,   ///< changes of properties since the part before
  reply = 4,  ///< a Reply: to a request
  idle = 5,   ///< an Idle: nothing but a number
  join = 6,   ///< the client is in this group from now on: its name
  leave = 7,  ///< not any more
  over = 8,   ///< an Over: the last part of the stretch
  sight = 9,  ///< what the player sees around it; docs/reference/client-protocol.md
};
inline constexpr PartKind kLastPart = PartKind::sight;
std::string_view name_of(PartKind kind);

/// Immutable, so that many parts may have it.
using Body = std::shared_ptr<const bus::Bytes>;

/// One part of a stream, without its number.
struct Part {
  PartKind kind = PartKind::idle;
  Body body;
};

/// What a handle stands for.
struct Introduction {
  SessionId session{};
  std::uint32_t turn = 0;
  Bind bind{};
  Run run{};
  std::string subject{};
  friend bool operator==(const Introduction&, const Introduction&) = default;
};

/// The parts of one session in a bundle.
struct Section {
  std::uint32_t handle = 0;
  std::optional<Introduction> introduces{};
  std::uint64_t first = 0;  // number of the first part; the others count on
  std::vector<Part> parts{};
};

/// Appends one bundle; parts with the same Body share its bytes.
void encode_bundle(const std::vector<Section>& sections, bus::Bytes& out);
/// Whether these bytes are a bundle, and no word (words.hpp): by their first byte.
bool is_bundle(bus::ByteView bytes);
/// Errors: malformed, truncated, trailing, too_large (see limits.hpp).
DataResult<std::vector<Section>> decode_bundle(bus::ByteView bytes);

// --- bodies --------------------------------------------------------------------------------------

/// What a client knows at the begin of a stretch.
struct FullState {
  std::string subject{};
  Bind bind{};
  Bind since{};
  std::uint64_t up_done = 0;
  std::vector<std::uint64_t> open{};
  std::vector<std::string> groups{};
  bus::Bytes properties{};  // a snapshot for the own client; empty: the subject has none
  friend bool operator==(const FullState&, const FullState&) = default;
};
struct Reply {
  std::uint64_t u = 0;
  bus::Bytes answer{};  // as rpc/wire.hpp has it: a value, a refusal, or an error
  friend bool operator==(const Reply&, const Reply&) = default;
};
struct Idle {
  /// The home from which the subject has come, in the first part after a move.
  std::optional<bus::Process> before{};
  friend bool operator==(const Idle&, const Idle&) = default;
};
struct Over {
  Reason reason = Reason::ended;
  Closing closing{};
  friend bool operator==(const Over&, const Over&) = default;
};

/// Each appends.
void encode(const FullState& body, bus::Bytes& out);
void encode(const Reply& body, bus::Bytes& out);
void encode(const Idle& body, bus::Bytes& out);
void encode(const Over& body, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
DataResult<FullState> decode_full(bus::ByteView bytes);
/// As decode_full().
DataResult<Reply> decode_reply(bus::ByteView bytes);
/// As decode_full().
DataResult<Idle> decode_idle(bus::ByteView bytes);
/// As decode_full().
DataResult<Over> decode_over(bus::ByteView bytes);

/// A body of one of these.
template <class T>
Body body_of(const T& value) {
  bus::Bytes bytes;
  encode(value, bytes);
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

}  // namespace starbus::entity::sessions
