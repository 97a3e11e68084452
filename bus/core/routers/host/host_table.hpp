/// The processes of a host and the names that they own, as busd knows them.
///
/// A cache of the processes' own reports and of grants that pass: a process' complete table
/// replaces it. Part of HostRouter: same thread, no clock, no I/O. Owns its entries, whose
/// addresses stay. Refused hellos are returned as errors.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/routers/host/access_list.hpp"
#include "bus/core/routers/host/rate_limit.hpp"
#include "bus/core/routers/recent_times.hpp"
#include "bus/core/routers/router.hpp"
#include "bus/core/wire/record_admin.hpp"

namespace starbus::bus {

/// A frozen or attaching copy of a name.
struct Copy : Row {
  /// busroot's move_ok for it has passed here. The word of its process alone proves nothing.
  bool seen = false;
};

/// A node of this host, from its first hello to its death.
struct LocalProcess {
  Process id;
  std::string node;
  std::string name;  // HOST.NODE
  std::string software;
  std::int64_t pid = 0;  // 0: unknown; then only the lease tells that it ended
  User user;
  std::string asked;  // the role that its HELLO asks for
  std::shared_ptr<const Role> role;
  boost::unordered_flat_set<ChannelId> names;         // it owns them, and is routed to
  boost::unordered_flat_map<ChannelId, Copy> moving;  // not routed to
  /// It says that it owns them; this busd has not seen a grant, and busroot has not answered yet.
  /// They are not routed to.
  boost::unordered_flat_map<ChannelId, Row> claimed;
  std::size_t counted = 0;       // of these three, by HostTable
  std::uint32_t unanswered = 0;  // reports to busroot, sent or waiting, without answer
  bool report_waits = false;     // its rows are to be sent to busroot
  bool report_counted = false;   // the report that waits is in `unanswered`
  RateLimit messages;
  RateLimit bytes;
  RateLimit spare_replies;

  std::uint64_t request_bytes = 0;  // control records since the latest tick
  std::uint64_t over_rate = 0;      // records refused or dropped above its rate or share

  bool choked = false;     // got NACK overflow because there was no way
  bool announced = false;  // its table was complete once, or it is journaled: busroot may know it
  bool tabled = false;     // its table was complete once since this busd started
  Time lost_at{};          // when its latest session ended

  /// Not among the parts of a multicast.
  static constexpr std::size_t kNoPart = ~std::size_t{0};
  std::size_t part = kNoPart;  // index of its part while a multicast is split

  std::uint64_t attempt = 0;  // of the latest session of this incarnation
  RecentTimes sessions{};     // when they began
  Vitals vitals{};

  // The present session:
  LinkId link = 0;     // 0: none
  bool ready = false;  // its table is complete
  std::vector<Row> incoming;
  boost::unordered_flat_set<ChannelId> opened[kLanes];
  std::size_t opened_count = 0;
};

/// A name that a process of this host owns, or was granted.
struct LocalName {
  std::string name;
  LocalProcess* owner = nullptr;
  Epoch epoch;
  Lineage lineage;
  Ticket ticket{};  // of the grant; empty if it came with a table
  bool confirmed = false;
};

/// The relation of a hello to the process that is present under its node name.
enum class Returner { same, successor };

/// `same`: the same incarnation in a new session. `successor`: the same operating system process
/// with a newer bus object, so the present incarnation is dead. name_taken: the present one may
/// live or belongs to another user; two node names have one slot; or the incarnation is outdated.
Result<Returner> judge_arrival(const LocalProcess& present, std::string_view node,
                               std::uint64_t incarnation, std::int64_t pid, std::uint32_t uid);

class HostTable {
 public:
  explicit HostTable(std::string host);

  const std::string& host() const { return host_; }
  std::uint32_t id() const { return host_id_; }

