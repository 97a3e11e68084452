#include "tools/bots/event_log.hpp"

#include <nlohmann/json.hpp>

#include "base/wall_clock.hpp"
#include "bus/core/error.hpp"

namespace starbus::bots {

Result<> EventLog::open(const std::string& path) {
  if (path.empty()) return {};
  out_.open(path, std::ios::trunc);
  if (!out_)
    return Error(bus::Errc::io_error, path + ": cannot be written; give another file with --log");
  return {};
}

void EventLog::add(const Event& event) {
  if (!out_.is_open()) return;
  nlohmann::ordered_json line;
  line["at_ms"] = wall_ms();
  line["bot"] = event.bot;
  line["what"] = event.what;
  line["gate"] = event.gate;
  line["space"] = event.space;
  line["detail"] = event.detail;
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  out_ << text << std::flush;
}

}  // namespace starbus::bots
