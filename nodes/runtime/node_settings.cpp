#include "nodes/runtime/node_settings.hpp"

#include <cstdlib>

#include "bus/core/wire/name.hpp"
#include "nodes/runtime/limits.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {

using daemon::ConfigReader;

NodeSettings read_node_settings(ConfigReader& reader, const std::string& fallback) {
  NodeSettings settings;
  const char* from_environment = std::getenv("STARBUS_NODE");  // NOLINT: read at start-up
  settings.node = reader.string("node", from_environment != nullptr ? from_environment : fallback);
  if (const auto checked = bus::check_node_name(settings.node); !checked) {
    reader.problem("node", "'node': " + checked.error().detail);
  }
  Requirements requirements;
  for (const std::string& text : reader.strings("needs")) {
    const auto read = read_requirement(text);
    const auto added = read ? requirements.add(*read) : bus::Result<>(read.error());
    if (!added) {
      reader.problem("needs", "'needs': '" + text + "': " + added.error().detail);
    } else {
      settings.needs.push_back(*read);
    }
  }
  settings.leave_deadline = reader.duration("leave_deadline", kLeaveDeadline,
                                            std::chrono::milliseconds(0), std::chrono::minutes(10));
  // None by default: a cluster whose parts are started in any order becomes ready by itself.
  settings.ready_deadline = reader.duration("ready_deadline", std::chrono::milliseconds(0));
  ConfigReader bus = reader.table("bus");
  settings.bus_endpoint = bus.string("endpoint", "");
  settings.bus_role = bus.string("role", "node");
  settings.upgrade_from_1_1 = bus.boolean("upgrade_from_1_1", false);
  ConfigReader loop = reader.table("loop");
  settings.stall = loop.duration("stall", kStallLimit, kLeastStallLimit, std::chrono::minutes(10));
  settings.tick = loop.duration("tick", kTick, kLeastTick, kLongestTick);
  const std::string on_exception = loop.string("on_exception", "go_on");
  if (on_exception == "stop") {
    settings.on_exception = OnException::stop;
  } else if (on_exception != "go_on") {
    loop.problem("on_exception", "'on_exception' is \"go_on\" or \"stop\"");
  }
  ConfigReader tasks = reader.table("tasks");
  settings.workers = tasks.integer<std::size_t>("workers", 4, 1, kMaxWorkers);
  return settings;
}

}  // namespace starbus::nodes
