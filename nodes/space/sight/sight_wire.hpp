/// What a player's client is told of the space around it, in bytes: the body of a part `sight` of
/// its stream. docs/guide/sight.md is the contract, docs/reference/client-protocol.md has the
/// bytes. Read this header first, then sight_view.hpp. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bus/core/bytes.hpp"
#include "nodes/space/movement/move_wire.hpp"
#include "nodes/space/sight/error.hpp"
#include "nodes/space/sight/limits.hpp"

namespace starbus::nodes::sight {

using movement::MoveGrid;

/// All that was seen before is forgotten; here the client is now.
struct Scene {
  std::uint32_t number = 0;   ///< of the scene: one more with each; the epoch of the indices
  std::string space = {};     ///< its name; "": in no space
  MoveGrid grid = {};         ///< of all moves
  std::uint32_t tick_ms = 0;  ///< of the space
  std::uint32_t time = 0;     ///< server time in ms; wraps
  std::uint32_t epoch = 0;    ///< of the player's MoveCheck
  bus::Bytes move = {};       ///< a move body, of `time`; empty: the player has no body there
  bus::Bytes setup = {};      ///< of the game
  friend bool operator==(const Scene&, const Scene&) = default;
};
/// An entity comes in sight.
struct Enter {
  std::uint16_t index = 0;  ///< under which it is told of from now on; not 0
  std::uint64_t id = 0;     ///< its online id
  std::string class_name = {};
  bus::Bytes move = {};        ///< a move body, of the time of the moves of this body; empty: none
  bus::Bytes properties = {};  ///< a snapshot for other clients; empty: the class has none for them
  friend bool operator==(const Enter&, const Enter&) = default;
};
/// It goes out of sight.
struct Leave {
  std::uint16_t index = 0;
  friend bool operator==(const Leave&, const Leave&) = default;
};
/// Its properties have changed.
struct News {
  std::uint16_t index = 0;
  bus::Bytes changes = {};  ///< a delta, or a snapshot
  friend bool operator==(const News&, const News&) = default;
};
using Record = std::variant<Scene, Enter, Leave, News>;

/// One body, as it is read.
struct SightBody {
  std::vector<Record> records = {};
  bus::Bytes moves = {};  ///< a batch as movement::MoveDecoder reads it; empty: there is none
  friend bool operator==(const SightBody&, const SightBody&) = default;
};

/// Appends one body to bytes that it does not own. Sizes are the caller's to check.
class SightWriter {
 public:
  /// Appends the format. `out` is empty.
  explicit SightWriter(bus::Bytes& out);
  void scene(const Scene& scene);
  void enter(std::uint16_t index, std::uint64_t id, std::string_view class_name, bus::ByteView move,
             bus::ByteView properties);
  void leave(std::uint16_t index);
  void news(std::uint16_t index, bus::ByteView changes);
  /// The last record: the batch is appended to the same bytes.
  movement::MoveBatch moves(const movement::BatchHeader& header);

  std::size_t size() const { return out_.size(); }
  /// Nothing but the format.
  bool empty() const { return out_.size() == 1; }

 private:
  void begin(std::uint8_t kind, std::uint64_t index);

  bus::Bytes& out_;
};

/// What records take at most.
inline constexpr std::size_t kLeaveSize = 4;
inline constexpr std::size_t kMovesHead = 1 + movement::kBatchHeader;
constexpr std::size_t enter_size(std::size_t class_name, std::size_t properties) {
  return 4 + 10 + 1 + class_name + 1 + movement::MoveBody::kMost + 4 + properties;
}
constexpr std::size_t news_size(std::size_t changes) {
  return 4 + 4 + changes;
}

/// Reads a body from untrusted bytes: all of it is sound then, moves included, but for what depends
/// on what was told before (indices, epochs). Errors: malformed, newer_format, too_large.
SightResult<SightBody> decode_sight(bus::ByteView bytes);

}  // namespace starbus::nodes::sight
