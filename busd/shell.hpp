#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <thread>

#include "bus/core/routers/host_router.hpp"
#include "busd/pid_watch.hpp"
#include "busd/process_journal.hpp"
#include "daemon/rate_limited.hpp"
#include "daemon/router_shell.hpp"
#include "daemon/state_directory.hpp"

namespace starbus::busd {

/// Serves the router's requests to this machine. Belongs to the loop's thread. Nothing here calls
/// back into the router at once: such calls are posted. A failed write to disk is logged and tried
/// again.
class Shell final : public daemon::LinkedShell<bus::HostShell> {
 public:
  struct Events {
    std::function<void(std::int64_t pid)> pid_ended;
    std::function<void(const bus::Query&)> query;  // at once; answered later
    std::function<void()> uplink_ended;
  };
  Shell(boost::asio::io_context& loop, daemon::LinkShell& links, daemon::StateDirectory& state,
        ProcessJournal journal, daemon::RateLimited& limited, Events events);

  /// The process whose hello the router has now, or one of the journal.
  void watch_pid(std::int64_t pid) override;
  void unwatch_pid(std::int64_t pid) override { pids_.remove(pid); }
  bool has_ended(std::int64_t pid) override { return pids_.has_ended(pid); }
  void remember_term(bus::Epoch term) override;
  void journal(const bus::JournaledProcess& process, bool lives) override;
  void answer_query(const bus::Query& query) override;
  void uplink_ended(const Error& reason) override;
  void log(bus::RouterShell::Level level, const std::string& text) override;

 private:
  void later(std::function<void()> action);
  void write_failed(const std::string& what);
  void write_again();
  void log_if_written();
  void store_term();
  void term_stored(bus::Epoch term, const Result<>& stored);

  boost::asio::io_context& loop_;
  daemon::LinkShell& links_;
  daemon::StateDirectory& state_;
  ProcessJournal journal_;
  daemon::RateLimited& limited_;
  Events events_;
  boost::asio::steady_timer retry_;
  bool writing_again_ = false;  // the timer runs
  bool failed_ = false;         // a write failed, and the log says so
  bus::Epoch unstored_;         // a term that is not on disk yet; 0 if there is none
  PidWatch pids_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::jthread storing_;  // joinable while a term is being stored
};

/// The highest term of busroot that this host has seen; 0 at the first start.
Result<bus::Epoch> stored_term(daemon::StateDirectory& state);
/// A number that grows from start to start, whatever the clock does.
Result<std::uint64_t> next_incarnation(daemon::StateDirectory& state);

}  // namespace starbus::busd
