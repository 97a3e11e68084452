#include <csignal>
#include <iostream>

#include "tools/nav/cli.hpp"
#include "tools/terminal/standard_output.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  starbus::tools::StandardOutput out;
  const int code = starbus::nav_tool::run_nav_tool({argv + 1, argv + argc}, {std::cout, std::cerr});
  return out.finish(code, "starbus-nav");
}
