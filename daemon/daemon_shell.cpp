#include "daemon/daemon_shell.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>
#include <new>

#include <boost/asio/post.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "bus/io/clock.hpp"

namespace starbus::daemon {

namespace asio = boost::asio;

namespace {

/// Added to the drain deadline, after which the other daemon ends by itself.
constexpr std::chrono::milliseconds kTakeoverSlack{5000};

std::string default_state_directory(const DaemonInfo& info) {
  if (const char* given = std::getenv("STATE_DIRECTORY")) return given;
  return info.state_directory.empty() ? "/var/lib/starbus/" + info.name : info.state_directory;
}

}  // namespace

Result<ShellSettings> read_settings(const DaemonInfo& info, Daemon& daemon,
                                    const std::filesystem::path& file) {
  auto reader = ConfigReader::open(file);
  if (!reader) return reader.error();
  ShellSettings settings;
  settings.log = read_log_config(reader->table("log"));
  ConfigReader admin = reader->table("admin");
  settings.admin = read_admin_config(admin, info.admin_listen);
  settings.access = AdminAccess::read(admin);
  settings.state_directory = reader->string("state_directory", default_state_directory(info));
  if (settings.state_directory.empty()) {
    reader->problem("state_directory", "'state_directory' must not be empty");
  }
  settings.drain_deadline = reader->duration("drain_deadline", std::chrono::seconds(20),
                                             std::chrono::milliseconds(0), std::chrono::hours(1));
  daemon.configure(*reader);
  if (settings.admin.socket.empty()) settings.admin.socket = daemon.admin_socket();
  if (settings.admin.socket.empty()) {
    // Absolute, as an address that tools find in the state folder must be.
    const auto folder = std::filesystem::absolute(settings.state_directory);
    settings.admin.socket = (folder / "admin.sock").string();
  }
  if (const auto finished = reader->finish(); !finished) return finished.error();
  settings.warnings = reader->warnings();
  return settings;
}

DaemonShell::DaemonShell(const DaemonInfo& info, std::unique_ptr<Daemon> daemon,
                         std::filesystem::path file, ShellSettings settings)
    : info_(info),
      file_(std::move(file)),
      settings_(std::move(settings)),
      daemon_(std::move(daemon)) {}

DaemonShell::~DaemonShell() = default;

int DaemonShell::run(const std::optional<std::string>& level, bool takeover) {
  LogConfig log = settings_.log;
  level_is_fixed_ = level.has_value();
  if (level) log.level = *level;
  Result<> started = start_logging(log, info_.name);
  for (const std::string& warning : settings_.warnings) spdlog::warn("{}", warning);
  if (started) started = start(takeover);
  if (!started) {
    spdlog::critical("cannot start: {}", started.error().to_string());
    if (log.target != "stderr") {
      // An operator who started it by hand reads the terminal, not the log file.
      const std::string text = info_.name + ": " + started.error().to_string() + "\n";
      [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
    }
    return kExitFailure;
  }
  try {
    run_loop();
  } catch (const std::bad_alloc&) {
    // Own limits are far below: this is a limit of the machine (MemoryMax, ulimit). Messages that
    // the processes keep are not lost; a supervisor starts the daemon again.
    spdlog::critical("out of memory: exits");
    return kExitFailure;
  }
  spdlog::info("stopped with exit code {}", exit_code_);
  return exit_code_;
}

/// Asio's queue is whole after an exception of a handler, and run() may be called again.
void DaemonShell::run_loop() {
  if (!daemon_->survives_exceptions()) {  // and no handler here: it would unwind the stack
    loop_.run();
    return;
  }
  while (true) {
    try {
      loop_.run();
      return;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      daemon_->threw(std::current_exception());
    }
  }
}

Result<> DaemonShell::start(bool takeover) {
  // Takes the lock first: a second daemon on this folder must not disturb the first one's sockets.
  const auto& folder = settings_.state_directory;
  auto state = takeover
                   ? StateDirectory::take_over(folder, settings_.drain_deadline + kTakeoverSlack)
                   : StateDirectory::open(folder);
  if (!state) return state.error();
  state_ = std::move(*state);
  signals_ = std::make_unique<Signals>(
      loop_, Signals::Handlers{[this](int) { stop({}); }, [this] { reload(); },
                               [this] { return daemon_->status(); }});
  auto admin = AdminServer::listen(loop_, settings_.admin, settings_.access);
  if (!admin) return admin.error();
  admin_ = std::move(*admin);
  add_routes();
  context_ = std::make_unique<DaemonContext>(
      DaemonContext{loop_, *state_, *admin_, metrics_, limited_, service_manager_,
                    [this](Error reason) {
                      asio::post(loop_, [this, reason = std::move(reason)] { stop(reason); });
                    },
                    lag_, clock_, settings_.drain_deadline});
  if (const auto started = daemon_->start(*context_); !started) return started.error();
  // Tools read it while this runs: the system may have chosen the port.
  auto noted = state_->note("admin_socket", settings_.admin.socket + "\n");
  if (noted) noted = state_->note("admin", admin_->address() + "\n");
  if (!noted) return noted.error();
  spdlog::info("{} {} runs: state in {}, metrics at http://{}, admin socket {}", info_.name,
               info_.version, state_->path().string(), admin_->address(), settings_.admin.socket);
  tick();
  service_manager_.ready();
  return {};
}

void DaemonShell::add_routes() {
  add_process_metrics(metrics_);
  lag_.add_to(metrics_);
  metrics_.counter("starbus_clock_jumps_total", "Jumps of the wall clock.",
                   [this] { return static_cast<double>(clock_.jumps()); });
  metrics_.gauge("starbus_build_info",
                 "Constant 1; labels name the running program and its version.", [] { return 1.0; },
                 {{"name", info_.name}, {"version", info_.version}});
  admin_->get("/metrics", AdminRole::none, [this](const Request&) {
    return Response{200, Metrics::kContentType, metrics_.text()};
  });
  admin_->get("/healthz", AdminRole::none, [this](const Request&) { return health(); });
  admin_->get("/log", AdminRole::observe, [](const Request&) {
    return Response::json({{"level", log_level()}});
  });
  admin_->post("/log", [this](const Request& request) { return change_log_level(request); });
}

Response DaemonShell::health() const {
  const auto age = std::chrono::steady_clock::now() - begin_;
  const auto lag = std::chrono::duration_cast<std::chrono::milliseconds>(lag_.worst());
  const bool healthy = !stopping_ && daemon_->healthy();
  const nlohmann::json body = {
      {"name", info_.name},
      {"version", info_.version},
      {"pid", ::getpid()},
      {"state", stopping_ ? "draining" : "running"},
      {"healthy", healthy},
      {"status", daemon_->status()},
      {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(age).count()},
      {"loop_lag_ms", lag.count()}};
  return Response::json(body, healthy ? 200 : 503);
}

Response DaemonShell::change_log_level(const Request& request) {
  const auto changed = set_log_level(request.parameter_or("level", ""));
  if (!changed) return Response::error(400, changed.error().detail);
  spdlog::info("log level is now {}", log_level());
  return Response::json({{"level", log_level()}});
}

void DaemonShell::reload() {
  service_manager_.reloading();
  // Before the configuration is read: the log file may have been rotated away.
  if (const auto reopened = reopen_log(); !reopened) {
    spdlog::error("{}", reopened.error().to_string());
  }
  const auto fresh = read_settings(info_, *daemon_, file_);
  if (!fresh) {
    spdlog::error("reload refused, nothing was changed");
    std::istringstream problems(fresh.error().detail);
    for (std::string line; std::getline(problems, line);) spdlog::error("{}", line);
  } else if (const auto reloaded = daemon_->reload(); !reloaded) {
    spdlog::error("reload failed: {}", reloaded.error().to_string());
  } else {
    apply(*fresh);
    for (const std::string& warning : fresh->warnings) spdlog::warn("{}", warning);
    spdlog::info("reloaded {}", file_.string());
  }
  service_manager_.ready();
}

void DaemonShell::apply(const ShellSettings& fresh) {
  if (!level_is_fixed_) {
    if (const auto changed = set_log_level(fresh.log.level); !changed) {
      spdlog::error("{}", changed.error().to_string());
    }
  }
  const auto needs_restart = [](std::string_view key, bool changed) {
    if (changed) spdlog::warn("{} has changed in the file: that takes a restart", key);
  };
  needs_restart("log.format", fresh.log.format != settings_.log.format);
  needs_restart("log.target", fresh.log.target != settings_.log.target);
  admin_->set_access(fresh.access);
  needs_restart("admin.listen", fresh.admin.listen != settings_.admin.listen ||
                                    fresh.admin.allow_remote != settings_.admin.allow_remote);
  needs_restart("admin.socket", fresh.admin.socket != settings_.admin.socket);
  needs_restart("state_directory", fresh.state_directory != settings_.state_directory);
  needs_restart("drain_deadline", fresh.drain_deadline != settings_.drain_deadline);
}

void DaemonShell::stop(const Error& reason) {
  if (reason.code != bus::Errc::ok) {
    spdlog::critical("stops: {}", reason.to_string());
    exit_code_ = kExitFailure;
  }
  if (std::exchange(stopping_, true)) return;
  service_manager_.stopping(settings_.drain_deadline);
  drain_timer_.expires_after(settings_.drain_deadline);
  drain_timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    spdlog::warn("the drain did not end within {} ms: {}", settings_.drain_deadline.count(),
                 daemon_->status());
    stopped(kExitDeadline);
  });
  // Posted, so that `done` may be called from within drain() or any handler.
  daemon_->drain([this] { asio::post(loop_, [this] { stopped(kExitOk); }); });
}

void DaemonShell::stopped(int exit_code) {
  admin_->close();  // removes its socket, also where no destructor runs after this
  if (exit_code_ == kExitOk) exit_code_ = exit_code;
  loop_.stop();
}

void DaemonShell::tick() {
  limited_.sweep();
  if (const auto jump = clock_.observe(std::chrono::system_clock::now(), bus::io::boot_now())) {
    spdlog::warn("wall clock: jumped by {} ms", jump->count());
  }
  service_manager_.status(daemon_->status());
  tick_timer_.expires_after(std::chrono::seconds(1));
  tick_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) tick();
  });
}

}  // namespace starbus::daemon
