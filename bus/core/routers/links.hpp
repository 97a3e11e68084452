/// The links of one router: their peers, their sessions, and their outgoing queues.
///
/// A link is added when the transport reports it, and ends when the transport breaks or the router
/// ends it; either way `LinkObserver::on_link_gone` follows, and the memory is freed by the next
/// flush. Sans-IO: bundles leave through RouterShell. Belongs to the router's thread; owns the
/// links. Nothing here stops reading a link.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bus/core/routers/accounts.hpp"
#include "bus/core/session.hpp"

namespace starbus::bus {

using LinkId = std::uint64_t;  // given by the shell, never reused; 0: no link

/// Facts about the peer of a link, from the operating system or from CURVE.
struct PeerFacts {
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups{};  // supplementary
  std::string key;                      // CURVE public key, Z85; empty without CURVE
  std::string address;                  // for people
};

/// The outside world of a router. Implementations must not call back into the router.
class RouterShell {
 public:
  /// An empty buffer for the next bundle, with capacity if the link has one to spare.
  virtual Bytes take_buffer(LinkId link) = 0;
  /// Takes a whole bundle for this link; never refuses.
  virtual void send(LinkId link, Bytes bundle) = 0;
  /// Sends what was given to `send`, then ends the link. No `link_closed` follows.
  virtual void close(LinkId link) = 0;
  /// Asked after every few records of a bundle of this link: whether others should come first. Then
  /// Router::on_bundle returns before the end of the bundle.
  virtual bool enough(LinkId) { return false; }
  enum class Level { debug, info, warning, error };
  virtual void log(Level level, const std::string& text) = 0;

 protected:
  ~RouterShell() = default;
};

/// Totals that metrics, `bustop` and tests read.
struct RouterCounters {
  std::uint64_t runs_forwarded = 0;
  std::uint64_t messages_forwarded = 0;
  std::uint64_t bytes_forwarded = 0;
  std::uint64_t multicasts_in = 0;
  std::uint64_t multicast_copies_out = 0;  // one per next hop
  std::uint64_t probes = 0;
  std::uint64_t acks = 0;
  std::uint64_t nacks_overflow = 0;
  std::uint64_t nacks_no_owner = 0;
  std::uint64_t expired_records = 0;
  std::uint64_t dropped_replies = 0;  // ACK or NACK whose caller has ended: may be lost
  std::uint64_t sessions_opened = 0;
  std::uint64_t sessions_ended = 0;
  std::uint64_t sessions_refused = 0;
  std::uint64_t hostile_bytes = 0;  // sessions ended for bad_bytes
};

/// One link as operators see it.
struct LinkStatus {
  LinkId id = 0;
  std::string peer;  // HOST or HOST.NODE; the address before it is known
  std::string address;
  bool greeted = false;
  Time round_trip{};
  Time silence{};
  std::uint64_t in_flight = 0;               // bytes
  std::array<std::size_t, kLanes> queued{};  // bytes per lane
  SessionCounters session;
};

/// Limits of the control queue of a link, in bytes. Above the first no trace is added.
inline constexpr std::size_t kTraceRoom = 1024 * 1024;
/// Above it no snapshot of a watch is begun: the largest still fits into kControlQueue.
inline constexpr std::size_t kSnapshotRoom = 8 * 1024 * 1024;
/// Above it a watcher gets no changes, but a snapshot later.
inline constexpr std::size_t kDeltaRoom = 32 * 1024 * 1024;

/// The router's data about the peer of a link; the router owns it.
struct LinkAttachment {
 protected:
  ~LinkAttachment() = default;
};

/// One link with its session and its queues. Owned by Links; one thread.
struct RouterLink final : LaneSource {
  LinkId id = 0;
  PeerFacts peer;
  Session session;
  SourceQueues queues;
  bool greeted = false;    // hello accepted
  std::uint8_t minor = 0;  // protocol version of the session
  Time opened{};
  bool dirty = false;       // waits for the next flush
  bool overloaded = false;  // its control queue overflowed: the next flush ends it
  bool uplink = false;      // from a busd to its busroot
  std::string name;         // for logs: HOST or HOST.NODE once greeted
  LinkAttachment* attachment = nullptr;
  AccountId account = 0;        // whose link it is
  std::size_t incomplete = 0;   // bytes of unfinished records, as Links has counted them
  std::uint64_t delivered = 0;  // messages and probes that were queued for it
  std::uint64_t replied = 0;    // replies that came from it
  explicit RouterLink(Time now) : session(0, now), opened(now) {}
  SourceQueues::Source source() const { return {id, account}; }
  bool ready(Lane lane) const override { return queues.ready(lane); }
  FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) override {
    return queues.fill_bundle(lane, budget, out);
  }
};

