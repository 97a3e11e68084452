/// Traces at busd: out with the messages of a lane, back with the acknowledgements. A trace that
/// cannot go on is sent back with the reason; one that is lost ends as `deadline`. One that returns
/// counts for the channel that was asked for: its daemons have checked who speaks for that.
///
/// Part of HostRouter: same thread; owns the callbacks of the traces that began here.
#pragma once

#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/message_path.hpp"
#include "bus/core/routers/host/pending_requests.hpp"
#include "bus/core/routers/host/uplink.hpp"

namespace starbus::bus {

class HostTraces {
 public:
  HostTraces(HostState& host, MessagePath& messages, Uplink& uplink)
      : host_(host), messages_(messages), uplink_(uplink) {}

  /// See HostRouter::trace.
  void start(const ChannelId& channel, Lane lane, PendingRequests<HopTrace>::Callback callback);
  void tick(Time now) { pending_.tick(now); }
  Result<> from_process(const LocalProcess& process, ByteView payload);
  Result<> from_root(const RouterLink& link, ByteView payload);

 private:
  void send_on(HopTrace trace, SourceQueues::Source source);
  void send_back(HopTrace trace);
  void arrive(HopTrace trace);

  HostState& host_;
  MessagePath& messages_;
  Uplink& uplink_;
  PendingRequests<HopTrace, ChannelId> pending_;
};

}  // namespace starbus::bus
