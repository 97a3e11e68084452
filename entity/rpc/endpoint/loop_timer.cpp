#include "entity/rpc/endpoint/loop_timer.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "bus/io/timer.hpp"
#include "entity/rpc/endpoint/loop_clock.hpp"

namespace starbus::entity::rpc {

struct LoopTimer::State {
  State(boost::asio::io_context& loop, std::function<void()> function)
      : timer(loop), on_time(std::move(function)) {}
  bus::io::Timer timer;
  std::function<void()> on_time;
  std::uint64_t set = 0;  // times; a wait of an earlier time is void
};

LoopTimer::LoopTimer(boost::asio::io_context& loop, std::function<void()> on_time)
    : state_(std::make_shared<State>(loop, std::move(on_time))) {}

LoopTimer::~LoopTimer() {
  ++state_->set;
  state_->timer.cancel();
}

void LoopTimer::set(std::chrono::steady_clock::time_point at) {
  const std::uint64_t mine = ++state_->set;
  state_->timer.expires_after(std::max(at - loop_now(), std::chrono::steady_clock::duration(0)));
  state_->timer.async_wait(
      [held = std::weak_ptr(state_), mine](const boost::system::error_code& error) {
        const auto state = held.lock();
        if (!error && state != nullptr && state->set == mine) state->on_time();
      });
}

}  // namespace starbus::entity::rpc
