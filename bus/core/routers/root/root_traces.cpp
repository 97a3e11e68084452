#include "bus/core/routers/root/root_traces.hpp"

namespace starbus::bus {

Result<> RootTraces::on_trace(const HostEntry& host, ByteView payload) {
  auto trace = decode<HopTrace>(payload);
  if (!trace) return trace.error();
  const std::string& here = root_.config.name;
  if (trace->end != TraceEnd::none) {
    // It can have ended only on the host that it was sent to.
    const Directory::Entry* const entry = root_.directory.find(trace->channel);
    if (entry == nullptr || &host_of(*entry) != &host) return {};
    root_.forwarding.add_hop(*trace, here);
    send_back(*trace);
    return {};
  }
  if (trace->host != host.id) return Error{Errc::bad_bytes, "a trace of another host"};
  const MessageRoutes::Destination to = routes_.destination(trace->channel);
  if (to.way == MessageRoutes::Way::forward) {
    root_.forwarding.forward_trace(*to.host->session, *trace, here, host.session->source());
  } else {
    root_.forwarding.add_hop(*trace, here);
    trace->end = to.way == MessageRoutes::Way::hold ? TraceEnd::held : TraceEnd::no_owner;
  }
  if (trace->end != TraceEnd::none) send_back(*trace);
  return {};
}

/// To the host where it began.
void RootTraces::send_back(const HopTrace& trace) {
  const auto host = root_.hosts.find(trace.host);
  if (host == root_.hosts.end()) return;
  RouterLink* const link = host->second->session;
  if (link == nullptr || link->minor < kTraceMinor) return;
  if (Forwarding::has_room_for_trace(*link)) root_.links.tell(*link, trace);
}

}  // namespace starbus::bus
