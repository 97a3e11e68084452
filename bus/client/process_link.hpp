#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "bus/core/ends/process_core.hpp"
#include "bus/io/clock.hpp"
#include "bus/io/reconnect.hpp"

namespace starbus::bus {

/// What a ProcessCore needs of the world: its link with busd, dialled again and again, and the
/// clock. Belongs to the thread of the loop, and to whoever owns the core, whose hooks it calls.
class ProcessLink final : public io::LinkHandler {
 public:
  struct Hooks {
    /// Keeps the owner alive during a callback from the loop; null: it is going.
    std::function<std::shared_ptr<void>()> hold;
    /// The link is lost (`greeted`: it served), and will be dialled again; or it will not, since
    /// the reason will not mend by itself.
    std::function<void(const Error& reason, bool greeted)> lost;
    std::function<void(const Error& reason)> refused;
    /// At each tick, before anything leaves.
    std::function<void()> tick;
    /// At the end of each turn: before, and after what is ready has left.
    std::function<void()> before_send;
    std::function<void()> after_turn;
  };
  /// `endpoint` of busd. The core outlives it.
  ProcessLink(boost::asio::io_context& loop, ProcessCore& core, std::string endpoint, Hooks hooks);
  ~ProcessLink();

  /// Dials; idempotent.
  void start();
  /// The clock alone: what the core was asked for may time out.
  void start_clock();
  /// For good. What the core has still to say has left, as far as the link takes it at once.
  void stop();

  /// Something was given to the core: it leaves at the end of the present batch or turn, or at once
  /// when a bundle is full.
  void request_send(std::size_t bytes);
  void send_now();

 private:
  void on_bundle(io::Link& link, ByteView bundle) override;
  void on_batch_end(io::Link& link) override;
  bool enough() override;
  void on_closed(io::Link& link, const Error& reason) override;
  void link_up(std::shared_ptr<io::Link> link);
  void link_down(const Error& reason);
  void on_tick();

  boost::asio::io_context& loop_;
  ProcessCore& core_;
  std::string endpoint_;
  Hooks hooks_;
  std::unique_ptr<io::Reconnect> reconnect_;
  std::shared_ptr<io::Link> link_;
  boost::asio::steady_timer tick_;
  bool in_batch_ = false;  // inside the link's callbacks: on_batch_end sends
  Time batch_began_{};
  bool send_posted_ = false;
  bool ticking_ = false;
  bool stopped_ = false;
  Time ticked_{};
  std::size_t unsent_ = 0;  // bytes given to the core since the last send_now
};

/// A number that grows from start to start of a node on one host, also when starts are a
/// microsecond apart: its incarnation.
std::uint64_t draw_incarnation();

}  // namespace starbus::bus
