#include "busd/shell.hpp"

#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <utility>

namespace starbus::bus::busd {
namespace {

constexpr const char* kTermFile = "term";
constexpr const char* kIncarnationFile = "incarnation";

Result<std::uint64_t> stored_number(const daemon::StateDirectory& state, const std::string& file) {
  const auto text = state.read(file);
  if (!text) return text.error();
  if (!*text) return std::uint64_t{0};
  std::uint64_t value = 0;
  const std::string& digits = **text;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc()) {
    return Error{Errc::io_error, (state.path() / file).string() + " does not hold a number"};
  }
  return value;
}

}  // namespace

Shell::Shell(boost::asio::io_context& loop, daemon::LinkShell& links, daemon::StateDirectory& state,
             ProcessJournal journal, daemon::RateLimited& limited, Events events)
    : LinkedShell(links),
      loop_(loop),
      state_(state),
      journal_(std::move(journal)),
      limited_(limited),
      events_(std::move(events)),
      pids_(loop, [this](std::int64_t pid) { events_.pid_ended(pid); }) {}

void Shell::remember_term(Epoch term) {
  const auto stored = state_.write(kTermFile, std::to_string(term.term()) + "\n");
  if (!stored) events_.stop(stored.error());
}

/// A full disk must not stop a host that runs: the log says what a restart would cost.
void Shell::journal(const JournaledProcess& process, bool lives) {
  const auto written = journal_.add(process, lives);
  if (!written && limited_.allow("journal")) {
    daemon::log_router_line(RouterShell::Level::error,
                            "journal of processes: " + written.error().to_string() +
                                "; what is missing there loses its names if busd restarts now");
  }
}

void Shell::answer_query(const Query& query) {
  later([this, query] { events_.query(query); });
}

void Shell::uplink_ended(const Error&) {
  later([this] { events_.uplink_ended(); });
}

void Shell::log(RouterShell::Level level, const std::string& text) {
  // Processes that come and go quickly, or peers that knock in vain, must not fill the log.
  const std::string_view peer = std::string_view(text).substr(0, text.find(':'));
  if (level != RouterShell::Level::error && !limited_.allow(peer)) return;
  daemon::log_router_line(level, text);
}

void Shell::later(std::function<void()> action) {
  boost::asio::post(loop_, [weak = std::weak_ptr(alive_), action = std::move(action)] {
    if (weak.lock()) action();
  });
}

Result<Epoch> stored_term(const daemon::StateDirectory& state) {
  const auto term = stored_number(state, kTermFile);
  if (!term) return term.error();
  return Epoch::of(*term, 0);
}

Result<std::uint64_t> next_incarnation(daemon::StateDirectory& state) {
  const auto last = stored_number(state, kIncarnationFile);
  if (!last) return last.error();
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto clock = static_cast<std::uint64_t>(since_epoch / std::chrono::microseconds(1));
  const std::uint64_t next = std::max(*last + 1, clock);
  if (auto stored = state.write(kIncarnationFile, std::to_string(next) + "\n"); !stored) {
    return stored.error();
  }
  return next;
}

}  // namespace starbus::bus::busd
