/// Moves: what processes ask busroot for. Only busroot changes owners, and only from a frozen
/// source, a free name or a dead process. Every request is idempotent and repeated until it is
/// answered; docs/design/protocol.md, "Moves", has the whole exchange.
///
/// Part of RootRouter: same thread; owns nothing. A request that may not be is answered NO_MOVE or
/// REFUSED, or not at all while the answer could be overtaken.
#pragma once

#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/ownership.hpp"
#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

class MoveRequests {
 public:
  MoveRequests(RootState& root, Ownership& names, MessageRoutes& routes)
      : root_(root), names_(names), routes_(routes) {}

  void on_move(RootProcess& process, const Move& request);
  void on_attach(RootProcess& process, const Attach& request);
  void on_reclaim(RootProcess& process, const Reclaim& request);
  void on_freed(RootProcess& process, const Freed& freed);

 private:
  bool never_ran(const RootMove& move) const;

  RootState& root_;
  Ownership& names_;
  MessageRoutes& routes_;
};

}  // namespace starbus::bus
