/// Writes left and entered targets to a delta without a branch on which of the two a target is: one
/// guess in two would be wrong. Lives while one sensor's changes are written. Owns nothing; one
/// thread.
#pragma once

#include "aoi/index/index.hpp"

namespace starbus::aoi {

class DeltaWriter {
 public:
  /// `most`: changes at most.
  DeltaWriter(Delta& delta, std::size_t most)
      : delta_(delta),
        left_begin_(delta.left.room(most)),
        entered_begin_(delta.entered.room(most)),
        left_(left_begin_),
        entered_(entered_begin_) {}
  ~DeltaWriter() {
    delta_.left.add(static_cast<std::size_t>(left_ - left_begin_));
    delta_.entered.add(static_cast<std::size_t>(entered_ - entered_begin_));
  }
  DeltaWriter(const DeltaWriter&) = delete;
  DeltaWriter& operator=(const DeltaWriter&) = delete;

  /// Appends the target to the left ones, else to the entered ones.
  void write(EntityIndex target, bool left) {
    *left_ = target;
    *entered_ = target;
    left_ += left ? 1 : 0;
    entered_ += left ? 0 : 1;
  }

 private:
  Delta& delta_;
  EntityIndex* const left_begin_;
  EntityIndex* const entered_begin_;
  EntityIndex* left_;
  EntityIndex* entered_;
};

}  // namespace starbus::aoi
