/// The prefixes that a process watches, each with its rows as busd has stated them.
///
/// Watches outlive sessions; a new session asks for all of them again, and the difference is
/// reported. Rows of names that are held for life (holder_for_life) also tell Owner which
/// incarnations have died. At most kMaxWatches.
/// Refers to its parts, which outlive it; one thread.
#pragma once

#include <map>
#include <string>

#include "bus/core/ends/control_queue.hpp"
#include "bus/core/ends/process_events.hpp"
#include "bus/core/ends/process_state.hpp"
#include "bus/core/routers/row_set.hpp"

namespace starbus::bus {

class PrefixWatches {
 public:
  PrefixWatches(const ProcessState& state, ControlQueue& control, Owner& owner,
                ProcessEvents& events)
      : state_(state), control_(control), owner_(owner), events_(events) {}

  /// See ProcessCore::watch. Idempotent.
  Result<> begin(const std::string& prefix);
  void end(const std::string& prefix);
  /// Null if the prefix is not watched.
  const RowSet* rows(const std::string& prefix) const;

  /// A new session was accepted: asks for every prefix again.
  void on_session();
  void on_rows(WatchRows rows);
  void on_refused(const WatchRefused& refused);

 private:
  void note_deaths(const std::vector<WatchRow>& changes);

  const ProcessState& state_;
  ControlQueue& control_;
  Owner& owner_;
  ProcessEvents& events_;
  std::map<std::string, RowSet> watches_;
};

}  // namespace starbus::bus
