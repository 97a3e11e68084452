#include "tools/bustop/bus_link.hpp"

#include <unistd.h>

#include <memory>
#include <string>

namespace starbus::bustop {
namespace {

/// A run may have several links: each is a process to the bus.
std::string next_node() {
  static int links = 0;
  const std::string name = "bustop-" + std::to_string(getpid());
  return ++links == 1 ? name : name + "-" + std::to_string(links);
}

bus::Options options_of(const std::string& endpoint, const std::string& role) {
  bus::Options options;
  options.node = next_node();
  options.role = role;
  options.endpoint = endpoint;
  return options;
}

}  // namespace

BusLink::BusLink(const std::string& endpoint, const std::string& role)
    : bus_(loop_, options_of(endpoint, role)), rpc_(bus_) {}

void BusLink::run(std::chrono::milliseconds most, const bool& done) {
  const auto until = std::chrono::steady_clock::now() + most;
  loop_.restart();
  while (!done && loop_.run_one_until(until) != 0) {
  }
}

bus::Result<> BusLink::connect(std::chrono::milliseconds most) {
  struct Answer {
    bool done = false;
    bus::Result<> result;
  };
  // Shared, since the attempt goes on after a time-out.
  const auto answer = std::make_shared<Answer>();
  bus_.connect([answer](const bus::Result<>& result) {
    answer->result = result;
    answer->done = true;
  });
  run(most, answer->done);
  if (answer->done) return answer->result;
  return bus::Error(bus::Errc::unreachable,
                    "no busd at " + bus_.endpoint() + ", or one that is cut off from busroot");
}

}  // namespace starbus::bustop
