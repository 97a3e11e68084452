/// Writes what has left and what has entered without asking which of the two it is: one guess in
/// two would be wrong. Lives for one sensor's report; owns nothing.
#pragma once

#include "aoi/index/index.hpp"

namespace starbus::aoi {

class FlipWriter {
 public:
  /// `most`: flips at most.
  FlipWriter(Flips& flips, std::size_t most)
      : flips_(flips),
        left_begin_(flips.left.room(most)),
        entered_begin_(flips.entered.room(most)),
        left_(left_begin_),
        entered_(entered_begin_) {}
  ~FlipWriter() {
    flips_.left.add(static_cast<std::size_t>(left_ - left_begin_));
    flips_.entered.add(static_cast<std::size_t>(entered_ - entered_begin_));
  }
  FlipWriter(const FlipWriter&) = delete;
  FlipWriter& operator=(const FlipWriter&) = delete;

  void write(EntityIndex target, bool left) {
    *left_ = target;
    *entered_ = target;
    left_ += left ? 1 : 0;
    entered_ += left ? 0 : 1;
  }

 private:
  Flips& flips_;
  EntityIndex* const left_begin_;
  EntityIndex* const entered_begin_;
  EntityIndex* left_;
  EntityIndex* entered_;
};

}  // namespace starbus::aoi
