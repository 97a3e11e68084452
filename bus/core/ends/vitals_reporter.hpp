/// Sends the figures of a process to its busd, once a second if they have changed: most processes
/// are quiet most of the time. Refers to its parts, which outlive it; one thread.
#pragma once

#include "bus/core/ends/binding_table.hpp"
#include "bus/core/ends/control_queue.hpp"
#include "bus/core/ends/process_state.hpp"
#include "bus/core/origin/origin.hpp"
#include "bus/core/wire/record_admin.hpp"

namespace starbus::bus {

class VitalsReporter {
 public:
  VitalsReporter(const ProcessState& state, const BindingTable& bindings, const Origin& origin,
                 ControlQueue& control)
      : state_(state), bindings_(bindings), origin_(origin), control_(control) {}

  /// Call often, in a greeted session.
  void tick();
  /// The session has ended: busd forgets the figures.
  void reset() { reported_ = {}; }

 private:
  Vitals measure();

  const ProcessState& state_;
  const BindingTable& bindings_;
  const Origin& origin_;
  ControlQueue& control_;
  Vitals reported_{};
  Time measured_at_{};
  std::uint64_t transmitted_ = 0;  // counters of the origin at that time
  std::uint64_t resends_ = 0;
};

}  // namespace starbus::bus
