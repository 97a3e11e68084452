/// busroot without its sockets: the directory of names, and the way between hosts. Sans-IO.
///
/// Only busroot grants names, and it routes what crosses hosts. All of it is soft state that the
/// hosts' tables restore; the shell keeps two things on disk, the term and the list of hosts.
/// Single-threaded, driven as every Router. A busd that sends nonsense loses its session, no more.
///
/// Grace: from its start until every journaled host has announced its table, or has had the lease
/// to do so, busroot grants nothing, and holds what it cannot route.
///
/// One living session per host name. A HELLO for a host that has a session takes over at once
///  - if it comes from the same busd (same key and incarnation), or
///  - from a later start (higher incarnation) at the same address with the same key, or
///  - if the present session has been silent for longer than kSuspect;
/// otherwise it is refused as name_taken. So a busd that restarts is never locked out, and of two
/// machines that carry the same name the second does not take the names of the first.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/routers/root/root_hold.hpp"
#include "bus/core/routers/root/root_host.hpp"
#include "bus/core/routers/root/root_moves.hpp"
#include "bus/core/routers/root/root_watches.hpp"
#include "bus/core/routers/router.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

/// What busroot asks of the world beyond links. Must not call back into the router.
class RootShell : public RouterShell {
 public:
  /// May the holder of this CURVE key (empty: no CURVE) appear as this host? unauthorized if not.
  virtual Result<> allow_host(const std::string& key, const std::string& host) = 0;
  /// Stores the names of all hosts to wait for after a restart. A list with a new host must be on
  /// disk when this returns, from then on names may be granted there; an error keeps the host out.
  virtual Result<> remember_hosts(const std::vector<std::string>& hosts) = 0;
  /// An admin request for busroot itself, answered later by RootRouter::answer.
  virtual void answer_query(const Query& query) = 0;
  /// The answer to a query of RootRouter::ask.
  virtual void on_answer(const Answer& answer) = 0;

 protected:
  ~RootShell() = default;
};

class RootRouter final : public Router {
 public:
  /// In queries: this busroot. No host may have this name.
  static constexpr std::string_view kRootName = "root";

  struct Config {
    std::uint64_t term = 1;  // higher than that of every start before
    std::string name = "busroot";
    std::vector<std::string> journaled;  // hosts to wait for
    std::string software;                // "starbus 0.1.0"
    Time lease = from_ms(kLease);
    std::size_t max_hosts = kMaxHosts;
    std::uint8_t minor = kVersionMinor;  // the highest minor version that is spoken
  };
  RootRouter(RootShell& shell, Config config, Time now);

  void tick(Time now) override;
  /// Ends all sessions as shutting_down.
  void shut_down();
  /// Ends the sessions of hosts that the shell no longer allows.
  void review_hosts();

  /// Sends a query of busroot's own to query.target; false if that host is not connected.
  bool ask(Query query);
  void answer(const Answer& answer);

  std::uint64_t term() const { return config_.term; }
  std::uint8_t minor() const { return config_.minor; }
  const std::string& name() const { return config_.name; }
  bool in_grace() const { return grace_; }
  /// Journaled hosts that have not announced, while in grace.
  const std::set<std::string>& waiting_for() const { return awaited_; }
  const Directory& directory() const { return directory_; }
  const HoldQueues& held() const { return hold_; }
  std::uint64_t granted() const { return granted_; }
  std::size_t host_count() const { return hosts_.size(); }
  std::size_t watch_count() const { return watches_.size(); }
  /// By channel.
  const RootMoves& moves() const { return moves_; }
  /// `visit(const RootHost&)`, in no particular order.
  template <class Visit>
  void for_each_host(Visit&& visit) const {
    for (const auto& [id, host] : hosts_) visit(static_cast<const RootHost&>(*host));
  }
  static const RootProcess& process_of(const Directory::Entry& entry) {
    return static_cast<const RootProcess&>(entry.owner());
  }

 protected:
  Result<> on_record(Link& link, Kind kind, ByteView payload) override;
  void on_link_gone(Link& link, const Error& reason) override;
  Link* link_towards(const Process& origin) override;

 private:
  struct PendingRow {
    Process process;
    Row row;
    ChannelId id;
  };
  /// What a session has said of its complete table so far.
  struct PendingTable {
    boost::unordered_flat_map<Process, ProcessUp> processes;
    std::vector<PendingRow> rows;
  };
  struct Host final : RootHost, Attachment {
    Link* session = nullptr;
    std::unique_ptr<PendingTable> pending;  // until table_end
    std::vector<Target> part;               // of the multicast that is being routed
  };
  enum class Way { forward, hold, nobody };
  struct Destination {
    Way way;
    Host* host = nullptr;
  };
  enum class Change { added, changed, removed };

  // root_router.cpp
  Result<> on_greeted_record(Host& host, Kind kind, ByteView payload);
  Result<> on_request(Host& host, Kind kind, ByteView payload);
  void check_leases();
  void lose_host(Host& host);
  bool grace_may_end() const;
  void end_grace();
  Result<> admit_to_journal(const std::string& host);
  void store_journal();
  Host* find_host(std::string_view name);
  static Host& host_of(const Directory::Entry& entry) {
    return static_cast<Host&>(static_cast<RootProcess&>(entry.owner()).host);
  }

