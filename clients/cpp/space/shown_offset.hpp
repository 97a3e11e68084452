/// Hides a correction from the eyes of the player that is corrected: it is shown beside its place,
/// by an offset that goes to nothing. A value, used by one thread; sans-IO; cannot fail.
#pragma once

#include "clients/cpp/space/locomotion.hpp"

namespace starbus::game {

/// How offsets are shown.
struct OffsetOptions {
  float most = 2.56F;    ///< m: an offset is never longer
  float snap = 3.84F;    ///< m: a longer correction is shown at once
  float half_life = 50;  ///< ms until half of an offset has gone
};

/// See above.
class ShownOffset {
 public:
  explicit ShownOffset(const OffsetOptions& options = {}) : options_(options) {}

  /// A correction has moved the player from one place to another.
  void corrected(const Place& from, const Place& to);
  /// Time has passed, in ms.
  void pass(float ms);
  /// Where to show a player that is at `place`.
  Place shown(const Place& place) const;
  /// m.
  double length() const { return distance({}, offset_); }

 private:
  OffsetOptions options_;
  Place offset_;
};

}  // namespace starbus::game
