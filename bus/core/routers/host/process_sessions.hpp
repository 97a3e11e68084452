/// The sessions of a host's processes: HELLO, WELCOME, the complete table, and how a process ends.
///
/// A process is known from its HELLO until its pid ends, its lease ends without a session, or it
/// says bye; then its names are free. A refused HELLO or a bad table ends the link. Part of
/// HostRouter: same thread; the processes are in HostTable.
#pragma once

#include <string_view>
#include <unordered_map>

#include "bus/core/routers/host/access_check.hpp"
#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/uplink.hpp"
#include "bus/core/routers/host/user_log.hpp"

namespace starbus::bus {

class ProcessSessions {
 public:
  /// Adds the processes of the journal, without sessions.
  ProcessSessions(HostState& host, AccessCheck& access, Uplink& uplink);

  Result<> on_hello(RouterLink& link, ByteView payload);
  /// A record of a process whose table is not complete yet.
  Result<> on_table(RouterLink& link, LocalProcess& process, Kind kind, ByteView payload);
  void on_link_gone(LocalProcess& process, const Error& reason);

  /// A line of the log about a process of this user; see UserLog.
  void log(std::uint32_t uid, RouterShell::Level level, const std::string& text) {
    log_.line(uid, level, text);
  }
  /// The process has ended: its names are free. Ends its session; the reference ends, too.
  void end(LocalProcess& process, const Error& reason);
  void pid_ended(std::int64_t pid);
  /// Ends the processes whose lease has ended.
  void tick();
  /// Sessions whose role changed end, so that the process learns its new role.
  void set_access_list(AccessList access);

  /// Null unless the process has a session with a complete table.
  RouterLink* session_of(const LocalProcess& process);
  /// Drops the record if the process has no session: it asks again.
  template <class Record>
  void tell(const Record& record) {
    const LocalProcess* const process = host_.table.by_id(record.process);
    if (RouterLink* const link = process ? session_of(*process) : nullptr) {
      host_.links.tell(*link, record);
    }
  }
  /// A way is open again: tells the processes that were held back, so that they do not wait for
  /// their back-off.
  void tell_room();
  /// Heartbeats now, with news about the lease.
  void beat(std::uint64_t lease_age);

 private:
  Result<LocalProcess*> admit(RouterLink& link, const Hello& hello);
  Result<LocalProcess*> admit_known(LocalProcess& present, const RouterLink& link,
                                    const Hello& hello);
  void welcome(RouterLink& link, const LocalProcess& process);
  Result<> room_for(std::uint32_t uid, const Role& role);
  Result<> take_rows(LocalProcess& process, ByteView payload);
  void watch_pid(std::int64_t pid);
  void journal(const LocalProcess& process, bool lives);

  HostState& host_;
  AccessCheck& access_;
  Uplink& uplink_;
  AccessList roles_;
  UserLog log_;
  std::unordered_map<std::uint32_t, RateLimit> hellos_;  // by uid: as many as have processes here
};

}  // namespace starbus::bus
