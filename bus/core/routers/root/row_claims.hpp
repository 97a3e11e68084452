/// One row of a host's table against the directory: the higher epoch wins; a row that was not
/// granted is left out.
///
/// Part of RootRouter: same thread; owns nothing. A refused row costs its process the name, never
/// its host the session.
#pragma once

#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/ownership.hpp"
#include "bus/core/routers/root/root_state.hpp"

namespace starbus::bus {

class RowClaims {
 public:
  RowClaims(RootState& root, Ownership& names, MessageRoutes& routes)
      : root_(root), names_(names), routes_(routes) {}

  /// `id` is the channel of row.name; the row has passed RootTables' checks.
  void claim(RootProcess& process, const Row& row, const ChannelId& id);
  /// Tells the process and its busd, which may not be able to judge the row, to give up the name.
  /// If that busd, of an earlier version, has replaced the true owner's entry by this row, repeats
  /// the owner's grant to it.
  void leave_out(RootProcess& process, const Row& row, const ChannelId& id);

 private:
  void give_back(RootProcess& process, const Row& row, const ChannelId& id, const Error& why);
  void tell_ended(RootProcess& process, const Row& row, const ChannelId& id);
  void take(RootProcess& process, const Row& row, const ChannelId& id, Directory::Entry* entry);

  RootState& root_;
  Ownership& names_;
  MessageRoutes& routes_;
};

}  // namespace starbus::bus
