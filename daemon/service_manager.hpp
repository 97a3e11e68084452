#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace starbus::daemon {

/// Tells systemd how the daemon is (sd_notify) and feeds its watchdog from the event loop, so that
/// a loop that hangs is restarted. Owned by the thread of the loop, which must outlive it. Without
/// NOTIFY_SOCKET every function does nothing; a failed notification is not an error.
class ServiceManager {
 public:
  /// Starts to feed the watchdog, at half of WATCHDOG_USEC, when systemd asks for it.
  explicit ServiceManager(boost::asio::io_context& loop);
  ~ServiceManager();

  /// READY=1: the daemon serves.
  void ready();
  /// READY=1 must follow once the reload is over: call ready().
  void reloading();
  /// Also asks systemd to wait for the drain.
  void stopping(std::chrono::milliseconds deadline);
  /// Shown by `systemctl status`; repeated texts are not sent again.
  void status(std::string_view text);

  /// Zero when systemd expects no watchdog messages.
  std::chrono::microseconds watchdog_interval() const;

 private:
  class Watchdog;
  std::shared_ptr<Watchdog> watchdog_;
  std::string last_status_;
};

}  // namespace starbus::daemon
