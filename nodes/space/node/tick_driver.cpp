#include "nodes/space/node/tick_driver.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "bus/io/clock.hpp"

namespace starbus::nodes::space {

using bus::io::boot_now;

void TickDriver::add(TickLine::Id id, entity::Time period) {
  line_.add(id, period, boot_now());
  wake();
}

void TickDriver::wake() {
  const auto next = line_.next();
  if (!next || posted_ || running_) return;
  if (*next <= boot_now()) {
    posted_ = true;
    boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_)] {
      if (!weak.expired()) turn();
    });
    return;
  }
  if (*next >= armed_) return;
  timer_.cancel_all();
  armed_ = *next;
  const auto set = timers_.at(timer_, *next, [this] {
    armed_ = entity::Time::max();
    if (!posted_) turn();
  });
  if (set) return;
  armed_ = entity::Time::max();
  spdlog::error("spaces: no timer for their ticks: {}", set.error().to_string());
}

void TickDriver::turn() {
  posted_ = false;
  const entity::Time began = boot_now();
  if (const auto due = line_.begin(began)) {
    running_ = true;
    run_(*due);
    running_ = false;
    const entity::Time now = boot_now();
    line_.end(now);
    ran_(*due, now, now - began);
  }
  wake();
}

}  // namespace starbus::nodes::space