/// Hears of the ends of links, whichever side has ended them.
class LinkObserver {
 public:
  /// The link is about to be freed: drop every pointer to it.
  virtual void on_link_gone(RouterLink& link, const Error& reason) = 0;

 protected:
  ~LinkObserver() = default;
};

class Links {
 public:
  Links(RouterShell& shell, LinkObserver& observer, Time now)
      : shell_(shell), observer_(observer), now_(now) {}
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  /// The time of the present event. It never goes back.
  Time now() const { return now_; }
  void advance_to(Time now) { now_ = std::max(now_, now); }
  void log(RouterShell::Level level, const std::string& text) { shell_.log(level, text); }
  RouterCounters& counters() { return counters_; }
  const RouterCounters& counters() const { return counters_; }

  /// `id` must be new. `account` is the key of the account that the link belongs to.
  RouterLink& add(LinkId id, PeerFacts peer, const std::string& account);
  /// The transport broke. Ignored if the router has ended the link before.
  void drop(LinkId id, const Error& reason);
  /// Ends the session: sends RESET with the reason first if the session has an id.
  void end(RouterLink& link, const Error& reason);
  /// Ends all sessions.
  void end_all(const Error& reason);
  /// Null if it has ended.
  RouterLink* find(LinkId id);
  std::size_t size() const { return links_.size(); }
  template <class Callback>
  void for_each(Callback&& callback) {
    for (auto& [id, link] : links_) callback(*link);
  }
  /// Ordered by id.
  std::vector<LinkStatus> status() const;

  /// Queues a control record. If the queue is full, the next flush ends the session as overloaded:
  /// never at once, so that no caller loses a link that it still uses.
  template <class Record>
  void tell(RouterLink& to, const Record& record) {
    scratch_.clear();
    encode(record, scratch_);
    tell_encoded(to, scratch_);
  }
  void tell_encoded(RouterLink& to, ByteView record);
  /// Queues an ACK, POSTED or NACK; false, and nothing queued, if the source's share of the control
  /// queue is used up.
  template <class Record>
  bool tell_reply(RouterLink& to, const Record& record, SourceQueues::Source source) {
    scratch_.clear();
    encode(record, scratch_);
    touch(to);
    return to.queues.push_reply(source, scratch_, now_);
  }
  Accounts& accounts() { return accounts_; }
  RouterShell& shell() { return shell_; }
  /// Bytes of unfinished records of all links, after a bundle of this one. A busd's link to busroot
  /// does not count.
  std::size_t count_incomplete(RouterLink& link);
  /// The next flush sends what this link has ready.
  void touch(RouterLink& link);
  /// Sends what became ready since the last call, and frees ended links.
  void flush();

 private:
  void pump(RouterLink& link);
  void uncount(const RouterLink& link);

  RouterShell& shell_;
  LinkObserver& observer_;
  Time now_;
  RouterCounters counters_;
  Accounts accounts_;  // outlives the links, which count into it
  boost::unordered_flat_map<LinkId, std::unique_ptr<RouterLink>> links_;
  std::size_t incomplete_ = 0;  // sum of RouterLink::incomplete
  std::vector<LinkId> dirty_;
  /// Freed by flush: callers up the stack still use them.
  std::vector<std::unique_ptr<RouterLink>> ended_;
  Bytes scratch_;
};

}  // namespace starbus::bus
