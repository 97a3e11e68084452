/// Requests of processes about names, on their way to busroot: bind, resume, active, unbind, freed,
/// move, attach, reclaim.
///
/// busd refuses what it can judge alone (the role, the limits, a name of another process of this
/// host) and passes the rest up. Processes repeat each request until it is answered, so requests
/// above the rate or without a session with busroot are dropped. A request for another process ends
/// the session as bad_bytes. Part of HostRouter: same thread; owns nothing.
#pragma once

#include "bus/core/routers/host/access_check.hpp"
#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/uplink.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

class HostNameRequests {
 public:
  HostNameRequests(HostState& host, AccessCheck& access, Uplink& uplink)
      : host_(host), access_(access), uplink_(uplink) {}

  /// True for the kinds that on_request takes.
  static bool takes(Kind kind);
  Result<> on_request(RouterLink& link, LocalProcess& process, Kind kind, ByteView payload);

 private:
  template <class Request>  // Bind or Resume
  Result<> on_bind(RouterLink& link, LocalProcess& process, ByteView payload);
  Result<> on_active(const LocalProcess& process, ByteView payload);
  Result<> on_freed(LocalProcess& process, ByteView payload);
  Result<> on_move(RouterLink& link, const LocalProcess& process, ByteView payload);
  Result<> on_attach(RouterLink& link, LocalProcess& process, ByteView payload);
  Result<> on_reclaim(const LocalProcess& process, ByteView payload);
  template <class Request>
  Result<> pass_up(const LocalProcess& process, ByteView payload);

  HostState& host_;
  AccessCheck& access_;
  Uplink& uplink_;
};

/// Tells a process that busd itself refuses its request, and notes the failure.
void tell_refused(HostState& host, RouterLink& link, const Refused& refused);

}  // namespace starbus::bus
