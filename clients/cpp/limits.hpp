/// Every bound of the client, with its reason and what happens when it is reached. Constants.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace starbus::game {

using std::chrono::milliseconds;

/// Bytes of one frame from a gate: more than any packet. The connection ends, and is made again.
inline constexpr std::size_t kFrameTaken = 1024 * 1024 + 64 * 1024;
/// Bytes of a packet's body, as kFrameTaken.
inline constexpr std::size_t kPacketBytes = 1024 * 1024 + 1024;
/// Bytes of one part of a full state, of a reply, or of what is said to a group.
inline constexpr std::size_t kPartBytes = 1024 * 1024;
/// Bytes of one request: `too_large`.
inline constexpr std::size_t kRequestBytes = 64 * 1024;
/// Requests whose fate is not known, as the gate counts them: `too_many`.
inline constexpr std::size_t kRequestsOpen = 64;
/// Groups that a full state lists, and bytes of the name of one.
inline constexpr std::size_t kGroups = 64;
inline constexpr std::size_t kGroupName = 64;
/// Bytes of the name of a gate, of a subject, or of an address.
inline constexpr std::size_t kNameBytes = 255;
/// Bytes of the signed part of a token.
inline constexpr std::size_t kReentryBytes = 512;
/// Bytes of the text of an error that answers a request.
inline constexpr std::size_t kDetailBytes = 255;
/// Bytes of what a person reads when a connection ends.
inline constexpr std::size_t kCloseTextBytes = 255;
/// Bytes of a login: method, account, proof; of the name of the program. login() refuses more.
inline constexpr std::size_t kMethodBytes = 32;
inline constexpr std::size_t kAccountBytes = 64;
inline constexpr std::size_t kProofBytes = 8 * 1024;
inline constexpr std::size_t kProgramBytes = 64;

/// Elements of all containers of one answer, call or state, and levels of nested ones: too_large.
inline constexpr std::size_t kValueElements = 1024 * 1024;
inline constexpr std::size_t kValueDepth = 32;
/// Elements of one list, map or bag of properties; bytes of a text that is a key of one. The view
/// is lost, and wants a full state.
inline constexpr std::size_t kListElements = 65'536;
inline constexpr std::size_t kKeyBytes = 64;
/// Rows of each kind in a server's table of names, fields of one class, bytes of the name of a
/// field and of the shape of its type: the table is refused, and counts as none.
inline constexpr std::size_t kNameRows = 65'536;
inline constexpr std::size_t kClassFields = 254;
inline constexpr std::size_t kFieldName = 64;
inline constexpr std::size_t kShapeBytes = 1024;
/// Bytes of properties that wait for the server's names: more, and the view is lost.
inline constexpr std::size_t kHeldBytes = 2 * 1024 * 1024;

/// Metres of a coordinate from the origin, as the server has it: moves beyond are malformed.
inline constexpr float kMostCoordinate = 1'048'576;
/// Bytes of a batch of moves, and of one move in its record of sight: too_large.
inline constexpr std::size_t kMoveBatch = 64 * 1024;
inline constexpr std::size_t kMoveBytes = 24;
/// Bytes of the name of a class of entities, and of what a game says of a scene: too_large.
inline constexpr std::size_t kSeenClass = 64;
inline constexpr std::size_t kSetupBytes = 1024;
/// Places that are kept of a mover, 3 seconds at 10 ticks per second: the oldest is forgotten.
inline constexpr std::size_t kSnapshots = 32;
/// A mover goes on without news for so long: then it stands.
inline constexpr milliseconds kExtrapolation{250};
/// Moves that the server has not answered, more than a second of frames: all are forgotten.
inline constexpr std::size_t kMovesPending = 96;
/// Between two reports of moves, unless the program says otherwise: a later one stands for those.
inline constexpr milliseconds kReportTime{100};
/// Reports without an answer, so that none wait for a connection: no further one is said then.
inline constexpr std::size_t kReportsOpen = 16;

/// Bytes that wait to be sent: all requests, and what else a session says. A gate that reads
/// nothing and asks much: the connection ends, and is made again.
inline constexpr std::size_t kSendBytes = kRequestsOpen * kRequestBytes + 256 * 1024;
/// Frames that wait to be sent: as kSendBytes.
inline constexpr std::size_t kSendFrames = 1024;
/// Bytes that wait before a socket: the rest waits as frames.
inline constexpr std::size_t kSocketBytes = 64 * 1024;
/// Bytes of a gate's answer to the upgrade of a WebSocket, and of answers to its pings that wait:
/// the connection ends; a further ping is not answered.
inline constexpr std::size_t kUpgradeBytes = 8 * 1024;
/// Bytes that one client reads in a turn: the others are next.
inline constexpr std::size_t kReadTurn = 256 * 1024;

/// Packets and bytes after which, and time within which, a client acknowledges.
inline constexpr std::uint64_t kAckPackets = 64;
inline constexpr std::size_t kAckBytes = 16 * 1024;
inline constexpr milliseconds kAckTime{250};

/// The beat of a gate that says 0, and the bounds of one that says something strange.
inline constexpr milliseconds kHeartbeat{10'000};
inline constexpr milliseconds kHeartbeatLeast{100};
inline constexpr milliseconds kHeartbeatMost{120'000};
/// Beats of silence after which a connection counts as lost.
inline constexpr int kSilentBeats = 3;
/// Time within which a gate accepts a connection and greets: the next address is tried.
inline constexpr milliseconds kGreetingTime{10'000};
/// The round trip is measured at least this often.
inline constexpr milliseconds kMeasureEvery{30'000};
/// Round trips of which the shortest tells the gate's clock.
inline constexpr std::size_t kClockSamples = 8;

/// The pause before a connection is made again doubles from the first to the last of these; half
/// of it is random, so that thousands of clients do not come at the same time.
inline constexpr milliseconds kRetryFirst{500};
inline constexpr milliseconds kRetryMost{15'000};
/// The longest such pause after a connection over which a gate had let the client in, and that
/// just broke: on a network that breaks each few seconds the player is there most of the time.
inline constexpr milliseconds kRetryBroken{2'000};
/// The longest that a gate may let a client wait: a longer time counts as this.
inline constexpr milliseconds kRetryTold{600'000};
/// Time online after which a connection counts as good, and the pause begins at the first again.
inline constexpr milliseconds kStable{10'000};
/// Without a packet or a good connection for so long, the session ends as `unreachable`.
inline constexpr milliseconds kGiveUp{300'000};
/// Requests that a gate had no room for are said again after this.
inline constexpr milliseconds kBusyAgain{200};
/// Time in which a gate closes after a Bye, or after the last packet: the client closes.
inline constexpr milliseconds kCloseTime{2'000};

/// Addresses of gates in the settings: those behind are not used.
inline constexpr std::size_t kAddresses = 64;
/// Numeric addresses of one name that are tried.
inline constexpr std::size_t kEndpoints = 8;
/// Names of a process that wait to be looked up: a further one counts as not found, and is tried
/// again after the pause.
inline constexpr std::size_t kLookups = 1024;
/// A client looks again this often whether its name was found.
inline constexpr milliseconds kLookAgain{20};

}  // namespace starbus::game
