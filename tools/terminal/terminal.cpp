#include "tools/terminal/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace starbus::bustop {
namespace {

// Alternate screen, no cursor, no line wrap; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::array kFatal = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// For the handler of fatal signals, which gets nothing else.
termios saved_mode;
volatile std::sig_atomic_t must_restore = 0;

/// Also to one that does not block, which write_all leaves.
void write_to_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(STDOUT_FILENO, text.data(), text.size());
    if (size < 0 && errno == EAGAIN) {
      pollfd waiting{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&waiting, 1, 1000);
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;  // the terminal is gone: reading will tell
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

/// Async-signal-safe.
void restore() {
  if (must_restore == 0) return;
  must_restore = 0;
  write_to_terminal(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &saved_mode);
}

void on_fatal(int signal) {
  restore();
  ::raise(signal);  // SA_RESETHAND: the default action follows
}

void catch_fatal() {
  struct sigaction action {};
  action.sa_handler = on_fatal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kFatal) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Terminal::~Terminal() {
  leave();
}

bus::Result<> Terminal::enter() {
  if (entered_) return {};
  if (::tcgetattr(STDIN_FILENO, &saved_mode) != 0 || !is_terminal()) {
    return bus::Error{bus::Errc::io_error, "the live view needs a terminal"};
  }
  termios raw = saved_mode;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0) {
    return bus::Error{bus::Errc::io_error, std::string("terminal: ") + std::strerror(errno)};
  }
  must_restore = 1;
  catch_fatal();
  write_to_terminal(kEnter);
  entered_ = true;
  return {};
}

void Terminal::leave() {
  if (!entered_) return;
  entered_ = false;
  restore();
}

bool Terminal::is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

Terminal::Size Terminal::size() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
  return {window.ws_col, window.ws_row};
}

void Terminal::draw(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i] + "\x1b[K";
  }
  text += "\x1b[J";
  write_to_terminal(text);
}

}  // namespace starbus::bustop
