#include "entity/rpc/endpoint/loop_timer.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "bus/io/timer.hpp"
#include "entity/rpc/endpoint/loop_clock.hpp"

namespace starbus::entity::rpc {

using Time = std::chrono::steady_clock::time_point;

/// A wait that ends too early is begun anew then: later times, of calls that come one after the
/// other, cost no system call each.
struct LoopTimer::State {
  State(boost::asio::io_context& loop, std::function<void()> function)
      : timer(loop), on_time(std::move(function)) {}
  bus::io::Timer timer;
  std::function<void()> on_time;
  Time wanted = Time::max();
  Time waited = Time::max();  // when the present wait ends; max: there is none
  std::uint64_t waits = 0;    // a wait that is not the latest is void

  static void wait(const std::shared_ptr<State>& state);
};

void LoopTimer::State::wait(const std::shared_ptr<State>& state) {
  const std::uint64_t mine = ++state->waits;
  const Time at = state->waited = state->wanted;
  state->timer.expires_after(std::max(at - loop_now(), Time::duration(0)));
  state->timer.async_wait(
      [held = std::weak_ptr(state), mine, at](const boost::system::error_code& error) {
        const auto self = held.lock();
        if (error || self == nullptr || self->waits != mine) return;
        self->waited = Time::max();
        if (self->wanted > at) return wait(self);
        self->on_time();
      });
}

LoopTimer::LoopTimer(boost::asio::io_context& loop, std::function<void()> on_time)
    : state_(std::make_shared<State>(loop, std::move(on_time))) {}

LoopTimer::~LoopTimer() {
  ++state_->waits;
  state_->timer.cancel();
}

void LoopTimer::set(Time at) {
  state_->wanted = at;
  if (state_->waited > at) State::wait(state_);
}

}  // namespace starbus::entity::rpc
