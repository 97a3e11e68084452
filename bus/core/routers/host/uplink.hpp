/// busd's session with busroot: which link it is, what is announced in it, and how far busroot's
/// lease for this host reaches.
///
/// HELLO and the complete table open each session; requests wait for WELCOME. Tables leave in pages
/// as the link takes them, so that a host's names never fill its queue. A session that fails is
/// replaced by the shell. Part of HostRouter: same thread; owns no link.
#pragma once

#include <deque>
#include <vector>

#include "bus/core/routers/host/host_config.hpp"

namespace starbus::bus {

class Uplink {
 public:
  explicit Uplink(HostState& host);

  /// The link, which has just been added, leads to busroot: says HELLO and the complete table. An
  /// earlier uplink is ended. `session_id` is random and not 0.
  void open(RouterLink& link, std::uint64_t session_id);
  /// Ends the session.
  void drop(const Error& reason);
  void on_gone(const Error& reason);
  /// The answer to HELLO. bad_config if busroot is older than one that this host has seen.
  Result<> on_welcome(RouterLink& link, ByteView payload);

  bool is(const RouterLink& link) const { return &link == link_; }
  /// HELLO was sent and is not answered yet.
  bool awaits_welcome() const { return announced_ && !status_.greeted; }
  /// busroot has accepted this host in the present session.
  bool greeted() const { return link_ && status_.greeted; }
  /// Null unless greeted.
  RouterLink* link() const { return greeted() ? link_ : nullptr; }
  const UplinkStatus& status() const { return status_; }
  /// The lease that busroot gives.
  Time root_lease() const { return root_lease_; }
  /// busroot has granted this epoch.
  void note_epoch(Epoch epoch);
  /// Whether busroot can have granted this epoch: to a process of this host if `here`, to any
  /// otherwise. True if this busd cannot tell.
  bool may_be_granted(Epoch epoch, bool here) const;
  /// Nanoseconds since busroot certainly heard this host; see Heartbeat.
  std::uint64_t lease_age() const;

  /// Sends a request, or drops it if busroot has not accepted this host: requests are repeated.
  template <class Record>
  void tell(const Record& record) {
    if (greeted()) host_.links.tell(*link_, record);
  }
  /// Bytes of requests that the link to busroot may still take.
  std::size_t request_room() const;
  /// Sends further pages of tables.
  void tick() { serve(true); }
  /// After the complete table, the rows of a process are claims. Nothing before a session.
  void announce(LocalProcess& process);
  /// Whether busroot has been told all rows of the process, after which its requests make sense.
  bool knows(const LocalProcess& process) const {
    return complete_ && !process.report_waits && !(sending_ && page_.process == process.id);
  }
  void report_dead(const LocalProcess& process);

 private:
  void announce_all();
  void serve(bool in_tick = false);
  void queue_report(LocalProcess& process);
  bool begin_next();
  void send_page();
  static ProcessUp up_of(const LocalProcess& process, bool pending);
  void learn_granted(const Welcome& welcome);
  void confirm_all_claims();

  HostState& host_;
  RouterLink* link_ = nullptr;
  bool announced_ = false;       // HELLO is sent in this session
  bool complete_ = false;        // and the complete table
  std::deque<Process> waiting_;  // whose rows are to be sent, after the present one's
  bool sending_ = false;         // rows of the process in `page_`
  std::vector<Row> rows_;
  std::size_t sent_ = 0;  // of those
  Table page_;
  std::uint64_t attempts_ = 0;  // sessions with busroot so far
  Time root_lease_ = kLease;
  mutable Time echoed_{};  // when busd sent its latest heartbeat that busroot has echoed
  UplinkStatus status_;
};

}  // namespace starbus::bus
