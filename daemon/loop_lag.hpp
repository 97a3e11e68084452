#pragma once

#include <chrono>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace starbus::daemon {

class Metrics;
class RateLimited;

/// Measures how late the event loop is: a timer every 100 ms records its delay. Every link and
/// heartbeat of the daemon is as late as the loop. Owned by the thread of the
/// loop, which must outlive it, as must `limited`.
class LoopLag {
 public:
  using Duration = std::chrono::steady_clock::duration;
  /// How often the lag is measured, and for how long the worst counts.
  static constexpr std::chrono::milliseconds kPeriod{100};
  static constexpr std::chrono::seconds kWindow{10};
  /// Above this a warning is logged: a tenth of the link time-out.
  static constexpr std::chrono::milliseconds kWarn{1000};

  LoopLag(boost::asio::io_context& loop, RateLimited& limited);
  ~LoopLag();

  /// The lag of the latest measurement.
  Duration last() const;
  /// The worst of the last ten to twenty seconds.
  Duration worst() const;
  /// The gauges starbus_loop_lag_seconds and starbus_loop_lag_worst_seconds; call once.
  void add_to(Metrics& metrics) const;

 private:
  class Probe;
  std::shared_ptr<Probe> probe_;
};

}  // namespace starbus::daemon
