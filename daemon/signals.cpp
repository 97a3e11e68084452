#include "daemon/signals.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <string_view>

#include "daemon/stop_signals.hpp"

namespace starbus::daemon {
namespace {
std::string_view name_of_signal(int signal) {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}
}  // namespace

struct Signals::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& loop, Handlers functions)
      : set(loop, SIGTERM, SIGINT, SIGHUP), handlers(std::move(functions)) {}

  void wait() {
    set.async_wait([self = shared_from_this()](boost::system::error_code error, int signal) {
      if (error) return;
      self->wait();
      self->handle(signal);
    });
  }

  void handle(int signal) {
    if (signal == SIGHUP) {
      if (!stops.stopping()) handlers.on_reload();
      return;
    }
    const auto meaning = stops.take(signal == SIGINT, handlers.now());
    if (meaning == StopSignals::Meaning::same) {
      spdlog::info("{}: stops already", name_of_signal(signal));
      return;
    }
    if (meaning == StopSignals::Meaning::at_once) {
      spdlog::error("{} while stopping: ends at once{}", name_of_signal(signal),
                    handlers.waits_for ? "; it was: " + handlers.waits_for() : "");
      // Destructors could wait for what the drain waits for.
      ::_exit(128 + signal);
    }
    spdlog::info("{}: stops", name_of_signal(signal));
    handlers.on_stop(signal);
  }

  boost::asio::signal_set set;
  Handlers handlers;
  StopSignals stops;
};

Signals::Signals(boost::asio::io_context& loop, Handlers handlers)
    : state_(std::make_shared<State>(loop, std::move(handlers))) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that went away is an error of write, not a death
  state_->wait();
}

Signals::~Signals() {
  // A handler that is already on its way to run must find nothing to do.
  state_->handlers = {[](int) {}, [] {}};
  boost::system::error_code ignored;
  state_->set.clear(ignored);
  state_->set.cancel(ignored);
}

}  // namespace starbus::daemon
