// Traces: out with the messages of a lane, back with the acknowledgements.
#include <utility>

#include "bus/core/host_router.hpp"

namespace starbus::bus {

void HostRouter::trace(const ChannelId& channel, Lane lane,
                       PendingRequests<HopTrace>::Callback callback) {
  if (traces_.full()) return callback(Error{Errc::busy, "1024 traces are under way"});
  HopTrace trace;
  trace.host = table_.id();
  trace.number = traces_.add(std::move(callback), now());
  trace.channel = channel;
  trace.lane = lane;
  trace_onward(std::move(trace), 0);
}

void HostRouter::trace_onward(HopTrace trace, LinkId source) {
  if (Link* const next = route(trace.channel)) {
    forward_trace(*next, trace, config_.host, source);
  } else {
    add_hop(trace, config_.host);
    trace.end = TraceEnd::no_session;
  }
  if (trace.end != TraceEnd::none) trace_back(std::move(trace));
}

void HostRouter::trace_back(HopTrace trace) {
  if (trace.host == table_.id()) return traces_.on_reply(std::move(trace));
  if (uplink_greeted() && uplink_->minor >= kTraceMinor) tell(*uplink_, trace);
}

Result<> HostRouter::trace_from_process(ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (trace->end == TraceEnd::none) return Error{Errc::bad_bytes, "a trace that is not over"};
  add_hop(*trace, config_.host);
  trace_back(std::move(*trace));
  return {};
}

Result<> HostRouter::trace_from_root(Link& link, ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (trace->end != TraceEnd::none) {
    add_hop(*trace, config_.host);
    traces_.on_reply(std::move(*trace));
    return {};
  }
  // What is not of this host does not go up again: its names are being told.
  if (table_.owner_of(trace->channel) == nullptr) {
    add_hop(*trace, config_.host);
    trace->end = TraceEnd::not_bound;
    trace_back(std::move(*trace));
  } else {
    trace_onward(std::move(*trace), link.id);
  }
  return {};
}

}  // namespace starbus::bus
