/// Frames in a stream of bytes, each after its length: four bytes, little-endian. A value of one
/// connection, in its thread. Holds one frame that is not whole, and what came behind whole ones.
#pragma once

#include <optional>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

/// See above.
class FrameStream {
 public:
  /// Bytes as they come.
  void append(ByteView bytes);
  /// The next whole frame, a view that is good until append(); nullopt if there is none.
  std::optional<ByteView> next();
  /// A length that no client takes was announced: nothing more is read.
  bool broken() const { return broken_; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

/// Appends a frame after its length.
void put_frame(ByteView frame, Bytes& out);

}  // namespace starbus::game
