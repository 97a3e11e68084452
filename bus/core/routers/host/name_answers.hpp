/// Answers of busroot about names, on their way to processes. The table of local names follows the
/// grants and moves that pass.
///
/// An answer for a process without a session changes nothing and is dropped: the next HELLO of the
/// process says what it holds, and it asks again. Part of HostRouter: same thread; owns nothing.
#pragma once

#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/process_sessions.hpp"
#include "bus/core/routers/host/uplink.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

class NameAnswers {
 public:
  NameAnswers(HostState& host, ProcessSessions& sessions, Uplink& uplink)
      : host_(host), sessions_(sessions), uplink_(uplink) {}

  Result<> on_attached(ByteView payload);
  Result<> on_refused(ByteView payload);
  Result<> on_unbound(ByteView payload);
  /// What the process claims is its own from now on.
  Result<> on_rows_taken(ByteView payload);
  Result<> on_move_ok(ByteView payload);
  Result<> on_reclaimed(ByteView payload);
  Result<> on_moved(ByteView payload);
  /// ActiveOk, FreedOk or NoMove, which change no table.
  template <class Record>
  Result<> pass_down(ByteView payload) {
    const auto record = decode<Record>(payload);
    if (!record) return record.error();
    sessions_.tell(*record);
    return {};
  }

 private:
  HostState& host_;
  ProcessSessions& sessions_;
  Uplink& uplink_;
};

}  // namespace starbus::bus