  /// Adds a process without a session and names. Its slot must be free.
  LocalProcess& add(const Hello& hello, std::int64_t pid);
  /// Frees its names; the reference ends.
  void remove(LocalProcess& process);
  LocalProcess* by_slot(std::uint32_t slot);
  /// Null unless the process is of this host and has this incarnation.
  LocalProcess* by_id(const Process& id);
  LocalProcess* by_link(LinkId link);
  void attach(LocalProcess& process, LinkId link);
  void detach(LocalProcess& process);
  std::vector<LocalProcess*> with_pid(std::int64_t pid);
  std::size_t process_count() const { return processes_.size(); }
  void set_user(LocalProcess& process, User user);
  /// Processes, and names with those that are claimed or moving, of one user.
  struct Held {
    std::size_t processes = 0;
    std::size_t names = 0;
    std::uint64_t over_rate = 0;  // records and hellos refused or dropped, while it has processes
  };
  Held held_by(std::uint32_t uid) const;
  template <class Callback>
  void for_each_user(Callback&& callback) const {
    for (const auto& [uid, held] : held_) callback(uid, held);
  }
  /// A record of the process was refused or dropped above its rate or share.
  void count_over_rate(LocalProcess& process);
  /// A hello of the user was; ignored if it has no process here.
  void count_over_rate(std::uint32_t uid);
  /// Names with those that are claimed or moving, of all users.
  std::size_t names_held() const { return all_names_; }
  template <class Callback>
  void for_each_process(Callback&& callback) {
    for (auto& [slot, process] : processes_) callback(*process);
  }

  /// Null if no process of this host owns it.
  LocalName* find(const ChannelId& channel);
  /// The process that a record for the channel goes to; null if it is not here. The own channel of
  /// a process needs no grant.
  LocalProcess* owner_of(const ChannelId& channel);
  /// Adds the name, or takes it from its present owner: busroot has granted it.
  void grant(LocalProcess& process, LocalName name);
  void release(const ChannelId& channel);
  /// The process holds the name frozen under this ticket: nothing is routed to it for this name.
  void freeze(LocalProcess& process, const ChannelId& channel, const Ticket& ticket);
  /// Forgets a frozen or attaching copy of this ticket.
  void forget_copy(LocalProcess& process, const ChannelId& channel, const Ticket& ticket);
  /// Replaces all names of the process by the rows of its table. It goes on owning those that this
  /// table knows, at the same epoch; the others are claimed.
  void replace_names(LocalProcess& process, const std::vector<Row>& rows);
  /// busroot has taken what the process claims: it owns that, unless another process of this host
  /// has been granted the name since.
  void confirm_claims(LocalProcess& process);
  /// busroot says so of one name, at this epoch, before it has answered the whole report.
  void confirm_claim(LocalProcess& process, const ChannelId& channel, Epoch epoch);
  /// The process does not claim the name any more, if it does so at this epoch or a lower one.
  void drop_claim(LocalProcess& process, const ChannelId& channel, Epoch epoch);
  /// busroot has left the row of the process out: it is forgotten, if it stands on the word of the
  /// process alone.
  void leave_out(LocalProcess& process, const ChannelId& channel);
  std::vector<Row> rows_of(const LocalProcess& process) const;
  std::size_t name_count() const { return names_.size(); }
  /// At most `limit` names with this prefix after `after`, ordered by name.
  std::vector<const LocalName*> page(std::string_view prefix, std::string_view after,
                                     std::size_t limit) const;
  std::size_t count(std::string_view prefix) const;

 private:
  void confirm(LocalProcess& process, const Row& row);
  void leave(std::uint32_t uid);
  void count(LocalProcess& process, std::size_t names);
  void recount(LocalProcess& process);

  std::string host_;
  std::uint32_t host_id_;
  boost::unordered_flat_map<std::uint32_t, std::unique_ptr<LocalProcess>> processes_;
  boost::unordered_flat_map<LinkId, LocalProcess*> links_;
  boost::unordered_flat_map<ChannelId, LocalName> names_;
  boost::unordered_flat_map<std::uint32_t, Held> held_;  // by uid
  std::size_t all_names_ = 0;
};

}  // namespace starbus::bus
