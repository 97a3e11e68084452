#include "bus/core/routers/host/host_traces.hpp"

#include <utility>

namespace starbus::bus {

void HostTraces::start(const ChannelId& channel, Lane lane,
                       PendingRequests<HopTrace>::Callback callback) {
  if (pending_.full()) return callback(Error{Errc::busy, "1024 traces are under way"});
  HopTrace trace;
  trace.host = host_.table.id();
  trace.number = pending_.add(std::move(callback), host_.links.now(), channel);
  trace.channel = channel;
  trace.lane = lane;
  send_on(std::move(trace), 0);
}

void HostTraces::send_on(HopTrace trace, SourceQueues::Source source) {
  const std::string& here = host_.config.host;
  if (RouterLink* const next = messages_.route(trace.channel)) {
    host_.forwarding.forward_trace(*next, trace, here, source);
  } else {
    host_.forwarding.add_hop(trace, here);
    trace.end = TraceEnd::no_session;
  }
  if (trace.end != TraceEnd::none) send_back(std::move(trace));
}

void HostTraces::send_back(HopTrace trace) {
  if (trace.host == host_.table.id()) return arrive(std::move(trace));
  RouterLink* const root = uplink_.link();
  if (!root || root->minor < kTraceMinor) return;
  if (Forwarding::has_room_for_trace(*root)) host_.links.tell(*root, trace);
}

void HostTraces::arrive(HopTrace trace) {
  const ChannelId channel = trace.channel;
  pending_.on_reply(std::move(trace), channel);
}

/// Only the owner turns a trace round; busd stamps the owner's name.
Result<> HostTraces::from_process(const LocalProcess& process, ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (trace->end == TraceEnd::none || trace->hops.empty()) {
    return Error{Errc::bad_bytes, "trace: returned without an end"};
  }
  if (!messages_.speaks_for(process, trace->channel)) {
    ++host_.counters.foreign_replies;
    return {};
  }
  trace->hops.back().where = process.name;
  host_.forwarding.add_hop(*trace, host_.config.host);
  send_back(std::move(*trace));
  return {};
}

Result<> HostTraces::from_root(const RouterLink& link, ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  if (trace->end != TraceEnd::none) {
    host_.forwarding.add_hop(*trace, host_.config.host);
    arrive(std::move(*trace));
    return {};
  }
  // A trace for a name that is not here does not go up again: a table that says so is on its way.
  if (host_.table.owner_of(trace->channel) == nullptr) {
    host_.forwarding.add_hop(*trace, host_.config.host);
    trace->end = TraceEnd::not_bound;
    send_back(std::move(*trace));
  } else {
    send_on(std::move(*trace), link.source());
  }
  return {};
}

}  // namespace starbus::bus
