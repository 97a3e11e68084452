/// Connects again and again until it has a link, and once more after `again`: the link has ended.
///
/// Belongs to the thread of its io_context. Owns the attempt under way, not the link. A round tries
/// every target in turn without pause (two server keys during a rotation, for example), beginning
/// with the one that worked last. Between rounds it waits, longer each time, with jitter so that
/// the processes of a host do not all connect at once. For a socket of this host the pause stays
/// short: attempts are cheap there, and a daemon that is back is found at once. Failed attempts are
/// reported; none is final.
/// May be destroyed inside its callbacks.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/io/link.hpp"

namespace starbus::bus::io {

class Reconnect {
 public:
  struct Target {
    std::string endpoint;
    ConnectOptions options;
  };
  using OnLink = std::function<void(std::shared_ptr<Link>)>;
  using OnFailure = std::function<void(const Target&, const Error&)>;
  /// A number in [0, 1).
  using Random = std::function<double()>;

  /// `targets` must not be empty. `random` empty: seeded by the operating system.
  Reconnect(boost::asio::io_context& context, std::vector<Target> targets, OnLink on_link,
            OnFailure on_failure, Random random = {});

  /// Begins the first round at once.
  void start();
  /// The link has ended: begins the next round after a pause. The pause is the shortest again only
  /// if the link lasted longer than the wait for it, so that a peer which accepts and hangs up is
  /// not flooded with attempts.
  void again();
  /// No callback follows; start() begins again.
  void stop();

  /// The pause before the next round; for tests and logs.
  std::chrono::milliseconds next_pause() const { return pause_; }

 private:
  void begin_anew();
  void round();
  void attempt();
  void connected(Result<std::shared_ptr<Link>> result);
  void wait();

  boost::asio::io_context& context_;
  const std::vector<Target> targets_;
  OnLink on_link_;
  OnFailure on_failure_;
  Random random_;
  const std::chrono::milliseconds longest_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<Connecting> attempt_;
  std::size_t target_ = 0;
  std::size_t left_ = 0;  // targets of this round that are not yet tried
  std::chrono::milliseconds pause_;
  int quick_ = 0;                        // short pauses since the link was lost
  std::chrono::milliseconds waited_{0};  // before the link that is or was
  std::optional<std::chrono::steady_clock::time_point> connected_at_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::bus::io
