#include "busd/shell.hpp"

#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

namespace starbus::bus::busd {
namespace {

constexpr const char* kTermFile = "term";
constexpr const char* kIncarnationFile = "incarnation";
constexpr std::chrono::seconds kNoteAgain{1};
constexpr std::uint64_t kTermEnd = std::uint64_t{1} << 24;         // what an epoch has room for
constexpr std::uint64_t kIncarnationEnd = std::uint64_t{1} << 62;  // it still grows with each start

/// Below `end`; 0 if there is no such file.
Result<std::uint64_t> stored_number(const daemon::StateDirectory& state, const std::string& file,
                                    std::uint64_t end) {
  const auto text = state.read(file);
  if (!text) return text.error();
  if (!*text) return std::uint64_t{0};
  std::uint64_t value = 0;
  std::string_view digits = **text;
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  const char* const last = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), last, value);
  if (parsed.ec != std::errc() || parsed.ptr != last || value >= end) {
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
      notes_(loop),
      pids_(loop, [this](std::int64_t pid) { events_.pid_ended(pid); }) {}

void Shell::remember_term(Epoch term) {
  const auto stored = state_.write(kTermFile, std::to_string(term.term()) + "\n");
  unnoted_ = stored ? Epoch{} : term;
  if (!stored) {
    not_noted("term of busroot: " + stored.error().to_string() +
              "; until it is, a restart of busd could follow an outdated busroot");
  }
}

void Shell::journal(const JournaledProcess& process, bool lives) {
  if (const auto written = journal_.add(process, lives); !written) {
    not_noted("journal of processes: " + written.error().to_string() +
              "; what is missing there loses its names if busd restarts now");
  }
}

void Shell::not_noted(const std::string& what) {
  if (limited_.allow("notes")) daemon::log_router_line(RouterShell::Level::error, what);
  if (std::exchange(noting_again_, true)) return;
  notes_.expires_after(kNoteAgain);
  notes_.async_wait([this](const boost::system::error_code& error) {
    if (!error) note_again();
  });
}

void Shell::note_again() {
  noting_again_ = false;
  if (unnoted_) remember_term(unnoted_);
  if (const auto written = journal_.mend(); !written) {
    not_noted("journal of processes: " + written.error().to_string());
  }
  if (!noting_again_) {
    daemon::log_router_line(RouterShell::Level::info, "what could not be written is on disk now");
  }
}

void Shell::answer_query(const Query& query) {
  events_.query(query);
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
  const auto term = stored_number(state, kTermFile, kTermEnd);
  if (!term) return term.error();
  return Epoch::of(*term, 0);
}

Result<std::uint64_t> next_incarnation(daemon::StateDirectory& state) {
  const auto last = stored_number(state, kIncarnationFile, kIncarnationEnd);
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
