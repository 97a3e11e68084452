/// What happens to each bot, one JSON object a line, for programs that look on: `--log FILE`
/// (docs/operate/bots.md). Thread-safe; each line is written at once. A disk that is full loses
/// lines, and says so at the end.
#pragma once

#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace starbus::bots {

/// See above.
class EventLog {
 public:
  /// "": nothing is written. Errors: io_error.
  Result<> open(const std::string& path);
  bool is_open() const { return out_.is_open(); }

  struct Event {
    std::uint64_t bot = 0;
    std::string_view
        what;  // lost, online, resumed, full, over, scene, corrected, teleported, ended, trouble
    std::string_view gate;    // that it was let in by
    std::string_view space;   // the latest that it was in
    std::string_view detail;  // of the kind
  };
  void add(const Event& event);
  /// False: lines are missing.
  bool is_whole() const { return !out_.is_open() || out_.good(); }

 private:
  std::mutex mutex_;
  std::ofstream out_;
};

}  // namespace starbus::bots
