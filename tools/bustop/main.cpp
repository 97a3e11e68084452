#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "daemon/config/admin_socket.hpp"
#include "tools/bustop/cli.hpp"
#include "tools/bustop/commands.hpp"
#include "tools/terminal/standard_output.hpp"
#include "tools/terminal/terminal.hpp"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

int main(int argc, char** argv) {
  // `bustop rates | head`: the stream fails, and the loop ends.
  std::signal(SIGPIPE, SIG_IGN);
  starbus::tools::StandardOutput out;
  using starbus::bustop::Terminal;
  const bool terminal = Terminal::is_terminal();
  // https://no-color.org: present and not empty.
  const bool colour = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  const starbus::bustop::Environment environment{
      std::cout,
      std::cerr,
      starbus::daemon::admin_url_of_environment(),
      colour,
      terminal ? Terminal::size().columns : 0,
      [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
      [](const std::string& question) {
        std::string line;
        if (isatty(STDIN_FILENO) == 0) return line;
        std::cerr << question << std::flush;
        std::getline(std::cin, line);
        return line;
      }};
  const int code = starbus::bustop::run_bustop({argv + 1, argv + argc}, environment);
  return out.finish(code, "bustop", starbus::bustop::kExitFailed);  // 1 means something else here
}
