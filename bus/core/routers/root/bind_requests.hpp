/// Binds: what processes ask busroot for about names that do not move. Every request is idempotent
/// and repeated until it is answered, so each is answered from the present state alone.
///
/// Part of RootRouter: same thread; owns nothing. A bind of an owned name is refused as
/// already_bound, naming the owner.
#pragma once

#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/ownership.hpp"
#include "bus/core/routers/root/root_state.hpp"

namespace starbus::bus {

class BindRequests {
 public:
  BindRequests(RootState& root, Ownership& names, MessageRoutes& routes)
      : root_(root), names_(names), routes_(routes) {}

  void on_bind(RootProcess& process, const Bind& bind);
  void on_resume(RootProcess& process, const Resume& resume);
  void on_active(RootProcess& process, const Active& active);
  void on_unbind(RootProcess& process, const Unbind& unbind);

 private:
  void bind_name(RootProcess& process, const Bind& bind, Lineage lineage);
  Result<Directory::Entry*> grant(RootProcess& process, const Bind& bind, const ChannelId& id,
                                  Lineage lineage);

  RootState& root_;
  Ownership& names_;
  MessageRoutes& routes_;
};

}  // namespace starbus::bus
