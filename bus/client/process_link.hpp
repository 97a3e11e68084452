#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/loop_thread.hpp"
#include "bus/core/ends/process_core.hpp"
#include "bus/io/clock.hpp"
#include "bus/io/reconnect.hpp"
#include "bus/io/timer.hpp"

namespace starbus::bus {

/// Connects a ProcessCore to the world: its link with busd, which is dialled again whenever it is
/// lost, and the clock. Belongs to the owner of the core, whose hooks it calls, and to the thread
/// of the loop, that which constructs it: checked.
class ProcessLink final : public io::LinkHandler {
 public:
  struct Hooks {
    /// Keeps the owner alive during a callback from the loop; null if the owner is being destroyed.
    std::function<std::shared_ptr<void>()> hold;
    /// The link is lost; `greeted`: busd had accepted the session.
    std::function<void(const Error& reason, bool greeted)> lost;
    /// The link will not be dialled again, for a permanent reason; or it is, after a pause, if
    /// `persists`.
    std::function<void(const Error& reason)> refused;
    bool persists = false;
    /// At each tick, before anything is sent.
    std::function<void()> tick;
    /// At the end of each turn: before, and after all that is ready was sent.
    std::function<void()> before_send;
    std::function<void()> after_turn;
  };
  /// `endpoint` of busd. The core outlives it.
  ProcessLink(boost::asio::io_context& loop, ProcessCore& core, std::string endpoint, Hooks hooks);
  ~ProcessLink();

  /// Dials. Idempotent.
  void start();
  /// Starts the clock alone: requests to the core may time out.
  void start_clock();
  /// Ends the link for good, after sending what the core still has, as far as the link takes it at
  /// once. A callback of the core may call it: the session then ends when the core has returned.
  void stop();

  /// The core got something to send, of so many bytes: it is sent at the end of the present batch
  /// or turn, or at once when a bundle is full.
  void request_send(std::size_t bytes);
  void send_now();

 private:
  void on_bundle(io::Link& link, ByteView bundle) override;
  void on_batch_end(io::Link& link) override;
  bool enough() override;
  void on_closed(io::Link& link, const Error& reason) override;
  /// The core works during its life, and may call what ends this link.
  class CoreAtWork;
  void end_session();
  void link_up(std::shared_ptr<io::Link> link);
  void link_down(const Error& reason);
  void on_tick();

  LoopThread thread_;
  boost::asio::io_context& loop_;
  ProcessCore& core_;
  std::string endpoint_;
  Hooks hooks_;
  std::unique_ptr<io::Reconnect> reconnect_;
  std::shared_ptr<io::Link> link_;
  io::Timer tick_;
  bool in_batch_ = false;  // inside the link's callbacks: on_batch_end sends
  Time batch_began_{};
  bool send_posted_ = false;
  bool ticking_ = false;
  bool stopped_ = false;
  int core_at_work_ = 0;  // calls into the core that have not returned
  bool end_due_ = false;  // stop was called within one of them
  Time ticked_{};
  std::size_t unsent_ = 0;  // bytes given to the core since the last send_now
};

}  // namespace starbus::bus
