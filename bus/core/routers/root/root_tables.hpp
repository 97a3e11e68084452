/// The reports of hosts about their processes and names. A complete table opens a session and is
/// compared with the directory as a whole; after it, every record is a delta.
///
/// A malformed table ends the session as bad_bytes. Part of RootRouter: same thread; the table that
/// is being collected belongs to its host.
#pragma once

#include <string_view>

#include "bus/core/routers/root/grace.hpp"
#include "bus/core/routers/root/message_routes.hpp"
#include "bus/core/routers/root/ownership.hpp"
#include "bus/core/routers/root/root_state.hpp"
#include "bus/core/routers/root/row_claims.hpp"

namespace starbus::bus {

class RootTables {
 public:
  RootTables(RootState& root, Ownership& names, RowClaims& claims, MessageRoutes& routes,
             Grace& grace)
      : root_(root), names_(names), claims_(claims), routes_(routes), grace_(grace) {}

  Result<> on_process_up(HostEntry& host, ByteView payload);
  Result<> on_table(HostEntry& host, ByteView payload);
  Result<> on_table_end(HostEntry& host, ByteView payload);
  Result<> on_process_dead(HostEntry& host, ByteView payload);

 private:
  RootProcess& take_process(HostEntry& host, const ProcessUp& up);
  Result<> check_row(const HostEntry& host, std::string_view node, const Row& row) const;
  bool ever_granted(const Row& row) const;
  void answer_report(RootProcess& process);
  void end_omitted_processes(HostEntry& host, const PendingTable& table);
  void forget_omitted_sources(const HostEntry& host, const PendingTable& table);
  void drop_omitted(HostEntry& host, const PendingTable& table);

  RootState& root_;
  Ownership& names_;
  RowClaims& claims_;
  MessageRoutes& routes_;
  Grace& grace_;
};

}  // namespace starbus::bus
