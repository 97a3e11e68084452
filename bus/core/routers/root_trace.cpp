/// RootRouter: traces, which go the way of messages.
#include "bus/core/routers/root_router.hpp"

namespace starbus::bus {

Result<> RootRouter::on_trace(Host& host, ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (trace->end != TraceEnd::none) {
    // Only where it was sent to it can have ended.
    const Directory::Entry* const entry = directory_.find(trace->channel);
    if (entry == nullptr || &host_of(*entry) != &host) return {};
    add_hop(*trace, config_.name);
    trace_back(*trace);
    return {};
  }
  if (trace->host != host.id) return Error{Errc::bad_bytes, "a trace of another host"};
  const Destination to = destination(trace->channel);
  if (to.way == Way::forward) {
    forward_trace(*to.host->session, *trace, config_.name, host.link);
  } else {
    add_hop(*trace, config_.name);
    trace->end = to.way == Way::hold ? TraceEnd::held : TraceEnd::no_owner;
  }
  if (trace->end != TraceEnd::none) trace_back(*trace);
  return {};
}

/// To the host where it began, which sees to the rest.
void RootRouter::trace_back(const HopTrace& trace) {
  const auto host = hosts_.find(trace.host);
  if (host == hosts_.end()) return;
  Link* const link = host->second->session;
  if (link == nullptr || link->minor < kTraceMinor) return;
  if (has_room_for_trace(*link)) tell(*link, trace);
}

}  // namespace starbus::bus
