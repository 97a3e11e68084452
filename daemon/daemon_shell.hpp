#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "daemon/clock_watch.hpp"
#include "daemon/logging.hpp"
#include "daemon/loop_lag.hpp"
#include "daemon/main_loop.hpp"
#include "daemon/signals.hpp"

namespace starbus::daemon {

/// The keys that every daemon has.
struct ShellSettings {
  LogConfig log;
  AdminConfig admin;
  AdminAccess access;
  std::filesystem::path state_directory;
  std::chrono::milliseconds drain_deadline{};
  std::vector<std::string> warnings;  // of the file; for people
};

/// Reads the whole file: these keys and the daemon's own. Errc::bad_config lists all problems.
Result<ShellSettings> read_settings(const DaemonInfo& info, Daemon& daemon,
                                    const std::filesystem::path& file);

/// A daemon at run time, from the logger to the exit code: the body of run_daemon. Owned by the
/// main thread, which is the thread of the loop. Owns the loop, everything on it, and the daemon,
/// which it destroys first.
class DaemonShell {
 public:
  DaemonShell(const DaemonInfo& info, std::unique_ptr<Daemon> daemon, std::filesystem::path file,
              ShellSettings settings);
  ~DaemonShell();

  /// Runs until the stop is complete; returns the exit code. `level` overrides the level of the
  /// file. `takeover`: replaces the daemon that uses the state folder now.
  int run(const std::optional<std::string>& level, bool takeover);

 private:
  Result<> start(bool takeover);
  void run_loop();
  void add_routes();
  Response health() const;
  Response change_log_level(const Request& request);
  void reload();
  void apply(const ShellSettings& fresh);
  void stop(const Error& reason);
  void stopped(int exit_code);
  void tick();

  const DaemonInfo info_;
  const std::filesystem::path file_;
  const ShellSettings settings_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool level_is_fixed_ = false;
  bool stopping_ = false;
  int exit_code_ = 0;

  boost::asio::io_context loop_;
  boost::asio::steady_timer tick_timer_{loop_};
  boost::asio::steady_timer drain_timer_{loop_};
  RateLimited limited_;
  ServiceManager service_manager_{loop_};
  Metrics metrics_;
  LoopLag lag_{loop_, limited_};
  ClockWatch clock_;
  std::optional<StateDirectory> state_;
  std::unique_ptr<AdminServer> admin_;
  std::unique_ptr<Signals> signals_;
  std::unique_ptr<DaemonContext> context_;
  std::unique_ptr<Daemon> daemon_;  // last: destroyed first
};

}  // namespace starbus::daemon
