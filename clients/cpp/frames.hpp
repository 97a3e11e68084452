/// What a client and a gate say to each other: docs/reference/client-protocol.md has the bytes.
/// Written is what clients say, and read what gates say; a gate's bytes count as hostile. Values
/// and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

/// The version of the protocol that is built here.
inline constexpr std::uint16_t kVersion = 1;

/// The last packet that the program was shown, and the turn under which.
struct Position {
  std::uint32_t turn = 0;
  std::uint64_t c = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// --- from the client -----------------------------------------------------------------------------

/// The first frame of a connection.
struct Hello {
  std::uint16_t least = kVersion;
  std::uint16_t most = kVersion;
  std::uint64_t features = 0;  // none is defined yet
  std::uint64_t schema = 0;    // hash of the schema that the program was written from; 0: none
  std::string program{};       // name and version, for logs; 64 bytes
};
/// Proves who the player is.
struct Login {
  std::string method{};   // "password", or that of another verifier; 32 bytes
  std::string account{};  // a name; empty if the verifier chooses it; 64 bytes
  Bytes proof{};          // what the method wants; 8 KiB
};
/// What a client keeps of a Welcome, to come back with.
struct Ticket {
  Key session{};
  Key token{};
  std::string gate{};
  Bytes reentry{};  // the signed part
};
/// Continues a session at any gate. With the signed part alone, and all else zero or empty: begins
/// a new session of the same login.
struct Resume {
  Ticket ticket{};
  Position position{};
};
struct Confirm {};
struct Ack {
  std::uint64_t c = 0;
};
/// Asks the subject.
struct Ask {
  std::uint64_t u = 0;
  Bind bind{};
  ByteView body{};
};
struct Ping {
  std::uint64_t time = 0;
};
struct Pong {
  std::uint64_t time = 0;
  std::uint64_t here = 0;  // milliseconds since 1970; a client says 0
};
struct Bye {};

/// The bytes of one frame.
Bytes encode(const Hello& frame);
Bytes encode(const Login& frame);
Bytes encode(const Resume& frame);
Bytes encode(const Confirm& frame);
Bytes encode(const Ack& frame);
Bytes encode(const Ask& frame);
Bytes encode(const Ping& frame);
Bytes encode(const Pong& frame);
Bytes encode(const Bye& frame);

// --- to the client -------------------------------------------------------------------------------

/// Answers Hello.
struct Greeting {
  std::uint16_t version = 0;
  std::uint64_t features = 0;
  std::uint64_t schema = 0;
  std::uint64_t here = 0;          // milliseconds since 1970 at the gate
  std::uint32_t heartbeat_ms = 0;  // say something at least this often
  std::uint32_t frame_bytes = 0;   // the longest frame that the gate takes
};
/// What a session waits for. The numbers travel.
enum class WaitsFor : std::uint8_t { place = 1, account = 2, subject = 3, gate = 4 };
/// The client is not forgotten.
struct Waiting {
  WaitsFor what = WaitsFor::account;
  std::uint64_t ahead = 0;    // of place: how many are before it
  std::uint32_t seconds = 0;  // of place: an estimate; 0: none
};
/// A session is open.
struct Welcome {
  Ticket ticket{};
  Position position{};
  bool goes_on = false;  // the session of Resume; else a new one, whose full state follows
  std::uint64_t login = 0;
  std::uint64_t up_seen = 0;  // requests up to this one have come
  Bind up_bind{};             // of the full state that up_seen speaks of
};
/// What a packet is. The numbers travel.
enum class PacketKind : std::uint8_t {
  full = 1,
  call = 2,
  news = 3,
  reply = 4,
  over = 8,
  sight = 9,
  spoken = 16,
  ended = 17,
};
/// One packet; the body is a view of the frame.
struct Packet {
  std::uint64_t c = 0;
  PacketKind kind = PacketKind::call;
  ByteView body{};
};
/// Requests behind up_seen were not taken.
struct Busy {
  std::uint64_t up_seen = 0;
};
struct GoTo {
  std::string address{};
};
/// Why a connection or a session has ended. The numbers travel.
enum class CloseReason : std::uint8_t {
  version = 1,
  malformed = 2,
  too_large = 3,
  idle = 4,
  too_many = 5,
  denied = 6,
  banned = 7,
  full = 8,
  token = 9,
  token_reused = 10,
  window = 11,
  replaced = 12,
  ended = 13,
  too_slow = 14,
  later = 15,
  leaving = 16,
  taken_over = 17,
  fault = 18,
};
/// The last frame of a connection.
struct Closed {
  CloseReason reason = CloseReason::ended;
  std::uint32_t retry_ms = 0;
  std::string text{};  // for a person
};

using ToClient = std::variant<Greeting, Waiting, Welcome, Packet, Busy, GoTo, Ping, Pong, Closed>;

// --- bodies of packets ---------------------------------------------------------------------------

/// A stretch begins: what the client knows of its subject from here on.
struct FullState {
  std::uint64_t up_seen = 0;
  std::string subject{};
  Bind bind{};
  Bind since{};
  std::uint64_t up_done = 0;
  std::vector<std::uint64_t> open{};
  std::vector<std::string> groups{};
  ByteView properties{};  // a view
};
/// A method of the client's interface with its arguments, which are a view.
struct Call {
  std::uint32_t method = 0;
  std::uint32_t types = 0;  // hash of the types of the arguments
  ByteView arguments{};
};
/// To a request; the answer is a view.
struct Reply {
  std::uint64_t u = 0;
  ByteView answer{};
};
/// Why a stretch has ended. The numbers travel.
enum class OverReason : std::uint8_t {
  replaced = 1,
  switched = 2,
  away = 3,
  too_slow = 4,
  ended = 5,
  fault = 6,
};
/// A stretch has ended.
struct Over {
  OverReason reason = OverReason::ended;
  std::uint64_t login = 0;
  std::uint64_t up_done = 0;
  Bind since{};
  std::vector<std::uint64_t> open{};
};
/// Said to a group that the client is in; the body is a view.
struct Spoken {
  std::string group{};
  ByteView body{};
};
/// The session has ended.
struct Ended {
  CloseReason reason = CloseReason::ended;
  bool closing = false;  // whether the next two are known
  std::uint64_t up_done = 0;
  Bind since{};
};

/// What is read has views of `bytes`, which must outlive it. Each refuses what is malformed,
/// truncated, has bytes behind its end, or is larger than limits.hpp says.
Read<ToClient> read_to_client(ByteView bytes);
Read<FullState> read_full(ByteView bytes);
Read<Call> read_call(ByteView bytes);
Read<Reply> read_reply(ByteView bytes);
Read<Over> read_over(ByteView bytes);
Read<Spoken> read_spoken(ByteView bytes);
Read<Ended> read_ended(ByteView bytes);

std::string_view name_of(CloseReason reason);
std::string_view name_of(OverReason reason);
std::string_view name_of(WaitsFor what);

}  // namespace starbus::game
