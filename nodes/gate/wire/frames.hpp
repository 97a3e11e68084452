/// What a client and a gate say to each other: docs/reference/client-protocol.md has the bytes.
///
/// A frame is one message of a connection (a WebSocket message; over TCP four bytes of length come
/// first). Decoding treats its bytes as hostile: sizes are checked before anything is allocated,
/// and each frame has one form only. Pure functions and plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"
#include "entity/client/ids.hpp"

namespace starbus::nodes::gate {

namespace sessions = entity::sessions;
using sessions::Bind;
using sessions::Key;
using sessions::SessionId;

/// The version of this protocol that is built here.
inline constexpr std::uint16_t kClientVersion = 1;

/// How far a client has come: the last packet that it was shown, and the turn under which.
struct Position {
  std::uint32_t turn = 0;
  std::uint64_t c = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

// --- from the client -----------------------------------------------------------------------------

/// The first frame of a connection.
struct Hello {
  std::uint16_t least = kClientVersion;  // versions of the protocol that the client speaks
  std::uint16_t most = kClientVersion;
  std::uint64_t features = 0;  // bits; none is defined yet
  std::uint64_t schema = 0;    // hash of the schema that its code was written from; 0: none
  std::string program{};       // name and version, for logs
  friend bool operator==(const Hello&, const Hello&) = default;
};
/// Opens a session: proves who the player is.
struct Login {
  std::string method{};   // "password", or that of another verifier
  std::string account{};  // a name without `account/`; a verifier may choose it itself: empty
  bus::Bytes proof{};     // what the method wants: a password, a ticket of a shop
  friend bool operator==(const Login&, const Login&) = default;
};
/// Continues a session, at any gate. All zero or empty but `reentry`: lets the player in again.
struct Resume {
  SessionId session{};
  Key token{};         // of the last Welcome
  std::string gate{};  // of the last Welcome: channel of the gate that has the session
  Position position{};
  bus::Bytes reentry{};  // of the last Welcome: lets the player in again when that gate is dead
  friend bool operator==(const Resume&, const Resume&) = default;
};
/// The client has kept the token of the Welcome of this connection: the one before is erased.
struct Confirm {
  friend bool operator==(const Confirm&, const Confirm&) = default;
};
/// All packets up to c were shown.
struct Ack {
  std::uint64_t c = 0;
  friend bool operator==(const Ack&, const Ack&) = default;
};
/// Asks the subject: a call as entity/rpc/wire.hpp has it.
struct Ask {
  std::uint64_t u = 0;
  Bind bind{};  // of the last full state: for whom it is meant
  bus::Bytes body{};
  friend bool operator==(const Ask&, const Ask&) = default;
};
/// From either side; answered by Pong.
struct Ping {
  std::uint64_t time = 0;  // of the sender's clock; comes back
  friend bool operator==(const Ping&, const Ping&) = default;
};
struct Pong {
  std::uint64_t time = 0;  // of the Ping
  std::uint64_t here = 0;  // milliseconds since 1970 at the gate; a client may say 0
  friend bool operator==(const Pong&, const Pong&) = default;
};
/// The player leaves on purpose: the session ends now.
struct Bye {
  friend bool operator==(const Bye&, const Bye&) = default;
};

using FromClient = std::variant<Hello, Login, Resume, Confirm, Ack, Ask, Ping, Pong, Bye>;

// --- to the client -------------------------------------------------------------------------------

/// Answers Hello.
struct Greeting {
  std::uint16_t version = kClientVersion;  // that both speak from here on
  std::uint64_t features = 0;              // of Hello's, those that are used
  std::uint64_t schema = 0;
  std::uint64_t here = 0;          // milliseconds since 1970 at the gate
  std::uint32_t heartbeat_ms = 0;  // say something at least this often, or the gate hangs up
  std::uint32_t frame_bytes = 0;   // the longest frame that the gate takes
  friend bool operator==(const Greeting&, const Greeting&) = default;
};
enum class WaitsFor : std::uint8_t {
  place = 1,    ///< the login queue
  account = 2,  ///< the account is being loaded
  subject = 3,  ///< the entity that the session plays is being loaded, or its home is silent
  gate = 4,     ///< another gate is asked for the session
};
/// The client is not forgotten. Said again when something changes, and at least every kWaitingSaid.
struct Waiting {
  WaitsFor what = WaitsFor::account;
  std::uint64_t ahead = 0;    // of place: how many are before it
  std::uint32_t seconds = 0;  // of place: an estimate; 0: none
  friend bool operator==(const Waiting&, const Waiting&) = default;
};
/// A session is open, and goes before its first packet. Answer with Confirm.
struct Welcome {
  SessionId session{};
  Key token{};
  std::string gate{};         // channel of the gate that has the session
  Position position{};        // of a session that goes on: that of Resume, with the turn of now
  bool goes_on = false;       // the session of Resume; else a new one, whose full state follows
  std::uint64_t login = 0;    // which proof of identity: numbers of requests go on within one
  std::uint64_t up_seen = 0;  // requests up to this one have come; the others may be asked again
  Bind up_bind{};             // of the full state that this speaks of
  bus::Bytes reentry{};
  friend bool operator==(const Welcome&, const Welcome&) = default;
};
/// What a packet is. The numbers travel.
enum class PacketKind : std::uint8_t {
  full = 1,     ///< up_seen (a varint), then a sessions::FullState: a stretch begins
  call = 2,     ///< a method of the client's interface with its arguments
  news = 3,     ///< changes of properties
  reply = 4,    ///< a sessions::Reply: to a request
  over = 8,     ///< a sessions::Over: the stretch ends; another follows, or `ended`
  sight = 9,    ///< what the player sees around it
  spoken = 16,  ///< a Spoken: to a group that the client is in
  ended = 17,   ///< an Ended: the session is over; the last packet
};
/// One packet of the session: c counts +1.
struct Packet {
  std::uint64_t c = 0;
  PacketKind kind = PacketKind::call;
  bus::Bytes body{};
  friend bool operator==(const Packet&, const Packet&) = default;
};
/// Requests behind up_seen were not taken: ask them again.
struct Busy {
  std::uint64_t up_seen = 0;
  friend bool operator==(const Busy&, const Busy&) = default;
};
/// The gate is leaving: come to another one with Resume.
struct GoTo {
  std::string address{};  // as the gates' settings have it: host:port, or a wss:// address
  friend bool operator==(const GoTo&, const GoTo&) = default;
};
/// Why a session was not opened, or has ended, or a connection is closed. The numbers travel.
enum class CloseReason : std::uint8_t {
  version = 1,        ///< no version of the protocol in common
  malformed = 2,      ///< a frame that is none, or not at its place
  too_large = 3,      ///< a frame beyond Greeting's frame_bytes
  idle = 4,           ///< nothing was heard for too long
  too_many = 5,       ///< connections, frames or logins from this address; retry_ms says when
  denied = 6,         ///< the proof of identity is wrong
  banned = 7,         ///< text says until when
  full = 8,           ///< no place and no place in the queue; retry_ms
  token = 9,          ///< not a token of this session: log in
  token_reused = 10,  ///< an erased token came again: the session has ended, log in
  window = 11,        ///< the packets behind the position are not kept: log in, or re-enter
  replaced = 12,      ///< a later login plays
  ended = 13,         ///< the session has ended; text says why
  too_slow = 14,      ///< the client did not take what it was sent
  later = 15,         ///< not now: retry_ms
  leaving = 16,       ///< the gate stops
  taken_over = 17,    ///< another connection continues this session
  fault = 18,         ///< the gate or the bus has failed: re-enter
};
/// The last frame of a connection.
struct Closed {
  CloseReason reason = CloseReason::ended;
  std::uint32_t retry_ms = 0;  // 0: not to be repeated as it is, or at once
  std::string text{};          // for a person
  friend bool operator==(const Closed&, const Closed&) = default;
};

using ToClient = std::variant<Greeting, Waiting, Welcome, Packet, Busy, GoTo, Ping, Pong, Closed>;

// --- bodies of packets that no entity numbers ----------------------------------------------------

/// Said to a group.
struct Spoken {
  std::string group{};
  bus::Bytes body{};  // as a packet of kind call has it
  friend bool operator==(const Spoken&, const Spoken&) = default;
};
/// The session has ended.
struct Ended {
  CloseReason reason = CloseReason::ended;
  bool closing = false;       // whether the next two are known
  std::uint64_t up_done = 0;  // as in a full state
  Bind since{};
  friend bool operator==(const Ended&, const Ended&) = default;
};

/// Each appends.
void encode(const FromClient& frame, bus::Bytes& out);
void encode(const ToClient& frame, bus::Bytes& out);
void encode(const Spoken& body, bus::Bytes& out);
void encode(const Ended& body, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
entity::DataResult<FromClient> decode_from_client(bus::ByteView bytes);
/// As decode_from_client().
entity::DataResult<ToClient> decode_to_client(bus::ByteView bytes);
/// As decode_from_client().
entity::DataResult<Spoken> decode_spoken(bus::ByteView bytes);
/// As decode_from_client().
entity::DataResult<Ended> decode_ended(bus::ByteView bytes);

}  // namespace starbus::nodes::gate
