#include <unistd.h>

#include <csignal>
#include <iostream>

#include "daemon/config/admin_socket.hpp"
#include "tools/mail/cli.hpp"
#include "tools/terminal/standard_output.hpp"
#include "tools/terminal/terminal.hpp"

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

int main(int argc, char** argv) {
  // Long work ends in order at the first Ctrl-C; the second ends it at once.
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  starbus::tools::StandardOutput out;
  const bool terminal = starbus::bustop::Terminal::is_terminal();
  const starbus::mail_tool::Environment environment{
      std::cout,
      std::cerr,
      starbus::daemon::admin_url_of_environment(),
      ::isatty(STDERR_FILENO) == 1,
      {false, terminal ? starbus::bustop::Terminal::size().columns : 0},
      [] { return interrupted != 0; }};
  const int code = starbus::mail_tool::run_mail_tool({argv + 1, argv + argc}, environment);
  return out.finish(code, "starbus-mail");
}
