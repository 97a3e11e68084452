/// Records about the ownership of names: tables, requests to busroot and its answers. Moves are in
/// record_moves.hpp. docs/design/protocol.md, "Names".
#pragma once

#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/record_kind.hpp"

namespace starbus::bus {

/// `granted`: busroot's grant has passed busd and may not have reached the process; sent by a busd
/// only.
enum class RowState : std::uint8_t { active = 1, frozen = 2, attaching = 3, granted = 4 };

/// One name of a process, as a table or a claim reports it.
struct Row {
  std::string name;
  Epoch epoch;
  Lineage lineage;
  RowState state = RowState::active;
  Ticket ticket{};  // not sent if active: the ticket of the move, or of the grant
  template <class A>
  void fields(A& a) {
    a(name, epoch, lineage, state);
    if (state != RowState::active) a(ticket);
  }
};

/// busd to busroot: this process lives on my host. `pending`: its table is not known yet, because
/// busd has restarted, or because it follows; busroot keeps the names of the process until a
/// process_up without `pending` ends its table.
struct ProcessUp {
  static constexpr Kind kKind = Kind::process_up;
  Process process;
  std::string node;
  std::string role;
  std::uint32_t pid = 0;
  bool pending = false;
  template <class A>
  void fields(A& a) {
    a(process, node, role, pid, pending);
  }
};

/// Rows of one process. Between hello and table_end: part of the complete table; later: claims.
struct Table {
  static constexpr Kind kKind = Kind::table;
  Process process;
  std::vector<Row> rows;
  template <class A>
  void fields(A& a) {
    a(process, rows);
  }
};

/// The complete table has come: what it did not list is gone.
struct TableEnd {
  static constexpr Kind kKind = Kind::table_end;
  template <class A>
  void fields(A&) {}
};

/// busd to busroot: the process ended (pidfd), left (bye), or its lease ran out.
struct ProcessDead {
  static constexpr Kind kKind = Kind::process_dead;
  Process process;
  template <class A>
  void fields(A& a) {
    a(process);
  }
};

/// busroot to busd, since 1.2: the rows that busd has sent for the process are in the directory,
/// without those of `left_out`, which another process owns or which were never granted. Answers
/// each process_up without `pending`, in their order; in a complete table when that has ended.
struct RowsTaken {
  static constexpr Kind kKind = Kind::rows_taken;
  Process process;
  std::vector<ChannelId> left_out;
  template <class A>
  void fields(A& a) {
    a(process, left_out);
  }
};

// --- requests to busroot -------------------------------------------------------------------------
// All idempotent, repeated by the process until answered. `number` names one attempt of one
// process; the ticket of a fresh bind is {process, process, number}.

/// Asks for the ownership of a name. Answered by attached or refused.
struct Bind {
  static constexpr Kind kKind = Kind::bind;
  Process process;
  std::uint64_t number = 0;
  std::string name;
  template <class A>
  void fields(A& a) {
    a(process, number, name);
  }
};

/// Granted under a fresh epoch, unconfirmed until active. Answers bind and attach.
struct Attached {
  static constexpr Kind kKind = Kind::attached;
  Process process;
  Ticket ticket;
  std::string name;
  Epoch epoch;
  Lineage lineage;
  template <class A>
  void fields(A& a) {
    a(process, ticket, name, epoch, lineage);
  }
};

/// Reasons for a bind: already_bound (detail: the owner, HOST.NODE), denied, too_many_names,
/// bad_name. For an attach: the same, and busy if this ticket is not, or no longer, valid.
struct Refused {
  static constexpr Kind kKind = Kind::refused;
  Process process;
  Ticket ticket;
  std::string name;
  Errc reason = Errc::already_bound;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(process, ticket, name, reason, detail);
  }
};

/// The process has accepted the grant; repeated until active_ok.
struct Active {
  static constexpr Kind kKind = Kind::active;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

/// busroot has heard `active`: the grant is confirmed.
struct ActiveOk {
  static constexpr Kind kKind = Kind::active_ok;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

/// The owner at this epoch gives the name up.
struct Unbind {
  static constexpr Kind kKind = Kind::unbind;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

/// The name is free. Answers unbind.
struct Unbound {
  static constexpr Kind kKind = Kind::unbound;
  Process process;
  ChannelId channel;
  Epoch epoch;
  template <class A>
  void fields(A& a) {
    a(process, channel, epoch);
  }
};

/// The process holds nothing under this ticket: a frozen copy after moved, or a grant that it does
/// not want any more.
struct Freed {
  static constexpr Kind kKind = Kind::freed;
  Process process;
  ChannelId channel;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, ticket);
  }
};

/// Answers freed: it need not be repeated.
struct FreedOk {
  static constexpr Kind kKind = Kind::freed_ok;
  Process process;
  ChannelId channel;
  Ticket ticket;
  template <class A>
  void fields(A& a) {
    a(process, channel, ticket);
  }
};

}  // namespace starbus::bus
