// Traces: out with the messages of a lane, back with the acknowledgements.
#include <utility>

#include "bus/core/routers/host_router.hpp"

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
  if (!uplink_greeted() || uplink_->minor < kTraceMinor) return;
  if (has_room_for_trace(*uplink_)) tell(*uplink_, trace);
}

/// Only the owner turns a trace round, and it cannot say that it is somebody else.
Result<> HostRouter::trace_from_process(const LocalProcess& process, ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (trace->end == TraceEnd::none || trace->hops.empty()) {
    return Error{Errc::bad_bytes, "a trace that is not over"};
  }
  if (!speaks_for(process, trace->channel)) {
    ++host_counters_.foreign_replies;
    return {};
  }
  trace->hops.back().where = process.name;
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
