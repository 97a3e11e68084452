#include "daemon/service_manager.hpp"

#include <systemd/sd-daemon.h>
#include <time.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>

namespace starbus::daemon {
namespace {

void notify(const std::string& message) {
  sd_notify(0, message.c_str());
}

std::uint64_t monotonic_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1'000;
}

}  // namespace

/// Sends WATCHDOG=1 from a timer of the loop; shared with the handler that waits there.
class ServiceManager::Watchdog : public std::enable_shared_from_this<Watchdog> {
 public:
  explicit Watchdog(boost::asio::io_context& loop) : timer_(loop) {}

  void start() {
    std::uint64_t microseconds = 0;
    if (sd_watchdog_enabled(0, &microseconds) <= 0) return;
    interval_ = std::chrono::microseconds(microseconds / 2);
    feed();
  }
  void stop() {
    stopped_ = true;
    timer_.cancel();
  }
  std::chrono::microseconds interval() const { return interval_; }

 private:
  void feed() {
    notify("WATCHDOG=1");
    timer_.expires_after(interval_);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (!error && !self->stopped_) self->feed();
    });
  }

  boost::asio::steady_timer timer_;
  std::chrono::microseconds interval_{0};
  bool stopped_ = false;
};

ServiceManager::ServiceManager(boost::asio::io_context& loop)
    : watchdog_(std::make_shared<Watchdog>(loop)) {
  watchdog_->start();
}
ServiceManager::~ServiceManager() {
  watchdog_->stop();
}

void ServiceManager::ready() {
  notify("READY=1");
}

void ServiceManager::reloading() {
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_microseconds()));
}

void ServiceManager::stopping(std::chrono::milliseconds deadline) {
  // A margin, so that the daemon's own deadline comes first and can say what it waited for.
  const auto patience = std::chrono::microseconds(deadline + std::chrono::seconds(5));
  notify("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string(patience.count()));
}

void ServiceManager::status(std::string_view text) {
  if (text == last_status_) return;
  last_status_ = text;
  // A newline would begin another assignment.
  const std::string line(text.substr(0, text.find('\n')));
  notify("STATUS=" + line);
}

std::chrono::microseconds ServiceManager::watchdog_interval() const {
  return watchdog_->interval();
}

}  // namespace starbus::daemon
