#include "tests/sim/sessions/joined_run.hpp"

#include <spdlog/spdlog.h>

#include "tests/entity/client/sim/world.hpp"
#include "tests/sim/sessions/joined_bus.hpp"

namespace starbus::sim {

JoinedRunResult run_joined(const JoinedRunOptions& options) {
  spdlog::set_level(spdlog::level::off);
  JoinedRunResult result;
  auto made = std::make_unique<JoinedBus>(JoinedBus::Options{
      .seed = options.seed, .deaths = options.deaths, .faults = true, .trace = options.trace});
  JoinedBus& bus = *made;
  const Time begin = bus.now();
  try {
    sessions::World world(std::move(made), options.seed, options.broken, options.deaths);
    try {
      world.run(options.steps);
      world.heal();
    } catch (const std::exception& violation) {
      result.violation = violation.what();
    }
    result.counts = world.oracle.count;
    for (const Event event : {Event::busd_crashes, Event::busroot_crashes, Event::cuts,
                              Event::pauses, Event::isolations, Event::slow_readers}) {
      result.counts[std::string(kEventNames[static_cast<std::size_t>(event)])] =
          static_cast<int>(bus.counts()[event]);
    }
    result.fingerprint = bus.fingerprint();
    result.virtual_seconds = std::chrono::duration<double>(bus.now() - begin).count();
  } catch (const std::exception& violation) {
    result.violation = std::string("the world did not begin: ") + violation.what();
  }
  return result;
}

}  // namespace starbus::sim
