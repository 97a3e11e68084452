/// Connects a Router (sans-IO) with io::Link objects and the clock. busd and busroot share it.
///
///   LinkShell links(loop);
///   class RootEvents final : public LinkedShell<RootShell> { ... the rest of RootShell ... };
///   RootEvents shell(links);
///   RootRouter router(shell, config, boot_now());
///   links.start(router);
///   listener = io::listen(loop, endpoint, options, [&](auto link) { links.add(std::move(link));
///   });
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/core/routers/router.hpp"
#include "bus/io/clock.hpp"
#include "bus/io/link.hpp"
#include "daemon/link_turns.hpp"

namespace starbus::daemon {

using bus::io::boot_now;

/// Gives links their ids, hands their bundles to the router, flushes it at the end of each batch,
/// and ticks it every 50 ms. Belongs, with the router, to the thread that runs the loop, from the
/// loop's first handler on. Owns the links; the router must outlive this object or stop() it. A
/// link that breaks is reported to the router once; one that the router closes is not reported.
class LinkShell {
 public:
  /// How often the routers' time goes on without events.
  static constexpr std::chrono::milliseconds kTick{50};

  explicit LinkShell(boost::asio::io_context& loop);
  ~LinkShell();
  LinkShell(const LinkShell&) = delete;
  LinkShell& operator=(const LinkShell&) = delete;

  /// Begins to tick. Call it before the first add().
  void start(bus::Router& router);
  /// Closes all links and the timer; the router is not told. Idempotent.
  void stop();

  /// Reports a new link to the router: Router::link_opened unless the caller gives another (a
  /// busd's uplink).
  using Opened = std::function<void(bus::LinkId id, bus::PeerFacts peer, bus::Time now)>;
  bus::LinkId add(std::shared_ptr<bus::io::Link> link, const Opened& opened = {});

  /// Sends what the router has queued: call it after a call of the router that no link caused (a
  /// timer, an admin request).
  void flush();
  std::size_t links() const { return ports_.size(); }
  /// The link whose bundle the router has now, and since when it is there; nullopt outside of
  /// Router::on_bundle. Valid until the router returns.
  struct Speaker {
    bus::io::Link& link;
    bus::Time since;
  };
  std::optional<Speaker> speaker() const;

  // The calls of a RouterShell; see LinkedShell.
  bus::Bytes take_buffer(bus::LinkId id);
  void send(bus::LinkId id, bus::Bytes bundle);
  void close(bus::LinkId id);
  bool enough(bus::LinkId id);

  /// The time of the loop that bundles of a program have taken, while several users had links.
  struct LoopUse {
    std::uint32_t uid = 0;
    std::int64_t pid = 0;
    std::chrono::microseconds used{};
  };
  /// Of all users (pid 0), and of the programs that have links now.
  std::vector<LoopUse> loop_use() const;

 private:
  class Port;
  void take_thread();
  void wait();
  void ended(bus::LinkId id, const Error& reason);
  /// Gives the links that wait their turns, one in each round of the loop.
  void serve_waiting();
  /// The router goes on with what takes longer than a turn, in later rounds of the loop.
  void go_on_later();
  /// Keeps a port until the next tick, because it may be on the stack.
  void retire(bus::LinkId id);

  LoopThread thread_;
  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bus::Router* router_ = nullptr;
  bus::LinkId next_id_ = 1;
  const Port* speaker_ = nullptr;
  LinkTurns turns_;  // outlives the ports
  boost::unordered_flat_map<bus::LinkId, std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<Port>> retired_;
  bool serving_ = false;
  bool going_on_ = false;
};

/// Writes a router's log line to the daemon's log.
void log_router_line(bus::RouterShell::Level level, const std::string& text);

/// The part of a shell that is the same for every router. `Shell` is RouterShell or derived from
/// it.
template <class Shell>
class LinkedShell : public Shell {
 public:
  explicit LinkedShell(LinkShell& links) : links_(links) {}
  bus::Bytes take_buffer(bus::LinkId link) override { return links_.take_buffer(link); }
  void send(bus::LinkId link, bus::Bytes bundle) override { links_.send(link, std::move(bundle)); }
  void close(bus::LinkId link) override { links_.close(link); }
  bool enough(bus::LinkId link) override { return links_.enough(link); }
  void log(bus::RouterShell::Level level, const std::string& text) override {
    log_router_line(level, text);
  }

 private:
  LinkShell& links_;
};

}  // namespace starbus::daemon
