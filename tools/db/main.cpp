#include <csignal>
#include <iostream>

#include "tools/db/cli.hpp"
#include "tools/terminal/standard_output.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  starbus::tools::StandardOutput out;
  const int code =
      starbus::db_tool::run_db_tool({argv + 1, argv + argc}, {std::cin, std::cout, std::cerr});
  return out.finish(code, "starbus-db-tool");
}
