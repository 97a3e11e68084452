/// Tells busd of messages of this process that did not arrive and that no caller waits for, so that
/// `bustop why` and busd's log know of them. Once a second, one record for each name and reason; of
/// kMaxUndelivered of them, others are only counted. What ends without a session is told in the
/// next one. Refers to its parts, which outlive it; one thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "bus/core/ends/control_queue.hpp"
#include "bus/core/ends/process_state.hpp"

namespace starbus::bus {

class UndeliveredReporter {
 public:
  UndeliveredReporter(const ProcessState& state, ControlQueue& control)
      : state_(state), control_(control) {}

  /// One message to this channel has ended so. `name`: empty if it is unknown.
  void note(const ChannelId& channel, std::string_view name, Errc reason);
  /// Call often, in a greeted session.
  void tick();
  /// All that were noted.
  std::uint64_t total() const { return total_; }

 private:
  const ProcessState& state_;
  ControlQueue& control_;
  struct Entry {
    std::string name;
    std::uint32_t count = 0;
  };
  std::map<std::pair<ChannelId, Errc>, Entry> entries_;
  Time told_at_{};
  std::uint64_t total_ = 0;
};

}  // namespace starbus::bus
