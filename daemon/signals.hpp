#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace starbus::daemon {

/// SIGTERM and SIGINT stop the daemon, SIGHUP reloads it, SIGPIPE is ignored. A later stop signal,
/// or a second SIGINT, means that the operator will not wait for the drain: the process ends at
/// once with 128 + signal, after a log line that says what it was waiting for. StopSignals says
/// which signal is a later one. Owned by the thread of the loop, which must outlive it; the
/// handlers run there.
class Signals {
 public:
  struct Handlers {
    std::function<void(int signal)> on_stop;
    std::function<void()> on_reload;
    std::function<std::string()> waits_for = {};  // while it stops
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  };
  Signals(boost::asio::io_context& loop, Handlers handlers);
  ~Signals();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace starbus::daemon
