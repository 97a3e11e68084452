/// The sessions of hosts at busroot: HELLO, WELCOME, leases, and which of two sessions of one host
/// wins.
///
/// One living session per host name. A HELLO for a host that has a session takes over at once
///  - if it comes from the same busd (same key and incarnation), or
///  - from a later start (higher incarnation) at the same address with the same key, or
///  - if the present session has been silent for longer than kSuspect;
/// otherwise it is refused as name_taken. So a busd that restarts is never locked out, and of two
/// machines with one name the second does not take the names of the first.
///
/// Part of RootRouter: same thread; the hosts are in RootState.
#pragma once

#include <string_view>

#include "bus/core/routers/root/grace.hpp"
#include "bus/core/routers/root/ownership.hpp"
#include "bus/core/routers/root/root_state.hpp"

namespace starbus::bus {

class HostSessions {
 public:
  HostSessions(RootState& root, Ownership& names, Grace& grace)
      : root_(root), names_(names), grace_(grace) {}

  Result<> on_hello(RouterLink& link, ByteView payload);
  /// A session, or a link that never became one, has ended.
  void on_link_gone(RouterLink& link, const Error& reason);
  /// Ends the hosts whose lease has ended.
  void tick();
  /// Ends the sessions of hosts that the shell no longer allows.
  void review();

 private:
  Result<> refuse(RouterLink& link, std::string_view name, const Error& why);
  Result<> check_hello(const RouterLink& link, const Hello& hello);
  Result<> make_way(const RouterLink& link, const Hello& hello);
  Result<> check_living(const HostEntry& host, const RouterLink& link, const Hello& hello);
  void open(RouterLink& link, const Hello& hello);
  void welcome(RouterLink& link, const HostEntry& host);
  void lose(HostEntry& host);

  RootState& root_;
  Ownership& names_;
  Grace& grace_;
};

}  // namespace starbus::bus
