/// What observers see of movement, in bytes: 10 for a walking mover in a client's batch, 11 with
/// the finer heading. The bytes of one mover and tick are the same for all its observers, so they
/// are made once. Each update stands for itself: none needs the one before, so any may be dropped.
/// docs/guide/movement.md has the bytes. Pure; values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bus/core/bytes.hpp"
#include "nodes/space/movement/limits.hpp"
#include "nodes/space/movement/locomotion.hpp"

namespace starbus::nodes::movement {

/// The grid of a space, whose lines are 1 cm apart: both ends must have the same. Whole metres, so
/// that it has no fractions; the middle of the space is best.
struct MoveGrid {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
  friend bool operator==(const MoveGrid&, const MoveGrid&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, y, z);
  }
};

/// How much an update says.
enum class Detail : std::uint8_t {
  fine,    ///< heading in 16 bits; pitch; velocity in the air, where positions alone tell it late
  coarse,  ///< heading in 8 bits: an error of at most 0.7 degrees
};

/// One mover's update: at most kMost bytes.
class MoveBody {
 public:
  static constexpr std::size_t kMost = 24;
  bus::ByteView view() const { return {bytes_.data(), size_}; }
  std::size_t size() const { return size_; }
  friend bool operator==(const MoveBody& a, const MoveBody& b) {
    return bus::as_text(a.view()) == bus::as_text(b.view());
  }

 private:
  friend class MoveEncoder;
  void put(std::uint64_t value, std::size_t size);

  std::array<std::byte, kMost> bytes_{};
  std::size_t size_ = 0;
};

/// What the entries of a batch share: 13 bytes, the format included.
struct BatchHeader {
  std::uint32_t epoch = 0;  ///< of the numbering that the indices are of (aoi::Receiver)
  std::uint32_t tick = 0;   ///< of the space
  std::uint32_t time = 0;   ///< server time of the tick in ms; wraps
  friend bool operator==(const BatchHeader&, const BatchHeader&) = default;
};
inline constexpr std::size_t kBatchHeader = 13;
/// Bytes of an index before a body.
inline constexpr std::size_t kMoveIndex = 2;

/// Makes bodies.
class MoveEncoder {
 public:
  explicit MoveEncoder(const MoveGrid& grid = {}) : grid_(grid) {}
  /// `time` is that of the batches. Errors: not_finite, too_far.
  MoveResult<MoveBody> encode(const Locomotion& move, Detail detail, std::uint32_t time) const;

 private:
  void put_place(MoveBody& body, const Locomotion& move, std::uint64_t flags) const;

  MoveGrid grid_;
};

/// Appends one client's batch to bytes that it does not own.
class MoveBatch {
 public:
  /// Appends the header.
  MoveBatch(bus::Bytes& out, const BatchHeader& header);
  /// Appends a mover under the index that the client knows it by, which is not 0. False: the batch
  /// would be larger than kMaxMoveBatch, and nothing was appended.
  bool add(std::uint16_t index, const MoveBody& body);
  std::size_t movers() const { return movers_; }

 private:
  bus::Bytes& out_;
  std::size_t begin_;
  std::size_t movers_ = 0;
};

/// One entry of a batch.
struct SeenMove {
  std::uint16_t index = 0;
  /// `at` is when the mover was there, up to 510 ms before the time of the batch. If it is
  /// `grounded`, z is 0: the client knows its ground. `velocity` is 0 if `moving` is false:
  /// positions tell it. `teleports` is 0 or 1.
  Locomotion move;
  Detail detail = Detail::coarse;
  bool moving = false;
  friend bool operator==(const SeenMove&, const SeenMove&) = default;
};

/// Reads batches from untrusted bytes.
class MoveDecoder {
 public:
  explicit MoveDecoder(const MoveGrid& grid = {}) : grid_(grid) {}
  /// Replaces `moves`, whose memory is used again; empty after a failure. An index may come twice:
  /// the later entry counts. Errors: malformed, newer_format, too_large.
  MoveResult<BatchHeader> decode(bus::ByteView bytes, std::vector<SeenMove>& moves) const;
  /// Reads one body alone, as it is without an index; its `index` is 0. `time` is what its age is
  /// taken from. malformed, also if something follows it.
  MoveResult<SeenMove> decode_body(bus::ByteView bytes, std::uint32_t time) const;

 private:
  bool read(bus::Reader& reader, std::uint32_t time, SeenMove& seen) const;
  bool read_body(bus::Reader& reader, std::uint32_t time, SeenMove& seen) const;
  bool read_place(bus::Reader& reader, std::uint8_t first, Locomotion& move) const;

  MoveGrid grid_;
};

/// The angle in 2^bits steps of a full turn, `bits` at most 16: any finite angle in radians.
std::uint32_t angle_code(double radians, unsigned bits);
/// The angle of a code, from -pi on and below pi.
float angle_of(std::uint32_t code, unsigned bits);

}  // namespace starbus::nodes::movement
