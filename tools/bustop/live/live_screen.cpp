#include "tools/bustop/live/live_screen.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ostream>

#include "base/file_descriptor.hpp"
#include "tools/bustop/live/live_fetcher.hpp"
#include "tools/bustop/live/live_view.hpp"
#include "tools/terminal/terminal.hpp"

namespace starbus::bustop {
namespace {

constexpr int kEscapeWait = 50;  // ms: a key's whole sequence arrives within that
constexpr std::chrono::milliseconds kQuitPatience{100};

/// Must come before any thread: threads inherit the mask.
FileDescriptor block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH}) {
    sigaddset(&signals, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return FileDescriptor(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
}

class LiveScreen {
 public:
  LiveScreen(const Context& context, std::chrono::milliseconds interval, FileDescriptor signals)
      : signals_(std::move(signals)),
        live_(context.admin, context.look.colour),
        fetcher_(context.view) {
    live_.set_interval(interval);
  }

  Result<> begin() {
    auto entered = terminal_.enter();
    if (entered) resize();
    return entered;
  }

  /// The exit code.
  int run() {
    while (code_ < 0 && !live_.quit()) {
      fetcher_.set(live_.want(), live_.interval(), live_.paused());
      terminal_.draw(live_.frame());
      wait();
    }
    terminal_.leave();
    return code_ < 0 ? kExitOk : code_;
  }

  bool stop() { return fetcher_.stop(kQuitPatience); }

 private:
  void wait() {
    std::array<pollfd, 3> sources{
        {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}, {fetcher_.ready(), POLLIN, 0}}};
    const int ready = ::poll(sources.data(), sources.size(), keys_.pending() ? kEscapeWait : -1);
    if (ready == 0) on_keys(keys_.flush());
    if (ready <= 0) return;
    if (sources[0].revents != 0) on_input();
    if (sources[1].revents != 0) on_signals();
    if (sources[2].revents != 0) {
      if (auto data = fetcher_.take()) live_.on_data(std::move(*data));
    }
  }

  void on_input() {
    std::array<char, 256> bytes{};
    const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    // The terminal has gone away: as SIGHUP.
    if (size <= 0) {
      code_ = 128 + SIGHUP;
      return;
    }
    on_keys(keys_.feed({bytes.data(), static_cast<std::size_t>(size)}));
  }

  void on_keys(const std::vector<Key>& keys) {
    for (const Key key : keys) live_.on_key(key);
  }

  void on_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      if (signal == SIGWINCH) {
        resize();
      } else if (signal == SIGTSTP) {
        suspend();
      } else {
        code_ = 128 + signal;
      }
    }
  }

  /// The shell gets its terminal as it was; on return the screen is ours again.
  void suspend() {
    terminal_.leave();
    ::raise(SIGSTOP);
    if (!terminal_.enter()) code_ = 128 + SIGHUP;
    resize();
  }

  void resize() {
    const Terminal::Size size = Terminal::size();
    live_.resize(size.columns, size.rows);
  }

  FileDescriptor signals_;
  LiveView live_;
  LiveFetcher fetcher_;
  Terminal terminal_;
  KeyDecoder keys_;
  int code_ = -1;
};

}  // namespace

int run_live(const Context& context, std::chrono::milliseconds interval) {
  LiveScreen screen(context, interval, block_signals());
  if (const auto begun = screen.begin(); !begun) {
    context.err << "bustop: " << begun.error().to_string()
                << "\n  -> use a sub-command, such as  bustop tree  or  bustop rates --once\n";
    screen.stop();
    return kExitUsage;
  }
  const int code = screen.run();
  // A daemon that does not answer must not hold up the prompt; nothing is left to clean up.
  if (!screen.stop()) std::_Exit(code);
  return code;
}

}  // namespace starbus::bustop
