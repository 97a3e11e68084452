/// Makes Message and Call objects of deliveries, and runs the user's handlers. Shows the activity
/// that runs (BusContext::activity). One thread.
#pragma once

#include "bus/client/parts/bus_context.hpp"
#include "bus/client/parts/owned_names.hpp"

namespace starbus::bus {

class HandlerDispatch {
 public:
  explicit HandlerDispatch(BusContext& context) : context_(context) {}

  /// Ignores bodies that no client library has written. The handler may end `owned`'s name, or the
  /// bus: the caller holds `owned`. A call whose handler throws, in a process that catches that
  /// (base/unit_guard.hpp), ends as handler_failed.
  void deliver(const OwnedName& owned, const Delivery& delivery);

 private:
  void deliver_call(const OwnedName& owned, const Delivery& delivery, const Envelope& envelope);

  BusContext& context_;
};

}  // namespace starbus::bus
