/// The account of a chaos run: a shared file in which every node of the run writes what it sends
/// and handles, one byte per message at either end. The supervisor reads it at the end, also of
/// nodes that were killed, and steers them by it: control over the bus would need the bus to work.
///
/// Node i owns channel `entity/i` and sends to kPeers others in each data lane: a stream each.
/// Every field has one writer at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "tests/cluster/chaos/shared_file.hpp"

namespace starbus::cluster_test {

inline constexpr std::uint32_t kNodes = 12;
inline constexpr std::uint32_t kPeers = 4;
inline constexpr std::uint32_t kHosts = 3;  // node i runs on host i % kHosts: "a", "b", "c"
inline constexpr std::uint32_t kDataLaneCount = 3;
inline constexpr std::uint32_t kStreamsPerNode = kPeers * kDataLaneCount;
inline constexpr std::uint32_t kStreams = kNodes * kStreamsPerNode;
inline constexpr std::uint32_t kMaxLives = 64;         // starts of one node
inline constexpr std::uint32_t kMaxSilences = 16'384;  // of one node
inline constexpr std::int64_t kSilence = 15'000'000;   // ns: what is worth an entry

/// What the supervisor wants.
enum class Phase : std::uint32_t { wait, go, leave };
enum class NodeState : std::uint32_t { starting, ready, done, left };

struct Plan {
  std::uint32_t messages;  // of each stream
  std::uint32_t span_ms;   // in which they are sent, evenly
  std::atomic<Phase> phase;
  std::atomic<std::int64_t> begin;  // ns of CLOCK_MONOTONIC, when phase became go
};

/// Nothing came from one host to the node's channel between two messages.
struct Silence {
  std::uint32_t from_host;
  std::int64_t begin, end;  // ns of CLOCK_MONOTONIC
};

struct NodeAccount {
  std::uint32_t life;  // counts from 1; written by the supervisor before it starts the node
  std::atomic<NodeState> state;
  std::atomic<std::uint32_t> leases_lost;
  std::atomic<std::uint32_t> foreign;  // messages that no node of this run has sent
  std::atomic<std::uint32_t> silence_count;
  Silence silences[kMaxSilences];
};

struct StreamAccount {
  std::atomic<std::uint32_t> sent;
  std::atomic<std::uint32_t> handled;
  std::atomic<std::uint32_t> doubled;
  std::atomic<std::uint32_t> disordered;
  std::uint32_t first[kMaxLives];  // by life of the sender: its first number
  std::uint32_t next[kMaxLives];   // at the receiver, by life of the sender
};

/// What a sender knows of a message, in a byte: nothing yet, that it is in custody, that it was
/// acknowledged, or the number of an Errc.
namespace outcome {
inline constexpr std::uint8_t kNotSent = 0;
inline constexpr std::uint8_t kCustody = 200;
inline constexpr std::uint8_t kAcknowledged = 201;
inline std::uint8_t of(bus::Errc code) {
  return static_cast<std::uint8_t>(code);
}
}  // namespace outcome

/// What a body begins with; filler follows, every byte of it `number`'s lowest.
struct Letter {
  std::uint32_t stream;
  std::uint32_t life;
  std::uint32_t number;
};

class Board {
 public:
  static Board create(const std::filesystem::path& path, std::uint32_t messages,
                      std::uint32_t span_ms);
  static Board open(const std::filesystem::path& path);

  Plan& plan() const { return header().plan; }
  NodeAccount& node(std::uint32_t i) const { return header().nodes[i]; }
  StreamAccount& stream(std::uint32_t i) const { return header().streams[i]; }
  /// By number of the message: what its sender knows.
  std::span<std::uint8_t> outcomes(std::uint32_t stream) const { return bytes(2 * stream); }
  /// By number of the message: the life of the node that has handled it, 0 if none has.
  std::span<std::uint8_t> handlers(std::uint32_t stream) const { return bytes(2 * stream + 1); }

  static std::uint32_t sender_of(std::uint32_t stream) { return stream / kStreamsPerNode; }
  static std::uint32_t receiver_of(std::uint32_t stream) {
    return (sender_of(stream) + 1 + stream % kStreamsPerNode / kDataLaneCount) % kNodes;
  }
  static bus::Lane lane_of(std::uint32_t stream) {
    return bus::kDataLanes[stream % kDataLaneCount];
  }
  static std::uint32_t host_of(std::uint32_t node) { return node % kHosts; }
  static std::string host_name(std::uint32_t host) {
    return {static_cast<char>('a' + static_cast<char>(host))};
  }
  static std::string channel_of(std::uint32_t node) { return "entity/" + std::to_string(node); }

 private:
  struct Header {
    Plan plan;
    NodeAccount nodes[kNodes];
    StreamAccount streams[kStreams];
  };
  explicit Board(SharedFile file) : file_(std::move(file)) {}
  Header& header() const { return *reinterpret_cast<Header*>(file_.data()); }
  std::span<std::uint8_t> bytes(std::uint32_t row) const {
    auto* const rows = reinterpret_cast<std::uint8_t*>(file_.data() + sizeof(Header));
    return {rows + std::size_t{row} * plan().messages, plan().messages};
  }

  SharedFile file_;
};

/// CLOCK_MONOTONIC in ns, which all processes of a machine share.
std::int64_t now_ns();

}  // namespace starbus::cluster_test