  // root_hello.cpp
  Result<> on_hello(Link& link, ByteView payload);
  Result<> check_hello(const Link& link, const Hello& hello);
  Result<> make_way(const Link& link, const Hello& hello);
  void open_session(Link& link, const Hello& hello);
  Result<> refuse(Link& link, std::string_view name, const Error& why);

  // root_tables.cpp
  Result<> on_process_up(Host& host, ByteView payload);
  Result<> on_table(Host& host, ByteView payload);
  Result<> on_table_end(Host& host, ByteView payload);
  Result<> on_process_dead(Host& host, ByteView payload);
  bool ever_granted(const Host& host, const Row& row);
  Result<> check_row(const Host& host, std::string_view node, const Row& row) const;
  RootProcess& take_process(Host& host, const ProcessUp& up);
  void bury_the_dead(Host& host, const PendingTable& table);
  void drop_omitted(Host& host, const PendingTable& table);
  void claim(RootProcess& process, const Row& row, const ChannelId& id);
  void leave_out(RootProcess& process, const Row& row, const ChannelId& id);
  void take_claim(RootProcess& process, const Row& row, const ChannelId& id,
                  Directory::Entry* entry);
  void process_died(RootProcess& process);
  void drop_name(Directory::Entry& entry);

  // root_requests.cpp
  void on_bind(RootProcess& process, const Bind& bind);
  void on_resume(RootProcess& process, const Resume& resume);
  void bind_name(RootProcess& process, const Bind& bind, Lineage lineage);
  Result<Directory::Entry*> grant(RootProcess& process, const Bind& bind, const ChannelId& id,
                                  Lineage lineage);
  void on_active(RootProcess& process, const Active& active);
  void on_unbind(RootProcess& process, const Unbind& unbind);
  template <class Record>
  void reply(const RootProcess& process, const Record& record) {
    if (Link* const session = static_cast<Host&>(process.host).session) tell(*session, record);
  }

  // root_moves.cpp
  void on_move(RootProcess& process, const Move& request);
  void on_attach(RootProcess& process, const Attach& request);
  void on_reclaim(RootProcess& process, const Reclaim& request);
  void on_freed(RootProcess& process, const Freed& freed);
  void set_move(Directory::Entry& entry, RootMove move);
  RootMove move_of(const Directory::Entry& entry) const;
  void settle_move(const Directory::Entry& entry);
  void give(Directory::Entry& entry, RootProcess& owner, Epoch epoch, Lineage lineage);
  void tell_moved(const Directory::Entry& entry);
  bool never_ran(const RootMove& move) const;
  RootProcess* find_process(const Process& id) const;
  void owner_died(Directory::Entry& entry);
  using SourceGone = std::function<bool(const ChannelId&, const RootMove::Source&)>;
  void forget_sources(const SourceGone& gone);
  void forget_omitted_sources(const Host& host, const PendingTable& table);

  // root_requests.cpp
  Result<> on_query(Host& host, ByteView payload);
  Result<> on_answer(ByteView payload);

  // root_trace.cpp
  Result<> on_trace(Host& host, ByteView payload);
  void trace_back(const HopTrace& trace);

  // root_routing.cpp
  Result<> on_message(Host& host, Kind kind, ByteView payload);
  Result<> on_data(Host& host, ByteView payload);
  Result<> on_probe(Host& host, ByteView payload);
  Result<> on_multicast(Host& host, ByteView payload);
  Destination destination(const ChannelId& channel);
  template <class Reply>  // Ack or Posted
  Result<> on_reply(const Host& host, ByteView payload);
  bool speaks_for(const Host& host, const ChannelId& channel);
  void hold_part(const Multicast& multicast, const Target& target);
  void release_held(const ChannelId& channel);
  void release_all_held();
  bool route_held(Kind kind, ByteView payload);
  void drop_held(Kind kind, ByteView payload);

  // root_publish.cpp
  Result<> on_watch(Host& host, ByteView payload);
  Result<> on_unwatch(Host& host, ByteView payload);
  void publish(const Directory::Entry& entry, Change change);
  void serve_watches();
  void send_snapshot(WatchTable::Watch& watch, LinkId to);
  void refuse_watch(const std::string& prefix, const std::vector<LinkId>& watchers,
                    const Error& why);

  RootShell& root_shell_;
  Config config_;
  Time started_;
  bool grace_ = true;
  std::uint64_t granted_ = 0;  // epochs of this term
  std::set<std::string> journal_;
  bool journal_changed_ = false;
  std::set<std::string> awaited_;
  boost::unordered_flat_map<std::uint32_t, std::unique_ptr<Host>> hosts_;
  Directory directory_;  // its owners are in hosts_: it must go first
  RootMoves moves_;
  HoldQueues hold_;
  Time hold_checked_{};
  WatchTable watches_;
  std::set<std::pair<LinkId, std::string>> wanted_;  // snapshots that are due
  std::pair<LinkId, std::string> last_served_;
  std::int64_t watch_budget_ = kWatchBudget;  // rows that may be sent until the next tick
  std::vector<Host*> multicast_hosts_;
  Bytes record_;  // scratch
};

}  // namespace starbus::bus
