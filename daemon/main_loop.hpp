/// The skeleton of a daemon's main(): read this header first.
///
///   int main(int argc, char** argv) {
///     // class Busd : public Daemon
///     return run_daemon({.name = "busd", ...}, std::make_unique<Busd>(), argc, argv);
///   }
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "bus/core/error.hpp"
#include "daemon/admin/admin_server.hpp"
#include "daemon/clock_watch.hpp"
#include "daemon/config/config.hpp"
#include "daemon/loop_lag.hpp"
#include "daemon/metrics.hpp"
#include "daemon/rate_limited.hpp"
#include "daemon/service_manager.hpp"
#include "daemon/state_directory.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::daemon {

/// The services of run_daemon for the daemon: valid from start() until its destructor has returned.
/// Everything belongs to the thread of the loop.
struct DaemonContext {
  boost::asio::io_context& loop;
  StateDirectory& state;
  AdminServer& admin;
  Metrics& metrics;
  RateLimited& limited;  // for log lines that peers can trigger
  ServiceManager& service_manager;
  /// Begins the graceful stop, as SIGTERM does; any thread may call it. With a reason other than
  /// Errc::ok, run_daemon logs it and returns kExitFailure: for errors that a restart may fix.
  std::function<void(Error reason)> stop;
  const LoopLag& lag;
  const ClockWatch& clock;
  std::chrono::milliseconds drain_deadline;
};

/// One daemon, as run_daemon drives it. All functions run on the thread of the loop, in this order:
///
///   configure  start  { configure  reload }*  drain  destructor
///
/// Only configure() and the destructor are certain: after a problem in configure() or a failed
/// start() no other function is called. Every function returns soon; work is done by the handlers
/// that start() puts on the loop. No handler runs after drain's `done`, and the destructor runs
/// before the loop's, so sockets and timers may be plain members. Handlers that are still in the
/// loop are destroyed after the daemon without being run.
class Daemon {
 public:
  virtual ~Daemon() = default;

  /// Reads every key it knows, into a new settings value, and has no other effect: the file may
  /// turn out to be wrong, and --check-config calls only this. Problems that the reader cannot find
  /// go to reader.problem(). Do not call finish(). The keys log, admin, state_directory and
  /// drain_deadline belong to run_daemon.
  virtual void configure(ConfigReader& reader) = 0;

  /// Path of the admin socket if the file names none: asked after configure(). Empty: `admin.sock`
  /// in the state folder.
  virtual std::string admin_socket() const { return {}; }

  /// Puts the settings into force: opens sockets, adds routes and metrics. An error ends the
  /// process with kExitFailure.
  virtual Result<> start(DaemonContext& context) = 0;

  /// SIGHUP: configure() has read a file without problems. Applies what may change at run time; an
  /// error, for instance the name of a key that needs a restart, is logged and changes nothing.
  virtual Result<> reload() { return {}; }

  /// Stop gently: take no new work, let peers know, then call `done`, once, now or later. After the
  /// drain deadline the process ends without it.
  virtual void drain(std::function<void()> done) { done(); }

  /// Whether the loop goes on after a handler of it that throws. False: the process aborts there,
  /// with the stack of the handler.
  virtual bool survives_exceptions() const { return false; }
  /// Such a handler has thrown.
  virtual void threw(const std::exception_ptr&) {}

  /// One line for people: "12 processes, linked to root-1". Asked once a second and by /healthz.
  virtual std::string status() const { return "running"; }
  /// /healthz answers 503 while this is false. Draining answers 503 by itself.
  virtual bool healthy() const { return true; }
};

/// The constants of a program. Empty defaults are replaced by /etc/starbus/NAME.toml and
/// $STATE_DIRECTORY (set by systemd) or /var/lib/starbus/NAME.
struct DaemonInfo {
  std::string name;
  std::string version;
  std::string description;
  std::string config_file = {};
  std::string state_directory = {};
  std::string admin_listen = "127.0.0.1:0";
  /// After the drain the process exits at once, without destructors. By then all state is on disk
  /// and all sessions are closed; destructors would only wait (for a compaction of a mail store, a
  /// sync of a busy disk) and delay the next daemon.
  bool ends_at_once = false;
  /// What the option --schema prints; without it there is no such option. May throw.
  std::function<std::string()> schema = {};
};

/// Exit codes of every daemon.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;   // could not start, or stopped with an error
inline constexpr int kExitUsage = 2;     // the command line or the configuration is wrong
inline constexpr int kExitDeadline = 3;  // stopped, but the drain did not end in time

/// The common part of busd, busroot and the nodes: command line (--config,
/// --check-config, --takeover, --log-level, --version), configuration, logging, state folder and
/// its lock, signals, systemd, admin server with /healthz, /metrics and /log, loop lag, graceful
/// stop. Returns the exit code of the process. The address of the admin port is written to the file
/// `admin` of the state folder, so that tools find a port that the system chose, and the path of
/// the admin socket to the file `admin_socket`. An exception
/// that escapes a handler of the loop is a programming error: unless the daemon survives
/// exceptions it leaves run_daemon too, so that an uncaught one aborts with its stack. Without
/// memory (std::bad_alloc) the process ends with kExitFailure.
int run_daemon(const DaemonInfo& info, std::unique_ptr<Daemon> daemon, int argc,
               const char* const* argv);

}  // namespace starbus::daemon
