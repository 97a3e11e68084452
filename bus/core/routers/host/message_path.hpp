/// Messages, probes, multicasts and replies on their way through busd: a name of this host goes to
/// its process, any other up to busroot; nothing from busroot goes back up.
///
/// A record that cannot go on now (no session, no busroot, above the rate, a full queue) is
/// answered NACK overflow, so that its origin waits and sends it again. A process that sends what
/// its role forbids gets `denied`. Part of HostRouter: same thread; owns scratch memory only.
#pragma once

#include <string_view>
#include <vector>

#include "bus/core/routers/host/access_check.hpp"
#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/process_sessions.hpp"
#include "bus/core/routers/host/uplink.hpp"

namespace starbus::bus {

class MessagePath {
 public:
  MessagePath(HostState& host, AccessCheck& access, ProcessSessions& sessions, Uplink& uplink)
      : host_(host), access_(access), sessions_(sessions), uplink_(uplink) {}

  /// Both take the kinds that is_message_record() accepts.
  Result<> from_process(RouterLink& link, LocalProcess& process, Kind kind, ByteView payload);
  Result<> from_root(Kind kind, ByteView payload);

  /// The link that records for the channel go to; null, counted, if there is no way now.
  RouterLink* route(const ChannelId& channel);
  /// Whether the process may reply for the channel: it owns it, or holds a copy of it and no
  /// process of this host owns it. A copy's late reply may be lost, as replies may.
  bool speaks_for(const LocalProcess& process, const ChannelId& channel) const;

 private:
  Result<> data_from_process(RouterLink& link, LocalProcess& process, ByteView payload);
  Result<> probe_from_process(RouterLink& link, LocalProcess& process, ByteView payload);
  Result<> multicast_from_process(RouterLink& link, LocalProcess& process, ByteView payload);
  template <class Reply>
  Result<> reply_from_process(RouterLink& link, LocalProcess& process, ByteView payload);
  bool may_reply(RouterLink& link, LocalProcess& process);
  Result<> data_from_root(ByteView payload);
  Result<> probe_from_root(ByteView payload);
  Result<> withdraw_from_process(LocalProcess& process, ByteView payload);
  Result<> withdraw_from_root(ByteView payload);
  Result<> multicast_from_root(ByteView payload);
  template <class Reply>
  Result<> reply_from_root(ByteView payload);
  void deliver_parts(const Multicast& multicast, SourceQueues::Source source);
  std::string_view why_no_way(bool passes, const ChannelId& channel) const;

  HostState& host_;
  AccessCheck& access_;
  ProcessSessions& sessions_;
  Uplink& uplink_;

  // Kept between calls for their capacity.
  struct Part {
    LocalProcess* owner = nullptr;
    Multicast multicast;
  };
  std::vector<Part> parts_;
  Multicast rest_;  // the targets of a multicast that are not of this host
  Bytes stamped_;
};

}  // namespace starbus::bus
