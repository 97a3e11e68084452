#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace starbus::nodes {

/// How busy a loop is, in milliseconds per second, for placement and balancing. Sampled about once
/// a second; a plain value.
///
/// Busy is the larger of two figures: the processor time of the loop's thread, and the time in
/// measured handlers, which includes their waits for disks and locks.
class BusyMeter {
 public:
  using Time = std::chrono::nanoseconds;

  struct Rates {
    double busy = 0;       // ms per second
    double processor = 0;  // of these, by the first measure
    double handlers = 0;   // by the second
  };

  /// `processor` and `handlers` grow from sample to sample.
  void sample(Time now, Time processor, Time handlers) {
    if (before_ && now > before_->now) {
      const auto per_second = [&](Time grown) {
        const double share =
            static_cast<double>(grown.count()) / static_cast<double>((now - before_->now).count());
        return std::clamp(share, 0.0, 1.0) * 1000;
      };
      rates_.processor = per_second(processor - before_->processor);
      rates_.handlers = per_second(handlers - before_->handlers);
      rates_.busy = std::max(rates_.processor, rates_.handlers);
    }
    before_ = Sample{now, processor, handlers};
  }
  const Rates& rates() const { return rates_; }

 private:
  struct Sample {
    Time now;
    Time processor;
    Time handlers;
  };
  std::optional<Sample> before_;
  Rates rates_;
};

}  // namespace starbus::nodes
