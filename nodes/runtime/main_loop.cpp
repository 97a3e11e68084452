#include "nodes/runtime/main_loop.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "bus/io/clock.hpp"

namespace starbus::nodes {

using bus::io::boot_now;

MainLoop::MainLoop(boost::asio::io_context& loop, TurnLimits limits)
    : loop_(loop),
      alarm_(loop),
      timers_(boot_now()),
      queue_([this] { schedule(); }),
      turn_(queue_, timers_, load_, boot_now, limits) {
  timers_.drive(this);
  timers_.sleep_until(std::nullopt);
}

MainLoop::~MainLoop() {
  queue_.close();  // from here on no other thread comes
  timers_.drive(nullptr);
}

entity::Time MainLoop::now() {
  return boot_now();
}

void MainLoop::began(const std::type_info& callback) {
  in_timer_.emplace(load_, load_.source(WorkName(callback)));
}

void MainLoop::schedule() {
  if (scheduled_.exchange(true)) return;
  boost::asio::post(loop_, [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) run();
  });
}

void MainLoop::run() {
  scheduled_ = false;
  const Turn::Done done = turn_.run();
  ++counters_.passes;
  counters_.timers += done.timers;
  counters_.closures += done.closures;
  if (done.more) {
    ++counters_.capped;
    schedule();
  } else {
    sleep(done.next);
  }
}

void MainLoop::sleep(std::optional<entity::Time> until) {
  timers_.sleep_until(until);
  if (until == armed_) return;
  armed_ = until;
  if (!until) {
    alarm_.cancel();
    return;
  }
  alarm_.expires_after(std::max(*until - boot_now(), entity::Time{0}));
  alarm_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || weak.expired()) return;
    armed_ = std::nullopt;
    schedule();
  });
}

}  // namespace starbus::nodes
