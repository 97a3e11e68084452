/// The common part of busd's and busroot's routers: takes what comes from links, bounds what peers
/// may hold, and ends the links of peers that are silent or break the protocol. Sans-IO.
///
/// A router is driven by its shell (the daemon's event loop, or a simulator): `link_opened`,
/// `on_bundle`, `link_closed`, `tick`, and `flush` after each batch of these. It answers through
/// `RouterShell`. Belongs to the thread that constructs it, which every entry point checks. An
/// error of a record ends its link, no more. Nothing here stops reading a link.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/core/routers/forwarding.hpp"
#include "bus/core/routers/links.hpp"

namespace starbus::bus {

class Router : private LinkObserver, private ReplyRoutes {
 public:
  Router(RouterShell& shell, Time now) : links_(shell, *this, now), forwarding_(links_, *this) {}
  virtual ~Router() = default;

  /// The transport has a new link. If too many links have sent no hello yet, the oldest of them
  /// ends.
  void link_opened(LinkId id, PeerFacts peer, Time now);
  /// The transport broke. A link that the router itself closed is not reported.
  void link_closed(LinkId id, const Error& reason, Time now);
  /// False: the shell said `enough` within the bundle. The link's next call gives the same bundle,
  /// whose rest is taken then.
  bool on_bundle(LinkId id, ByteView bundle, Time now);
  /// Every 50 to 100 ms.
  virtual void tick(Time now);
  /// Whether something that takes longer than a turn of the loop is under way; go_on() does the
  /// next part of it. Without the call it goes on with the next tick.
  virtual bool unfinished() const { return false; }
  virtual void go_on() {}
  /// Sends what became ready on any link since the last call.
  void flush();
  /// The router belongs to the calling thread from now on.
  void rebind_thread() { thread_.rebind(); }

  const RouterCounters& counters() const { return links_.counters(); }
  const FailureLog& failures() const { return forwarding_.failures(); }
  /// Ordered by id.
  std::vector<LinkStatus> link_status() const { return links_.status(); }
  /// Shows the messages of this channel to `tap` as they pass ("bustop tail"); null ends it.
  using Tap = Forwarding::Tap;
  void set_tap(const ChannelId& channel, Tap tap);

 protected:
  /// A record of a greeted or greeting link. An error ends the link.
  virtual Result<> on_record(RouterLink& link, Kind kind, ByteView payload) = 0;
  /// As link_opened, for a link that belongs to the account `account`.
  void open(LinkId id, PeerFacts peer, const std::string& account, Time now);
  /// Whose link this is: the key of its account. Never empty.
  virtual std::string account_of(const PeerFacts& peer) const = 0;
  /// For the heartbeats that this side sends: see Heartbeat.
  virtual std::uint64_t lease_age() const { return Heartbeat::kNoLease; }

  void check_thread() const { thread_.check(); }
  Links& links() { return links_; }
  Forwarding& forwarding() { return forwarding_; }
  Time now() const { return links_.now(); }

 private:
  struct Dispatcher;
  std::size_t strangers();
  std::size_t strangers_of(std::string_view key);
  void end_oldest_stranger(std::string_view key);
  void end_largest_incomplete();
  std::string culprit(const RouterLink& link);

  LoopThread thread_;
  Links links_;
  Forwarding forwarding_;
};

}  // namespace starbus::bus
