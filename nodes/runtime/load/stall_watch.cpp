#include "nodes/runtime/load/stall_watch.hpp"

#include <utility>

namespace starbus::nodes {

std::optional<StallWatch::Report> StallWatch::observe(Time now, const Sample& sample) {
  const Time gap = observed_ ? now - *observed_ : Time{0};
  const bool first = !observed_;
  observed_ = now;
  const std::uint64_t beats = sample.beats - beats_;
  // This thread did not run; and if the loop, too, gave less than half of its beats, the process
  // stood.
  const bool paused =
      gap > limit_ && beats < static_cast<std::uint64_t>(gap / beat_period(limit_)) / 2;
  if (paused && report_at_ == Time{0}) {
    beats_ = sample.beats;
    beat_at_ = now;
    return Report{Report::Kind::process_paused, gap, {}};
  }
  if (first || beats != 0) return beat(now, sample);
  if (paused) {
    beat_at_ = now;  // a stall goes on; the pause was not its fault
    return std::nullopt;
  }
  const Time stalled = now - beat_at_;
  if (stalled <= limit_) return std::nullopt;
  if (!sample.handler.empty() || handler_.empty()) {
    handler_ = sample.handler;
    handler_for_ = sample.handler_for;
  }
  if (report_at_ == Time{0}) {
    ++stalls_;
    report_at_ = 2 * stalled;
    return Report{Report::Kind::blocked, stalled, handler_, handler_for_};
  }
  if (stalled < report_at_) return std::nullopt;
  report_at_ = 2 * stalled;
  return Report{Report::Kind::still_blocked, stalled, handler_, handler_for_};
}

std::optional<StallWatch::Report> StallWatch::beat(Time now, const Sample& sample) {
  const Time stalled = now - beat_at_;
  beats_ = sample.beats;
  beat_at_ = now;
  if (std::exchange(report_at_, Time{0}) == Time{0}) return std::nullopt;
  return Report{Report::Kind::goes_on, stalled, std::exchange(handler_, {}), handler_for_};
}

std::string to_string(const StallWatch::Report& report) {
  const auto ms = [](StallWatch::Time time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) +
           " ms";
  };
  const std::string by =
      report.handler.empty() ? "a handler without a name" : "'" + report.handler + "'";
  switch (report.kind) {
    case StallWatch::Report::Kind::blocked:
      return "the loop is blocked for " + ms(report.how_long) + " by " + by +
             (report.handler_for == StallWatch::Time{0}
                  ? ""
                  : ", which runs for " + ms(report.handler_for));
    case StallWatch::Report::Kind::still_blocked:
      return "the loop is still blocked, for " + ms(report.how_long) + " now, by " + by;
    case StallWatch::Report::Kind::goes_on:
      return "the loop goes on: " + by + " had blocked it for " + ms(report.how_long);
    case StallWatch::Report::Kind::process_paused:
      return "the whole process stood still for " + ms(report.how_long) +
             ": stopped by a signal, or without processor time";
  }
  return {};
}

}  // namespace starbus::nodes
