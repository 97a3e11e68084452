#include "busd/shell.hpp"

#include <boost/asio/post.hpp>
#include <chrono>
#include <string_view>
#include <utility>

#include "daemon/persistent_counter.hpp"

namespace starbus::busd {
namespace {

constexpr const char* kTermFile = "term";
constexpr const char* kIncarnationFile = "incarnation";
constexpr std::chrono::seconds kWriteAgain{1};
constexpr std::uint64_t kTermEnd = std::uint64_t{1} << 24;  // an epoch has 24 bits for it
constexpr std::uint64_t kIncarnationEnd = std::uint64_t{1}
                                          << 62;  // the number still grows with each start
// Incarnations follow the clock in microseconds: a month is reserved, so that a start seldom waits
// for the disk.
constexpr std::uint64_t kReservedIncarnations =
    std::chrono::microseconds(std::chrono::hours(24 * 30)).count();

daemon::PersistentCounter kept_term(daemon::StateDirectory& state) {
  return {state, kTermFile, kTermEnd};
}

}  // namespace

Shell::Shell(boost::asio::io_context& loop, daemon::LinkShell& links, daemon::StateDirectory& state,
             ProcessJournal journal, daemon::RateLimited& limited, Events events)
    : LinkedShell(links),
      loop_(loop),
      links_(links),
      state_(state),
      journal_(std::move(journal)),
      limited_(limited),
      events_(std::move(events)),
      retry_(loop),
      pids_(loop, [this](std::int64_t pid) { events_.pid_ended(pid); }) {}

void Shell::watch_pid(std::int64_t pid) {
  const auto speaker = links_.speaker();
  if (!speaker || speaker->link.peer().pid != pid) return pids_.add(pid);
  pids_.add(pid, speaker->link.open_process(), speaker->since);
}

/// The next busd of this boot reads it at once. The fsync, for a power cut, runs in a thread of its
/// own: on a busy disk it would delay all messages.
void Shell::remember_term(bus::Epoch term) {
  if (const auto noted = kept_term(state_).note(term.term()); !noted) {
    write_failed("term of busroot: " + noted.error().to_string());
  }
  unstored_ = term;
  if (!storing_.joinable()) store_term();
}

void Shell::store_term() {
  storing_ = std::jthread([this, weak = std::weak_ptr(alive_), term = unstored_] {
    auto stored = kept_term(state_).store(term.term());
    boost::asio::post(loop_, [this, weak, term, stored = std::move(stored)] {
      if (weak.lock()) term_stored(term, stored);
    });
  });
}

void Shell::term_stored(bus::Epoch term, const Result<>& stored) {
  storing_.join();
  if (!stored) {
    return write_failed("term of busroot: " + stored.error().to_string() +
                        "; until it is stored, a restarted busd could accept an outdated busroot");
  }
  if (unstored_ != term) return store_term();
  unstored_ = {};
  log_if_written();
}

void Shell::journal(const bus::JournaledProcess& process, bool lives) {
  if (const auto written = journal_.add(process, lives); !written) {
    write_failed("journal of processes: " + written.error().to_string() +
                 "; a process that is missing there loses its names if busd restarts now");
  }
}

void Shell::write_failed(const std::string& what) {
  if (limited_.allow("notes")) daemon::log_router_line(bus::RouterShell::Level::error, what);
  failed_ = true;
  if (std::exchange(writing_again_, true)) return;
  retry_.expires_after(kWriteAgain);
  retry_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !weak.expired()) write_again();
  });
}

void Shell::write_again() {
  writing_again_ = false;
  if (unstored_) remember_term(unstored_);
  if (const auto written = journal_.repair(); !written) {
    write_failed("journal of processes: " + written.error().to_string());
  }
  log_if_written();
}

void Shell::log_if_written() {
  if (writing_again_ || unstored_ || !std::exchange(failed_, false)) return;
  daemon::log_router_line(bus::RouterShell::Level::info, "the failed write is on disk now");
}

void Shell::answer_query(const bus::Query& query) {
  events_.query(query);
}

void Shell::uplink_ended(const Error&) {
  later([this] { events_.uplink_ended(); });
}

void Shell::log(bus::RouterShell::Level level, const std::string& text) {
  // Processes that start and end quickly, or peers that are refused again and again, must not fill
  // the log.
  const std::string_view peer = std::string_view(text).substr(0, text.find(':'));
  if (level != bus::RouterShell::Level::error && !limited_.allow(peer)) return;
  daemon::log_router_line(level, text);
}

void Shell::later(std::function<void()> action) {
  boost::asio::post(loop_, [weak = std::weak_ptr(alive_), action = std::move(action)] {
    if (weak.lock()) action();
  });
}

Result<bus::Epoch> stored_term(daemon::StateDirectory& state) {
  const auto term = kept_term(state).read();
  if (!term) return term.error();
  return bus::Epoch::of(*term, 0);
}

Result<std::uint64_t> next_incarnation(daemon::StateDirectory& state) {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto clock = static_cast<std::uint64_t>(since_epoch / std::chrono::microseconds(1));
  return daemon::PersistentCounter(state, kIncarnationFile, kIncarnationEnd)
      .next(clock, kReservedIncarnations);
}

}  // namespace starbus::busd
