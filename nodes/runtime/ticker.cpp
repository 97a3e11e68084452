#include "nodes/runtime/ticker.hpp"

#include <cassert>
#include <utility>

namespace starbus::nodes {

entity::TickResult<entity::TickId> Ticker::add(entity::TickOptions options,
                                               entity::TickSchedule::Function function) {
  if (!function) return entity::TickErrc::no_callback;
  Load::Source& source = load_.source("tick " + options.name);
  auto added =
      schedule_.add(std::move(options),
                    [this, &source, function = std::move(function)](const entity::Tick& tick) {
                      const Load::Scope scope(load_, source);
                      function(tick);
                    });
  if (added && timer_.size() == 0) begin();
  return added;
}

void Ticker::begin() {
  const auto ticking = wheel_.every(
      timer_, period_, period_, entity::CatchUp::once, [this](const entity::TimerFiring& firing) {
        missed_ += firing.missed;
        // The time that it stands for, not the one at which the loop came to it: an interval that
        // is the period itself has to be due each time.
        const auto behind = static_cast<entity::Time::rep>(firing.missed);
        [[maybe_unused]] const auto ran = schedule_.run(firing.due + period_ * behind);
        assert(ran && "the ticker alone runs it");
      });
  // The wheel of a node holds more timers than it can run, and the period is checked.
  assert(ticking);
  static_cast<void>(ticking);
}

}  // namespace starbus::nodes
